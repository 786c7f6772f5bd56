// SPDX-License-Identifier: BSL-1.0
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <cstdint>
#include <functional>

extern "C" std::int64_t tests_sum(std::int64_t n) {
  using Range = oneapi::tbb::blocked_range<std::int64_t>;
  return oneapi::tbb::parallel_reduce(
      Range(1, n + 1), std::int64_t{0},
      [](const Range& range, std::int64_t total) {
        for (std::int64_t i = range.begin(); i < range.end(); ++i) total += i;
        return total;
      },
      std::plus<>());
}
