// SPDX-License-Identifier: BSL-1.0
//
// A counter with a session that was written with the C++ SDK and implements all functions of a
// restart. tally.cpp builds standalone plugins, TALLY_EDITION 1 and 2; the test registers a
// builtin.
#pragma once

#include <test/sdk/session_counter.hpp>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#ifndef TALLY_EDITION
#define TALLY_EDITION 1
#endif

class Tally : public test::sdk::SessionCounterV1 {
 public:
  void configure(const tenon::sdk::Config& config) override {
    total_ = config.get("first", std::int64_t{0});
    note("configure");
  }
  void open() override {}
  std::int64_t add(std::int64_t number) override { return total_ += number; }
  TotalResult total() override { return {total_, 0}; }
  std::int32_t edition() override { return TALLY_EDITION; }
  std::string life() override { return life_; }

  tenon::sdk::Bytes save_state(std::int32_t version) override {
    note("save");
    if (total_ < 0) throw tenon::sdk::Failure(TENON_OUT_OF_RANGE, "it went below nothing");
    return tenon::sdk::to_bytes(tenon::sdk::text(version == 1 ? "" : "total ", total_));
  }
  void restore_state(std::int32_t version, tenon::sdk::BytesView state) override {
    std::string_view digits = state.text();
    if (version == 2) digits.remove_prefix(std::string_view("total ").size());
    std::from_chars(digits.data(), digits.data() + digits.size(), total_);
    if (TALLY_EDITION == 2 && total_ > 1000) {
      throw tenon::sdk::Failure(TENON_OUT_OF_RANGE, "more than this edition can count");
    }
    note(tenon::sdk::text("restore:", version));
  }
  void suspend() override { note("suspend"); }
  void resume() override { note("resume"); }

 private:
  void note(std::string_view what) { life_ += (life_.empty() ? "" : " ") + std::string(what); }

  std::int64_t total_ = 0;
  std::string life_;
};

/// Number of starts of the module minus the number of stops.
inline int tally_starts = 0;

inline void start_tally(tenon::sdk::Call, tenon::sdk::Host host) {
  ++tally_starts;
  host.log.debug("starts");
}
inline void stop_tally() {
  --tally_starts;
}
