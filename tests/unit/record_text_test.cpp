// SPDX-License-Identifier: BSL-1.0
//
// Records as text: no field of a record is lost, and every position can be printed.
#include "pipeline/record_text.hpp"

#include <tenon/call.hpp>
#include <tenon/gen/json.hpp>

#include <gtest/gtest.h>

#include <string>

namespace pipeline {
namespace {

std::string json_of(const tenon::Record& record) {
  tenon::Call call;
  const auto raw = tenon::Value<tenon::Record>::raw<tenon::Copy::deep>(call.raw(), record);
  tenon::json::Writer out;
  write(out, tenon::RecordView(raw));
  return std::string(out.view());
}

TEST(RecordText, IncludesAllFields) {
  tenon::Record record;
  record.position = tenon::to_bytes("12");
  record.operation = tenon::Record::Operation::Update;
  record.metadata = {{"a", "1\n"}, {"b", "2"}};
  record.key = tenon::to_bytes("not JSON");
  record.payload.before = tenon::to_bytes("{\"n\": 1.10}");
  record.payload.after = tenon::to_bytes("\xff\x01");
  EXPECT_EQ(json_of(record),
            R"({"position":12,"operation":"update","metadata":{"a":"1\n","b":"2"},)"
            R"("key":"not JSON","before":{"n":1.10},"after":{"base64":"/wE="}})");
}

TEST(RecordText, OmitsAbsentFields) {
  EXPECT_EQ(json_of({}), R"({"position":"","operation":"create","metadata":{}})");
}

TEST(RecordText, EscapesPositions) {
  EXPECT_EQ(position_text(tenon::BytesView(tenon::to_bytes("a 1"))), "\"a 1\"");
  EXPECT_EQ(position_text(tenon::BytesView(tenon::to_bytes("a\n"))), "0x610a");
  EXPECT_EQ(position_text(tenon::BytesView(tenon::to_bytes(""))), "\"\"");
}

}  // namespace
}  // namespace pipeline
