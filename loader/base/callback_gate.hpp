// SPDX-License-Identifier: BSL-1.0
//
// The way into a callback of the program, which a host closes when it ends.
#pragma once

#include <chrono>
#include <condition_variable>
#include <thread>
#include <vector>

#include "base/lock_order.hpp"

namespace tenon::detail {

/// Thread-safe. Its lock is not held while the callback runs.
class CallbackGate {
 public:
  /// The calling thread is in the callback while this lives, unless the gate is closed.
  class Guard {
   public:
    explicit Guard(CallbackGate& gate);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

    explicit operator bool() const noexcept { return open_; }
    /// Returns whether the thread was in the callback before.
    bool nested() const noexcept { return nested_; }

   private:
    CallbackGate& gate_;
    bool open_;
    bool nested_ = false;
  };

  /// From now on nobody enters. Waits until all other threads have left; false when they had not by
  /// the deadline.
  bool close(std::chrono::steady_clock::time_point deadline) noexcept;

 private:
  Mutex mutex_{LockRank::events};
  std::condition_variable_any changed_;
  bool closed_ = false;
  std::vector<std::thread::id> inside_;
};

}  // namespace tenon::detail
