// SPDX-License-Identifier: BSL-1.0
//
// A plugin of the SDK that is compiled without exceptions and type information.
#include <test/sdk/counter.hpp>
#include <test/sdk/vault.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

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

struct LoggedReader : tenon::sdk::Reader {
  explicit LoggedReader(const tenon::sdk::Logger& to) : log(to) {}
  ~LoggedReader() override { log.warn("reader destroyed"); }
  std::size_t read(tenon::sdk::Call, tenon::sdk::Buffer) override { return 0; }

  const tenon::sdk::Logger& log;
};

/// Fails after it has created or received streams.
struct Vault : test::sdk::VaultV2 {
  GetResult get(std::string_view) override {
    tenon::sdk::fail(TENON_ABORTED, "nothing to read");
    return {std::make_unique<LoggedReader>(log), "tag"};
  }
  void drop(std::unique_ptr<tenon::sdk::Reader>) override {
    tenon::sdk::fail(TENON_ABORTED, "dropped");
  }
  void keep(std::unique_ptr<tenon::sdk::Reader> body) override {
    kept_ = std::move(body);
    tenon::sdk::fail(TENON_ABORTED, "kept");
  }

  std::unique_ptr<tenon::sdk::Reader> kept_;
};

const tenon_host* host_of_module = nullptr;

void start(tenon::sdk::Call, tenon::sdk::Host host) {
  host_of_module = host.raw();
}
void stop() {
  tenon::sdk::fail(TENON_UNAVAILABLE, "still busy");
  tenon::sdk::Host(host_of_module).log.info("stopped");
}

}  // namespace

#define PLUGINS(P)                 \
  P(Counter, "test.example/quiet") \
  P(Reluctant, "test.example/reluctant") P(Vault, "test.example/vault")
TENON_PLUGINS_WITH("test.example/quiet", "1.0.0", start, stop, PLUGINS, {"threads": "joined"});
