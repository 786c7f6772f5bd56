// SPDX-License-Identifier: BSL-1.0
#include <glog/logging.h>

#include <cstdint>

extern "C" std::int64_t tests_sum(std::int64_t n) {
  static const bool started = [] {
    google::InitGoogleLogging("tests");
    return google::IsGoogleLoggingInitialized();
  }();
  return started ? n * (n + 1) / 2 : 0;
}
