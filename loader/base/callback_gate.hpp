// SPDX-License-Identifier: BSL-1.0
//
// Guards the calls of a callback of the program, so that a host can end them when it is destroyed.
#pragma once

#include <chrono>
#include <thread>
#include <vector>

#include "base/lock_order.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Counts the threads inside a callback. Thread-safe. Its lock is not held while the callback runs.
class CallbackGate {
 public:
  /// Marks the calling thread as inside the callback while it lives. Converts to false if the gate
  /// is closed: then the callback must not be called.
  class Guard {
   public:
    explicit Guard(CallbackGate& gate);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

    explicit operator bool() const noexcept { return open_; }
    /// Returns whether the thread was inside the callback already.
    bool nested() const noexcept { return nested_; }

   private:
    CallbackGate& gate_;
    bool open_;
    bool nested_ = false;
  };

  /// Refuses new calls and waits until all other threads have left the callback. Returns false if
  /// some have not by the deadline.
  bool close(std::chrono::steady_clock::time_point deadline) noexcept;

 private:
  Mutex mutex_{LockRank::events};
  Condition changed_;
  bool closed_ TENON_GUARDED_BY(mutex_) = false;
  std::vector<std::thread::id> inside_ TENON_GUARDED_BY(mutex_);
};

}}}  // namespace tenon::v0_1::detail
