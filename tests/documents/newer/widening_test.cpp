// SPDX-License-Identifier: BSL-1.0
//
// Fields of test.example/gauge whose types are widened in newer versions.
#include <tenon/document.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace tenon::tests { namespace {

std::string converted(std::string_view text, std::string_view from, std::string_view to) {
  DocumentConverter converter;
  const auto result =
      converter.convert(text, {.type = "test.example/gauge", .from = from, .to = to});
  return result ? std::string(*result) : "error: " + std::string(result.error().message());
}

TEST(Widening, KeepsValuesThatFit) {
  const std::string text = R"({"count":-5,"small":200,"real":0.1,"tone":"dark","counts":[1,2],)"
                           R"("by_name":{"a":-1},"reals":[0.5,"NaN",-0.0,3.4028235e+38]})";
  EXPECT_EQ(converted(text, "1", "2"), text);
  EXPECT_EQ(converted(text, "2", "1"), text);
}

TEST(Widening, KeepsValuesOutOfRangeInTheBag) {
  const std::string newer = R"({"count":5000000000,"small":-1,"real":0.123456789012,)"
                            R"("counts":[1,5000000000],"reals":[1e+300]})";
  const std::string older = R"({"bag":{"count@2":{"type":"int64","value":5000000000},)"
                            R"("counts@2":{"type":"list<int64>","value":[1,5000000000]},)"
                            R"("real@2":{"type":"float64","value":0.123456789012},)"
                            R"("reals@2":{"type":"list<float64>","value":[1e+300]},)"
                            R"("small@2":{"type":"int16","value":-1}}})";
  EXPECT_EQ(converted(newer, "2", "1"), older);
  EXPECT_EQ(converted(older, "1", "2"), newer);
}

TEST(Widening, PrefersAValueSetInTheOlderVersion) {
  EXPECT_EQ(
      converted(R"({"count":7,"bag":{"count@2":{"type":"int64","value":5000000000}}})", "1", "2"),
      R"({"count":7})");
}

TEST(Widening, ConvertsAValueToAList) {
  const std::string older = R"({"tags":"a","note":"b","mark":{"weight":1,"tone":"dark"}})";
  const std::string newer = R"({"tags":["a"],"notes":["b"],"marks":[{"weight":1,"tone":"dark"}]})";
  EXPECT_EQ(converted(older, "1", "2"), newer);
  EXPECT_EQ(converted(newer, "2", "1"), older);
  EXPECT_EQ(converted(R"({"author":{"name":"x"}})", "1", "3"), R"({"author":[{"full_name":"x"}]})");
}

TEST(Widening, KeepsListsOfOtherLengthsInTheBag) {
  const std::string newer = R"({"tags":[],"notes":["b","c"]})";
  const std::string older = R"({"bag":{"notes@2":{"type":"list<string>","value":["b","c"]},)"
                            R"("tags@2":{"type":"list<string>","value":[]}}})";
  EXPECT_EQ(converted(newer, "2", "1"), older);
  EXPECT_EQ(converted(older, "1", "2"), newer);
}

TEST(Widening, CrossesSeveralVersions) {
  const std::string newest = R"({"total":5000000000,"small":-40000,"tone":["a","b"]})";
  const std::string oldest = R"({"bag":{"count@2":{"type":"int64","value":5000000000},)"
                             R"("small@3":{"type":"int32","value":-40000},)"
                             R"("tone@3":{"type":"list<string>","value":["a","b"]}}})";
  EXPECT_EQ(converted(newest, "3", "1"), oldest);
  EXPECT_EQ(converted(oldest, "1", "3"), newest);
}

TEST(Widening, IsListedInTheChanges) {
  const DocumentType& type = *find_document_type("test.example/gauge");
  const auto& changes = type.steps[0].changes;
  EXPECT_NE(std::find(changes.begin(), changes.end(), "changes count from int32 to int64"),
            changes.end());
  EXPECT_NE(std::find(changes.begin(), changes.end(), "renames note to notes"), changes.end());
}

}}  // namespace tenon::tests
