// SPDX-License-Identifier: BSL-1.0
//
// Delays the writes to a destination, so that they are within its limits.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "batch_limits.hpp"
#include "in_flight_window.hpp"

namespace pipeline {

/// Used by the thread that writes to the destination.
class WritePace {
 public:
  WritePace(const std::optional<BatchLimits>& batch, const std::optional<RateLimit>& rate)
      : rate_(rate) {
    if (batch) batch_ = *batch;
    if (rate) batch_.records = std::min(batch_.records, rate->burst);
  }

  /// Waits until a batch can be written, or the delivery ends. Returns how many records it may
  /// have, at least 1.
  std::uint64_t await(InFlightWindow& window, std::size_t destination) {
    if (batch_.delay.count() != 0) {
      window.await_more(destination, batch_.records, Clock::now() + batch_.delay);
    }
    const auto count = std::min<std::uint64_t>(window.unsent(destination), batch_.records);
    if (rate_ && count != 0) window.pause_until(destination, take(count));
    return std::max<std::uint64_t>(count, 1);
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Counts records as written at the time that it returns, the first at which they may be.
  Clock::time_point take(std::uint64_t count) {
    const auto time_of = [&](std::uint64_t records) {
      return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
          static_cast<double>(records) / static_cast<double>(rate_->per_second)));
    };
    const auto time = std::max(Clock::now(), refilled_ - time_of(rate_->burst - count));
    refilled_ = std::max(refilled_, time) + time_of(count);
    return time;
  }

  BatchLimits batch_;
  const std::optional<RateLimit> rate_;
  Clock::time_point refilled_{};  // when the whole burst may be written again
};

}  // namespace pipeline
