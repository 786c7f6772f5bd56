// SPDX-License-Identifier: BSL-1.0
#include <boost/thread.hpp>

#include <cstdint>

extern "C" std::int64_t tests_sum(std::int64_t n) {
  std::int64_t total = 0;
  boost::thread adder([&] { total = n * (n + 1) / 2; });
  adder.join();
  return total;
}
