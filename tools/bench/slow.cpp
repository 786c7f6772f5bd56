// SPDX-License-Identifier: BSL-1.0
//
// A destination that takes one millisecond for each record, regardless of its size.
#include <tenon/sdk/writing_destination.hpp>

#include <chrono>
#include <thread>

namespace {

class Slow : public tenon::sdk::WritingDestination {
 public:
  void configure(const tenon::sdk::Config& /*config*/) override {}
  void write(tenon::RecordV2View /*record*/) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
};

}  // namespace

#define PLUGINS(P) P(Slow, "bench.example/slow")
TENON_PLUGINS("bench.example/slow", "1.0.0", PLUGINS);
