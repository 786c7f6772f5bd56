// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>

namespace tenon::tools {

/// Tells requests to stop apart from repetitions of one: `timeout -s INT`, for example, sends a
/// signal to a process, and then to its group.
class StopRequests {
 public:
  using Clock = std::chrono::steady_clock;

  /// Returns whether a signal that arrived at `now` is another request. The same signal within 200
  /// ms of a request is not.
  bool add(int number, Clock::time_point now) noexcept {
    constexpr std::chrono::milliseconds together(200);
    if (number == number_ && now - began_ < together) return false;
    number_ = number;
    began_ = now;
    return true;
  }

 private:
  int number_ = 0;  // of the last request; 0: there was none
  Clock::time_point began_;
};

}  // namespace tenon::tools
