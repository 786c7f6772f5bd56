// SPDX-License-Identifier: BSL-1.0
//
// The limits of the batches of a source or destination, and of records per second.
#pragma once

#include <chrono>
#include <cstdint>

namespace pipeline {

/// The limits of one batch.
struct BatchLimits {
  std::uint64_t records = 1000;
  /// The time that records wait for others, as long as there are fewer.
  std::chrono::nanoseconds delay{};
};

/// The limit of records per second. After a pause, up to `burst` records may be written at once.
struct RateLimit {
  std::uint64_t per_second = 1;
  std::uint64_t burst = 1;
};

}  // namespace pipeline
