// SPDX-License-Identifier: BSL-1.0
//
// Converters of apps on Windows. ANSWERER is a program that returns each document as it is.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "app_converter.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;
using command::AppConverter;

constexpr const char* album = R"({"type":"test.example/album","version":1,"value":{"count":7}})";

TEST(AppConverters, ReturnTheResultsOfTheirProgram) {
  AppConverter app(ANSWERER, 60s);
  const std::string large(5'000'000, 'a');  // exceeds the buffers of pipes
  for (const std::string& document : {std::string(album), large}) {
    const auto converted = app.convert(document, {});
    ASSERT_TRUE(converted) << converted.error().to_string();
    EXPECT_EQ(*converted, document);
  }
}

struct Useless {
  const char* fault;
  const char* found;
  std::chrono::milliseconds limit = 60s;
};
class FaultyConverter : public testing::TestWithParam<Useless> {};

TEST_P(FaultyConverter, IsReported) {
  set_variable("FAULT", GetParam().fault);
  AppConverter app(ANSWERER, GetParam().limit);
  for (int i = 0; i < 2; ++i) {
    const auto converted = app.convert(album, {});
    ASSERT_FALSE(converted) << *converted;
    EXPECT_EQ(converted.error().code(), "converter-failed");
    EXPECT_EQ(converted.error().found(), GetParam().found);
  }
  set_variable("FAULT", nullptr);
}

INSTANTIATE_TEST_SUITE_P(All, FaultyConverter,
                         testing::Values(Useless{"exit", "it exited with status 7"},
                                         Useless{"crash",
                                                 "it crashed with the exception 0xc0000005"},
                                         Useless{"hang", "no response within 500 ms", 500ms},
                                         Useless{"chat", "its response is not JSON: Hello."}));

TEST(AppConverters, ReportThatTheyCannotBeStarted) {
  const World world;
  AppConverter app(world.write("convert", "no program"), 60s);
  const auto converted = app.convert(album, {});
  ASSERT_FALSE(converted);
  EXPECT_EQ(converted.error().code(), "converter-failed");
  EXPECT_EQ(converted.error().found().find("it cannot be started: "), 0U)
      << converted.error().found();
}

}}  // namespace tenon::tests
