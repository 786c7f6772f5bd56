// SPDX-License-Identifier: BSL-1.0
//
// The rules of the bag, on test.example/album: version 1 has comes_back (a list of numbers) and
// comes_back_other (a text), version 2 neither, version 3 both, the second as a map.
#include <tenon/document.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tenon::tests {
namespace {

constexpr std::string_view album = "test.example/album";

std::string converted(std::string_view text, std::string_view from, std::string_view to) {
  DocumentConverter converter;
  const auto result = converter.convert(text, {.type = album, .from = from, .to = to});
  return result ? std::string(*result) : "error: " + std::string(result.error().message());
}

TEST(Bag, GivesBackWhatHasTheSameShape) {
  const std::string there = R"({"comes_back":[1,2]})";
  EXPECT_EQ(converted(there, "1", "2"),
            R"({"bag":{"comes_back@1":{"type":"list<int32>","value":[1,2]}}})");
  EXPECT_EQ(converted(there, "1", "3"), there);
  EXPECT_EQ(converted(there, "3", "1"), there);
}

TEST(Bag, DoesNotReadAnotherShape) {
  const std::string bagged = R"({"bag":{"comes_back_other@1":{"type":"string","value":"42"}}})";
  EXPECT_EQ(converted(R"({"comes_back_other":"42"})", "1", "3"), bagged);
  EXPECT_EQ(converted(bagged, "3", "1"), R"({"comes_back_other":"42"})");
}

TEST(Bag, KeepsTextsAndNumbersApart) {
  EXPECT_EQ(converted(R"({"bag":{"comes_back_other@1":{"type":"string","value":42}}})", "2", "1"),
            "error: bag.comes_back_other@1.value: expected text, found number 42");
  EXPECT_EQ(converted(R"({"amount":"042"})", "2", "1"),
            R"({"bag":{"amount@2":{"type":"string","value":"042"}}})");
  EXPECT_EQ(converted(R"({"amount":"42"})", "2", "1"), R"({"count":42})");
}

TEST(Bag, IsPulledOnce) {
  const std::string up =
      converted(R"({"bag":{"comes_back@1":{"type":"list<int32>","value":[7]}}})", "2", "3");
  EXPECT_EQ(up, R"({"comes_back":[7]})");
}

TEST(Bag, PassesOnWhatNobodyKnows) {
  const std::string strange = R"({"bag":{"colour@9":{"type":"rgb","value":[1.50,null]}}})";
  for (const char* to : {"1", "3preview2", "4"}) EXPECT_EQ(converted(strange, "2", to), strange);
}

TEST(Bag, HasNoStaleValue) {
  EXPECT_EQ(converted(R"({"bag":{"comes_back@1":{"type":"list<int32>","value":[7]}}})", "3", "2"),
            "{}");
}

TEST(Bag, OfAStructStaysWithIt) {
  const std::string text = R"({"pages":[{"number":1,"text":"a","tags":["x"]},{"number":2}]})";
  const std::string down = converted(text, "2", "1");
  EXPECT_EQ(down, R"({"pages":[{"number":1,"caption":"a","bag":{"tags@2":{"type":"list<string>",)"
                  R"("value":["x"]}}},{"number":2}]})");
  EXPECT_EQ(converted(down, "1", "2"), text);
}

TEST(Bag, WhatDoesNotFitIsToldWithItsPath) {
  EXPECT_EQ(converted(R"({"pages":[{},{"bag":{"tags@2":{"type":"list<string>","value":[1]}}}]})",
                      "1", "2"),
            "error: pages[1].bag.tags@2.value[0]: expected text, found number 1");
  EXPECT_EQ(converted(R"({"pages":[{"bag":{"tags@2":{"type":"string","value":"x"}}}]})", "1", "2"),
            "error: pages[0].bag.tags@2.type: expected list<string>, found string");
}

TEST(Documents, OfPreviewsGoByTheirNeighbours) {
  const std::string first =
      converted(R"({"trial":[{"number":3}],"moods":["calm"]})", "3preview1", "3preview2");
  EXPECT_EQ(first, R"({"trial":[{"number":3}],"bag":{"moods@3preview1":{"type":"list<feeling>",)"
                   R"("value":["calm"]}}})");
  EXPECT_EQ(converted(first, "3preview2", "4"),
            R"({"moods":["calm"],"bag":{"trial@3preview1":{"type":"list<sheet>",)"
            R"("value":[{"number":3}]}}})");
}

TEST(Documents, AreStoredAtTheNewestReleaseInTheOrderOfNumbers) {
  EXPECT_EQ(find_document_type(album)->hub, "4");
  EXPECT_EQ(find_document_type("test.example/gone")->hub, "2");
  EXPECT_EQ(find_document_type("test.example/sketchy")->hub, "1");
}

TEST(Documents, OfATypeThatIsGoneStayReadable) {
  DocumentConverter converter;
  const auto read =
      converter.convert(R"({"type":"test.example/gone","version":1,"value":{"name":"old"}})", {});
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(*read, R"({"type":"test.example/gone","version":2,"value":{"title":"old"}})");
}

}  // namespace
}  // namespace tenon::tests
