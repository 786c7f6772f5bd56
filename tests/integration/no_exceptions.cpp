// SPDX-License-Identifier: BSL-1.0
//
// A plugin of the SDK that is compiled without exceptions and type information.
#include <cstdint>
#include <string>
#include <test/sdk/counter.hpp>

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "compile this with -fno-exceptions -fno-rtti"
#endif

namespace {

struct Counter : test::sdk::CounterV1 {
  void configure(const tenon::sdk::Config& config) override {
    total_ = config.get("first", std::int64_t{0});
    if (total_ < 0) tenon::sdk::fail(TENON_OUT_OF_RANGE, "first is ", total_);
    if (config.has("refuse")) tenon::sdk::fail(TENON_ABORTED, "refused");
  }
  std::int64_t add(std::int64_t number) override { return total_ += number; }
  std::string call_back(std::string_view text) override {
    const auto other = host().create<test::sdk::CounterV1>(call(), text);
    other.call(call(), &test_counter_v1::refuse, {0, TENON_ABORTED, {}});
    other.call<test_counter_v1_add_request, test_counter_v1_add_response>(
        call(), &test_counter_v1::add, {0, 1});
    return tenon::sdk::failed() ? "ignored" : "created";
  }
  void refuse(std::int32_t status, std::string_view message) override {
    tenon::sdk::fail(status, message);
    tenon::sdk::fail(TENON_INTERNAL, "the first failure counts");
  }

  std::int64_t total_ = 0;
};

struct Reluctant : Counter {
  Reluctant() { tenon::sdk::fail(TENON_UNAVAILABLE, "not today"); }
  ~Reluctant() override { log.warn("destroyed"); }
};

}  // namespace

#define PLUGINS(P) P(Counter, "test.example/quiet") P(Reluctant, "test.example/reluctant")
TENON_PLUGINS("test.example/quiet", "1.0.0", PLUGINS);
