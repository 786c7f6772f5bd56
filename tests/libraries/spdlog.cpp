// SPDX-License-Identifier: BSL-1.0
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdint>

extern "C" std::int64_t tests_sum(std::int64_t n) {
  static const auto log = spdlog::stderr_logger_mt("tests");
  return log->name() == "tests" ? n * (n + 1) / 2 : 0;
}
