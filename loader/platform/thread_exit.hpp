// SPDX-License-Identifier: BSL-1.0
//
// Calls a function at the end of a thread. A thread_local object is not sufficient: its destructor
// runs once, and destructors of other thread_local objects may run after it.
#pragma once

namespace tenon { inline namespace v0_1 { namespace platform {

/// Calls a handler at the end of each armed thread, until `end`. Its destruction does not change
/// that, because threads may end after main.
class ThreadExit {
 public:
  /// `handler` is called with the argument that its thread was armed with.
  explicit ThreadExit(void (*handler)(void*)) noexcept;

  /// Arms the calling thread. The handler runs once, after the destructors of all thread_local
  /// objects. If the handler arms the thread again, it is called again. Has no effect if the system
  /// has no key left for the handler, and after `end`. Thread-safe, but not together with `end`.
  void arm(void* argument) const noexcept;
  /// Disarms all threads, for ever. Does not wait for a handler that another thread runs.
  void end() noexcept;

 private:
  unsigned key_ = 0;
  bool valid_ = false;
};

}}}  // namespace tenon::v0_1::platform
