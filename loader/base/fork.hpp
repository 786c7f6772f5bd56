// SPDX-License-Identifier: BSL-1.0
//
// Children that the process makes by fork. A child has one thread; locks that other threads held at
// that moment are never released in it.
#pragma once

#include <cstdint>
#include <new>
#include <type_traits>

namespace tenon::platform {

/// Calls `handler` in the child after each fork of the process.
void after_fork_in_child(void (*handler)()) noexcept;

/// Calls `prepare` in the parent before each fork, and then `parent` and `child` in the two
/// processes.
void around_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept;

/// The number of forks between this process and its first ancestor that called this.
std::uint64_t fork_count() noexcept;

/// Remembers the process in which it was made.
class ProcessMark {
 public:
  ProcessMark() noexcept : forks_(fork_count()) {}

  /// Whether this process is a child that was made by fork since.
  bool inherited() const noexcept { return fork_count() != forks_; }

 private:
  const std::uint64_t forks_;
};

/// Unlocks a process-wide mutex in children. What it guards must be valid at every moment at which
/// another thread may fork. One object of it stands beside the mutex.
template <auto& mutex>
class UnlockedInChildren {
 public:
  UnlockedInChildren() noexcept {
    after_fork_in_child([] { new (&mutex) std::remove_reference_t<decltype(mutex)>; });
  }
};

}  // namespace tenon::platform
