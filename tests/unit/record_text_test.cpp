// SPDX-License-Identifier: BSL-1.0
//
// Records as text: no field of a record is lost, and every position can be printed.
#include "pipeline/record_text.hpp"

#include <tenon/call.hpp>
#include <tenon/detail/json.hpp>

#include <gtest/gtest.h>

#include <string>

namespace pipeline { namespace {

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

// Bytes can be recovered: those of a string are its characters.
TEST(RecordText, DistinguishesBytesFromTheJsonOfOthers) {
  const auto key = [](const char* bytes) {
    tenon::Record record;
    record.key = tenon::to_bytes(bytes);
    const std::string all = json_of(record);
    const std::size_t begin = all.find(R"("key":)") + 6;
    return all.substr(begin, all.size() - 1 - begin);
  };
  EXPECT_EQ(key("abc"), R"("abc")");
  EXPECT_EQ(key(R"("abc")"), R"("\"abc\"")");
  EXPECT_EQ(key(R"("a\"bc")"), R"("\"a\\\"bc\"")");
  EXPECT_EQ(key(R"("abc)"), R"("\"abc")");
  EXPECT_EQ(key(""), R"("")");
  EXPECT_EQ(key(R"("")"), R"("\"\"")");
  EXPECT_EQ(key("1.50"), "1.50");
  EXPECT_EQ(key(" 1.50"), R"(" 1.50")");
  EXPECT_EQ(key("null\n"), R"("null\n")");
  EXPECT_EQ(key(" [1, 2]"), "[1,2]");
  EXPECT_EQ(key("{}"), "{}");
  EXPECT_EQ(key(R"({"a":"abc"})"), R"({"a":"abc"})");
  EXPECT_EQ(key("\xff"), R"({"base64":"/w=="})");
  EXPECT_EQ(key(R"({"base64":"/w=="})"), R"("{\"base64\":\"/w==\"}")");
  EXPECT_EQ(key(R"({"\u0062ase64":1})"), R"("{\"\\u0062ase64\":1}")");
  EXPECT_EQ(key(R"({"base64":1,"a":2})"), R"({"base64":1,"a":2})");
}

TEST(RecordText, OmitsAbsentFields) {
  EXPECT_EQ(json_of({}), R"({"position":"","operation":"create","metadata":{}})");
}

TEST(RecordText, EscapesPositions) {
  EXPECT_EQ(position_text(tenon::BytesView(tenon::to_bytes("a 1"))), "\"a 1\"");
  EXPECT_EQ(position_text(tenon::BytesView(tenon::to_bytes("a\n"))), "0x610a");
  EXPECT_EQ(position_text(tenon::BytesView(tenon::to_bytes(""))), "\"\"");
}

}}  // namespace pipeline
