// SPDX-License-Identifier: BSL-1.0
#include <absl/flags/flag.h>

#include <cstdint>

ABSL_FLAG(int, tests_step, 1, "what is added");

extern "C" std::int64_t tests_sum(std::int64_t n) {
  return absl::GetFlag(FLAGS_tests_step) * n * (n + 1) / 2;
}
