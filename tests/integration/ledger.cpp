// SPDX-License-Identifier: BSL-1.0
//
// A counter whose state is a document. LEDGER_EDITION 1 saves version 1 of test.example/progress,
// 2 saves version 2. 3 declares version 2 and saves no document, or one that is a byte too long if
// the label says so. 4 declares no document.
#include <tenon/sdk/state.hpp>

#include <test/progress.hpp>
#include <test/sdk/session_counter.hpp>

#include <cstdint>
#include <string>

namespace {

#if LEDGER_EDITION == 1
using Progress = test::ProgressV1;
#else
using Progress = test::ProgressV2;
#endif

struct Ledger : test::sdk::SessionCounterV1 {
  void configure(const tenon::sdk::Config& config) override {
    progress.label = config.get("label", std::string());
  }
  void open() override {}
  std::int64_t add(std::int64_t number) override {
#if LEDGER_EDITION == 1
    return progress.done += number;
#else
    progress.steps.push_back({number, "by edition 2", {}});
    return progress.count += number;
#endif
  }
  TotalResult total() override {
#if LEDGER_EDITION == 1
    return {progress.done, 0};
#else
    return {progress.count, static_cast<std::int64_t>(progress.steps.size())};
#endif
  }
  std::int32_t edition() override {
    return LEDGER_EDITION;
  }
  std::string life() override {
    return progress.label;
  }

  tenon::sdk::Bytes save_state(std::int32_t) override {
#if LEDGER_EDITION == 3
    if (progress.label != "too long") return tenon::sdk::to_bytes("no document");
    auto state = tenon::sdk::to_state(call(), progress);
    state.push_back(0);
    return state;
#else
    return tenon::sdk::to_state(call(), progress);
#endif
  }
  void restore_state(std::int32_t, tenon::sdk::BytesView state) override {
    progress = tenon::sdk::from_state<Progress>(state);
  }

  Progress progress;
};

}  // namespace

#if LEDGER_EDITION == 1
TENON_PLUGIN(
    Ledger, "test.example/ledger", "1.0.0",
    {"threads": "joined", "state": {"type": "test.example/progress", "writes": 1, "reads": [1]}});
#elif LEDGER_EDITION == 4
TENON_PLUGIN(Ledger, "test.example/ledger", "4.0.0",
             {"threads": "joined", "state": {"writes": 1, "reads": [1]}});
#else
TENON_PLUGIN(
    Ledger, "test.example/ledger", "2.0.0",
    {"threads": "joined", "state": {"type": "test.example/progress", "writes": 2, "reads": [2]}});
#endif
