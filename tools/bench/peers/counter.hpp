// SPDX-License-Identifier: BSL-1.0
//
// The counter of calls.hpp for libraries that load classes.
#pragma once

#include <cstdint>

namespace tenon::bench {

class Counter {
 public:
  Counter() = default;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  virtual ~Counter() = default;
  /// Returns whether the number is at least 0.
  virtual bool check(std::int64_t value) = 0;
};

}  // namespace tenon::bench
