// SPDX-License-Identifier: BSL-1.0
//
// Waits of the loader, which are no cancellation points: the functions that wait may not throw, and
// the end of a thread (pthread_cancel) unwinds like an exception. A thread that is cancelled ends
// at the next cancellation point of its program or of a plugin.
#pragma once

#include <condition_variable>
#include <utility>

#include "base/threads.hpp"

namespace tenon::inline v0_1::detail {

/// A condition variable with the functions of std::condition_variable_any that the loader uses.
class Condition {
 public:
  void notify_one() noexcept { condition_.notify_one(); }
  void notify_all() noexcept { condition_.notify_all(); }

  template <class Lock>
  void wait(Lock& lock) {
    const platform::NoCancellation none;
    condition_.wait(lock);
  }
  /// `arguments`: a time, and optionally a condition.
  template <class Lock, class... Arguments>
  auto wait_until(Lock& lock, Arguments&&... arguments) {
    const platform::NoCancellation none;
    return condition_.wait_until(lock, std::forward<Arguments>(arguments)...);
  }

 private:
  std::condition_variable_any condition_;
};

}  // namespace tenon::inline v0_1::detail
