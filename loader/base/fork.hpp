// SPDX-License-Identifier: BSL-1.0
//
// Support for processes that fork. A child has one thread; a lock that another thread held during
// the fork is never released in it.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>
#include <type_traits>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Calls `handler` in the child after each fork of the process.
void after_fork_in_child(void (*handler)()) noexcept;

/// Calls `prepare` in the parent before each fork, and then `parent` and `child` in the two
/// processes.
void around_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept;

/// Returns the number of forks between this process and its first ancestor that called this.
std::uint64_t fork_count() noexcept;

/// Remembers the process in which it was created.
class ProcessMark {
 public:
  ProcessMark() noexcept : forks_(fork_count()) {}

  /// Returns whether this process was forked since.
  bool inherited() const noexcept { return fork_count() != forks_; }

 private:
  const std::uint64_t forks_;
};

/// Returns the object of this process that `shared` points to. Creates it if there is none, or if
/// the present one was inherited: a thread of the parent may have held its lock during the fork.
/// The new object gets the present one, perhaps nullptr, which must live as long as `shared`.
template <class Object>
Object& of_this_process(std::atomic<Object*>& shared) {
  Object* present = shared.load();
  while (present == nullptr || present->inherited()) {
    auto* fresh = new Object(present);
    if (shared.compare_exchange_strong(present, fresh)) return *fresh;
    delete fresh;  // another thread was first
  }
  return *present;
}

/// Unlocks a process-wide mutex in children. The data that the mutex guards must be valid whenever
/// another thread may fork. Define one object next to the mutex.
template <auto& mutex>
class UnlockedInChildren {
 public:
  UnlockedInChildren() noexcept {
    after_fork_in_child([] { new (&mutex) std::remove_reference_t<decltype(mutex)>; });
  }
};

}}}  // namespace tenon::v0_1::platform
