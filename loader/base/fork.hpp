// SPDX-License-Identifier: BSL-1.0
//
// Support for processes that fork. A child has one thread; a lock that another thread held during
// the fork is never released in it.
#pragma once

#include <cstdint>
#include <new>
#include <type_traits>

namespace tenon::inline v0_1::platform {

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

/// Unlocks a process-wide mutex in children. The data that the mutex guards must be valid whenever
/// another thread may fork. Define one object next to the mutex.
template <auto& mutex>
class UnlockedInChildren {
 public:
  UnlockedInChildren() noexcept {
    after_fork_in_child([] { new (&mutex) std::remove_reference_t<decltype(mutex)>; });
  }
};

}  // namespace tenon::inline v0_1::platform
