// SPDX-License-Identifier: BSL-1.0
//
// A relay and a sink of version 1, which use records of version 1. With RELAY_DROPS the relay
// builds a new record instead of a copy of its input, and so loses the bag.
#include <test/sdk/relay.hpp>
#include <test/sdk/sink.hpp>

namespace {

struct Relay : test::sdk::RelayV1 {
  tenon::RecordV1 pass(tenon::RecordV1View record) override {
#ifdef RELAY_DROPS
    tenon::RecordV1 passed;
    passed.position = record.position().own();
#else
    tenon::RecordV1 passed = tenon::own(record);
#endif
    passed.key = tenon::to_bytes("passed");
    return passed;
  }
};

struct Sink : test::sdk::SinkV1 {
  tenon::Bytes bag_of(tenon::RecordV1View record) override { return record.bag().own(); }
};

}  // namespace

#define PLUGINS(P) P(Relay, "test.example/relay") P(Sink, "test.example/sink")
TENON_PLUGINS("test.example/relays", "1.0.0", PLUGINS, {"threads": "joined"});
