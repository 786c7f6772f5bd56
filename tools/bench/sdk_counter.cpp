// SPDX-License-Identifier: BSL-1.0
//
// The counter, written with the C++ SDK.
#include <bench/sdk/counter.hpp>

#include <cstdint>

namespace {

class Counter : public bench::sdk::CounterV2 {
 public:
  void check(std::int64_t value) override {
    if (value < 0) throw tenon::sdk::Failure(TENON_INVALID_ARGUMENT, "below 0");
  }
  std::int64_t next(std::int64_t value) override { return value + 1; }
};

}  // namespace

#define PLUGINS(P) P(Counter, "bench.example/counter")
TENON_PLUGINS("bench.example/counter", "1.0.0", PLUGINS);
