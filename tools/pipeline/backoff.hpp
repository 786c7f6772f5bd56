// SPDX-License-Identifier: BSL-1.0
//
// Delays between attempts.
#pragma once

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

namespace pipeline {

/// Exponential backoff with jitter: delays double from `shortest` to `longest`, and up to half is
/// added to each at random, so that pipelines that failed together do not all retry at once. Used
/// by one thread.
class Backoff {
 public:
  using Time = std::chrono::milliseconds;

  Backoff(Time shortest, Time longest)
      : shortest_(shortest), longest_(longest), next_(shortest), random_(std::random_device()()) {}

  /// Returns the next delay, at most `longest`.
  Time next() {
    const Time time = std::exchange(next_, std::min(2 * next_, longest_));
    std::uniform_int_distribution<Time::rep> extra(0, time.count() / 2);
    return std::min(time + Time(extra(random_)), longest_);
  }
  /// Makes the next delay the shortest one again.
  void reset() noexcept { next_ = shortest_; }

 private:
  const Time shortest_;
  const Time longest_;
  Time next_;
  std::minstd_rand random_;
};

}  // namespace pipeline
