// SPDX-License-Identifier: BSL-1.0
#include <gflags/gflags.h>

#include <cstdint>

DEFINE_int32(tests_step, 1, "what is added");

extern "C" std::int64_t tests_sum(std::int64_t n) {
  return FLAGS_tests_step * n * (n + 1) / 2;
}
