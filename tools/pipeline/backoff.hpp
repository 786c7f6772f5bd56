// SPDX-License-Identifier: BSL-1.0
//
// How long to wait between attempts.
#pragma once

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

namespace pipeline {

/// Delays that double from `shortest` to `longest`. Up to half is added to each at random, so that
/// pipelines which failed together do not all come back at once. Belongs to one thread.
class Backoff {
 public:
  using Time = std::chrono::milliseconds;

  Backoff(Time shortest, Time longest)
      : shortest_(shortest), longest_(longest), next_(shortest), random_(std::random_device()()) {}

  Time next() {
    const Time time = std::exchange(next_, std::min(2 * next_, longest_));
    std::uniform_int_distribution<Time::rep> extra(0, time.count() / 2);
    return std::min(time + Time(extra(random_)), longest_);
  }
  /// Begins with the shortest one again.
  void reset() noexcept { next_ = shortest_; }

 private:
  const Time shortest_;
  const Time longest_;
  Time next_;
  std::minstd_rand random_;
};

}  // namespace pipeline
