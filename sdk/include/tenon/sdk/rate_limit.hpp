// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/rate_limit.hpp: reads or writes no more than so many records a second:
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

/// Belongs to one thread at a time.
class RateLimit {
 public:
  /// `per_second` is 0 for no limit.
  explicit RateLimit(double per_second) : rate_(per_second) {}

  /// Waits until the next record is due. Time that was not used is made up for, but for one second
  /// at most. Throws Failure when the call is cancelled.
  void wait(Call call) {
    call.check();
    if (rate_ == 0) return;
    for (add_due(); due_ < 1; add_due()) {
      const double seconds = std::min((1 - due_) / rate_, longest_wait);
      call.wait(std::chrono::ceil<Duration>(std::chrono::duration<double>(seconds)));
    }
    due_--;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double longest_wait = 3600;  // a longer one may not fit a Duration

  void add_due() {
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> since = now - last_;
    due_ = std::min(due_ + since.count() * rate_, std::max(rate_, 1.0));
    last_ = now;
  }

  double rate_;
  double due_ = 0;  // records
  Clock::time_point last_ = Clock::now();
};

}  // namespace tenon::sdk
