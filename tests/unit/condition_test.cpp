// SPDX-License-Identifier: BSL-1.0
//
// Conditions of processors in pipeline files.
#include "pipeline/condition.hpp"

#include <tenon/call.hpp>
#include <tenon/record.hpp>

#include <gtest/gtest.h>

#include <string>

namespace pipeline { namespace {

class ConditionTest : public testing::Test {
 protected:
  static bool holds(const std::string& text, const tenon::Record& record) {
    tenon::tools::Diagnostics diagnostics;
    const auto condition = Condition::read(text, {"file", 1, 1}, diagnostics);
    EXPECT_TRUE(condition) << text;
    tenon::Call call;
    const auto raw = tenon::Value<tenon::Record>::raw<tenon::Copy::deep>(call.raw(), record);
    return condition && condition->holds(tenon::RecordView(raw));
  }
  static bool holds(const std::string& text, const std::string& payload) {
    tenon::Record record;
    record.payload.after = tenon::to_bytes(payload);
    return holds(text, record);
  }
  /// Returns "FOUND; NEEDED" of a wrong condition.
  static std::string problem(const std::string& text) {
    tenon::tools::Diagnostics diagnostics;
    EXPECT_FALSE(Condition::read(text, {"file", 1, 1}, diagnostics)) << text;
    if (diagnostics.all().size() != 1) return "no problem";
    return diagnostics.all()[0].found + "; " + diagnostics.all()[0].needed;
  }
};

TEST_F(ConditionTest, ComparesFieldsOfAnyDepth) {
  const std::string payload = R"({"a":{"b":[1,{"c/d":"x y"}]},"n":9007199254740993,"t":true})";
  EXPECT_TRUE(holds(R"(/a/b/1/c~1d == "x y")", payload));
  EXPECT_FALSE(holds(R"(/a/b/1/c~1d == "x")", payload));
  EXPECT_TRUE(holds("/a/b/0 == 1.0", payload));
  EXPECT_FALSE(holds("/n == 9007199254740992", payload));
  EXPECT_TRUE(holds("/n > 9007199254740992", payload));
  EXPECT_TRUE(holds("/n > -1", payload));
  EXPECT_TRUE(holds("/t == true", payload));
  EXPECT_TRUE(holds("/a/b", payload));
  EXPECT_FALSE(holds("not /a/b", payload));
  EXPECT_TRUE(holds("not /a/x", payload));
}

TEST_F(ConditionTest, TreatsOtherTypesAndAbsentFieldsAsUnequal) {
  const std::string payload = R"({"a":"1","z":null})";
  EXPECT_FALSE(holds("/a == 1", payload));
  EXPECT_TRUE(holds("/a != 1", payload));
  EXPECT_FALSE(holds("/a <= 1", payload));
  EXPECT_FALSE(holds("/x == null", payload));
  EXPECT_TRUE(holds("/z == null", payload));
  EXPECT_TRUE(holds("/x != null", payload));
  EXPECT_FALSE(holds("/x < 1", payload));
  EXPECT_FALSE(holds("/a", "no JSON"));
}

TEST_F(ConditionTest, HasAlternatives) {
  const std::string text = "/a == 1 and /b == 2 or /c == x";
  EXPECT_TRUE(holds(text, R"({"a":1,"b":2})"));
  EXPECT_FALSE(holds(text, R"({"a":1,"b":3})"));
  EXPECT_TRUE(holds(text, R"({"a":1,"c":"x"})"));
}

TEST_F(ConditionTest, ComparesOtherPartsOfARecord) {
  tenon::Record record;
  record.operation = tenon::Record::Operation::Delete;
  record.key = tenon::to_bytes("10");
  record.metadata = {{"opencdc.collection", "orders"}};
  record.payload.before = tenon::to_bytes(R"({"a":1})");
  EXPECT_TRUE(holds("operation == delete", record));
  EXPECT_TRUE(holds("key > 9", record));
  EXPECT_TRUE(holds("key == \"10\"", record));
  EXPECT_TRUE(holds("metadata.opencdc.collection == orders", record));
  EXPECT_TRUE(holds("not metadata.x", record));
  EXPECT_TRUE(holds("/a == 1", record));
}

TEST_F(ConditionTest, ReportsTheWrongPart) {
  const std::string operand =
      "the path of a field such as /address/city, operation, key or metadata.NAME";
  const std::string value = "a JSON string, a number, true, false, null, or a word";
  const std::string comparator = "==, !=, <, <=, >, >=, 'and', 'or' or the end";
  EXPECT_EQ(problem("payload == 1"), "payload == 1; " + operand);
  EXPECT_EQ(problem("/a == 1 and"), "the end of the condition; " + operand);
  EXPECT_EQ(problem("/a~2"), "/a~2; " + operand);
  EXPECT_EQ(problem("/a = 1"), "= 1; " + comparator);
  EXPECT_EQ(problem("/a == "), "the end of the condition; " + value);
  EXPECT_EQ(problem("/a == \"x"), "\"x; " + value);
  EXPECT_EQ(problem("/a == {}"), "{}; " + value);
  EXPECT_EQ(problem("/a == 1 2"), "2; 'and', 'or' or the end");
}

}}  // namespace pipeline
