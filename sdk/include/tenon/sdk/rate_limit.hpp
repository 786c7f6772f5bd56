// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/rate_limit.hpp: limits the records that are read or written per second:
//
//   void write(tenon::RecordV2View record) override {
//     limit.wait(call());
//     send(record);
//   }
//   tenon::sdk::RateLimit limit{100};
#pragma once

#include <tenon/sdk/call.hpp>

#include <algorithm>
#include <chrono>

namespace tenon::sdk {

/// A token bucket that holds the records of one second. Used by one thread at a time.
class RateLimit {
 public:
  /// Takes the limit in records per second; 0, a negative number or NaN means no limit.
  explicit RateLimit(double per_second) : rate_(per_second) {}

  /// Waits until the next record may be read or written. After a pause, the records of at most one
  /// second pass without waiting. Throws Failure if the call is cancelled.
  void wait(Call call) {
    call.check();
    if (!(rate_ > 0)) return;
    for (refill(); tokens_ < 1; refill()) {
      const double seconds = std::min((1 - tokens_) / rate_, longest_wait);
      call.wait(std::chrono::ceil<Duration>(std::chrono::duration<double>(seconds)));
    }
    --tokens_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double longest_wait = 3600;  // seconds; a longer wait may not fit a Duration

  void refill() {
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> since = now - last_;
    tokens_ = std::min(tokens_ + since.count() * rate_, std::max(rate_, 1.0));
    last_ = now;
  }

  double rate_;
  double tokens_ = 0;  // records that may pass now
  Clock::time_point last_ = Clock::now();
};

}  // namespace tenon::sdk
