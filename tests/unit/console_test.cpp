// SPDX-License-Identifier: BSL-1.0
#include "common/console.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tenon::tools {
namespace {

std::string said(std::string_view message) {
  Console console("tenon-pipeline");
  testing::internal::CaptureStderr();
  console.say(message);
  return testing::internal::GetCapturedStderr();
}

TEST(Console, KeepsTheLinesOfAMessage) {
  EXPECT_EQ(said("error[x] file\n   found   nothing"),
            "tenon-pipeline: error[x] file\n   found   nothing\n");
}

TEST(Console, EscapesControlCharactersInMessages) {
  EXPECT_EQ(said("a\x1b[2Jb\rc\xff\ntenon-pipeline: forged"),
            "tenon-pipeline: a\\x1b[2Jb\\x0dc\\xff\n   tenon-pipeline: forged\n");
}

TEST(Console, PrintsMessagesAboveTheProgress) {
  Console console("tenon-pipeline");
  const auto printed = [](auto&& body) {
    testing::internal::CaptureStderr();
    body();
    return testing::internal::GetCapturedStderr();
  };
  const std::string line = "\rrecords: 10\x1b[K";
  EXPECT_EQ(printed([&] { console.show("records: 10"); }), line);
  EXPECT_EQ(printed([&] { console.say("hello"); }), "\r\x1b[Ktenon-pipeline: hello\n" + line);
  EXPECT_EQ(printed([&] { console.clear(); }), "\r\x1b[K");
  EXPECT_EQ(printed([&] { console.clear(); }), "");
  EXPECT_EQ(printed([&] { console.say("hello"); }), "tenon-pipeline: hello\n");
}

}  // namespace
}  // namespace tenon::tools
