// SPDX-License-Identifier: BSL-1.0
//
// Documents that pass through a plugin of an older version: fields that it does not know return in
// its response.
#include <tenon/sdk/conformance.hpp>

#include <gtest/gtest.h>
#include <test/relay.hpp>
#include <test/sink.hpp>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

namespace conformance = sdk::conformance;

class Relay : public Hosting {
 protected:
  static RecordV2 record() {
    RecordV2 record;
    record.position = to_bytes("12");
    record.operation = RecordV2::Operation::Delete;
    record.metadata = {{"opencdc.createdAt", "1700000000000000001"}, {"k", "v"}};
    record.payload.before = to_bytes("before");
    record.payload.bag = conformance::bag();
    record.bag = conformance::bag();
    return record;
  }
};

TEST_F(Relay, ReturnsFieldsThatItsVersionLacks) {
  place("relay.so");
  Host host(options());
  auto relay = host.create<test::Relay>("test.example/relay").value();
  const RecordV2 passed = relay->pass(record()).value();
  RecordV2 expected = record();
  expected.key = to_bytes("passed");
  EXPECT_EQ(passed, expected);
  EXPECT_EQ(conformance::lost(record(), passed), "");
}

TEST_F(Relay, LosesFieldsIfItDropsTheBag) {
  place("relay-drops.so");
  Host host(options());
  auto relay = host.create<test::Relay>("test.example/relay").value();
  const RecordV2 passed = relay->pass(record()).value();
  EXPECT_EQ(passed.operation, RecordV2::Operation::Create);
  EXPECT_EQ(conformance::lost(record(), passed),
            R"(the bag was dropped: {"of_tomorrow@999":{"type":"string","value":"kept"}}; )"
            "derive the document from a copy of the original (tenon::own), or copy its bag");
}

TEST_F(Relay, ReportsAChangedBag) {
  RecordV2 changed = record();
  changed.bag = to_bytes("{}");
  EXPECT_NE(conformance::lost(record(), changed).find("the bag was changed: "), std::string::npos);
}

TEST_F(Relay, AddsNothingToTheBagOfInputOnlyDocuments) {
  place("relay.so");
  Host host(options());
  auto sink = host.create<test::Sink>("test.example/sink").value();
  EXPECT_EQ(sink->bag_of(record()).value(), conformance::bag()) << "the bag keeps its content";
  RecordV2 plain = record();
  plain.bag.clear();
  EXPECT_EQ(sink->bag_of(plain).value(), Bytes());
}

}}  // namespace tenon::tests
