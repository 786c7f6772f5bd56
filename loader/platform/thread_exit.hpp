// SPDX-License-Identifier: BSL-1.0
//
// A function that is called at the end of a thread. A thread_local object is not enough: its
// destructor runs once, and destructors of other thread_local objects run after it.
#pragma once

namespace tenon::platform {

/// Calls its handler at the end of each thread that was armed. Thread-safe. Never destroyed:
/// threads may end after main.
class ThreadExit {
 public:
  /// `handler` gets the argument that its thread was armed with.
  explicit ThreadExit(void (*handler)(void*)) noexcept;

  /// Arms the calling thread, until the handler was called. The handler runs after the destructors
  /// of all thread_local objects. It may itself run code that arms the thread again; then it is
  /// called again. Has no effect when the system has no room left for another handler.
  void arm(void* argument) const noexcept;

 private:
  unsigned key_ = 0;
  bool valid_ = false;
};

}  // namespace tenon::platform
