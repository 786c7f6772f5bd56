// SPDX-License-Identifier: BSL-1.0
//
// JSON of a document that holds structs, enums and another document.
#include <gtest/gtest.h>
#include <test/entry_json.hpp>

#include <optional>
#include <string>

namespace test { namespace {

EntryV1 entry() {
  EntryV1 entry;
  entry.title = "A title";
  entry.state = EntryV1State::Stale;
  entry.notes = {{"first", tenon::Timestamp(tenon::Duration(7))}, {"", std::nullopt}};
  entry.last = EntryV1Note{"last", std::nullopt};
  entry.record.position = tenon::to_bytes("12");
  entry.retyped = -4;
  return entry;
}

TEST(EntryJson, IsWrittenInTheOrderOfTheSpec) {
  EXPECT_EQ(
      to_json(entry()).value(),
      R"({"title":"A title","state":"stale","notes":[{"text":"first","at":7},{"text":""}],)"
      R"("last":{"text":"last"},"tag":"","flags":[],"was":"","record":{"position":"MTI=","metadata":{}},)"
      R"("retyped":-4})");
}

TEST(EntryJson, RoundTrips) {
  EXPECT_EQ(entry_v1_from_json(to_json(entry()).value()).value(), entry());
  EXPECT_EQ(entry_v1_from_json(to_json(EntryV1{}).value()).value(), EntryV1{});
  EntryV2 newer;
  newer.fresh = {{"k", "v"}};
  newer.record.operation = tenon::RecordV2Operation::Delete;
  EXPECT_EQ(entry_v2_from_json(to_json(newer).value()).value(), newer);
}

TEST(EntryJson, ReportsThePathInANestedDocument) {
  EntryV1 wrong = entry();
  std::string text = to_json(wrong).value();
  text.replace(text.find("\"MTI=\""), 6, "[]");
  const auto entry = entry_v1_from_json(text);
  ASSERT_FALSE(entry);
  EXPECT_EQ(entry.error().to_string(),
            "error[wrong-value] record.position: expected text in base64, found array");
}

}}  // namespace test
