// SPDX-License-Identifier: BSL-1.0
#include "pipeline/console.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

namespace pipeline {
namespace {

std::string said(std::string_view message) {
  Console console;
  testing::internal::CaptureStderr();
  console.say(message);
  return testing::internal::GetCapturedStderr();
}

TEST(Console, KeepsTheLinesOfAMessage) {
  EXPECT_EQ(said("error[x] file\n   found   nothing"),
            "tenon-pipeline: error[x] file\n   found   nothing\n");
}

TEST(Console, PrintsNothingThatForgesAMessageOrMovesTheCursor) {
  EXPECT_EQ(said("a\x1b[2Jb\rc\xff\ntenon-pipeline: forged"),
            "tenon-pipeline: a\\x1b[2Jb\\x0dc\\xff\n   tenon-pipeline: forged\n");
}

TEST(Console, KeepsTheProgressBelowItsMessages) {
  Console console;
  const auto printed = [](auto&& body) {
    testing::internal::CaptureStderr();
    body();
    return testing::internal::GetCapturedStderr();
  };
  const std::string line = "\rrecords: read 10, written 5, acknowledged 3 (5/s)\x1b[K";
  const Counts counts{.read = 10, .written = 5, .acknowledged = 3};
  EXPECT_EQ(printed([&] { console.show(counts, std::chrono::seconds(2)); }), line);
  EXPECT_EQ(printed([&] { console.say("hello"); }), "\r\x1b[Ktenon-pipeline: hello\n" + line);
  EXPECT_EQ(printed([&] { console.clear(); }), "\r\x1b[K");
  EXPECT_EQ(printed([&] { console.clear(); }), "");
  EXPECT_EQ(printed([&] { console.say("hello"); }), "tenon-pipeline: hello\n");
  EXPECT_EQ(printed([&] { console.show({}, std::chrono::seconds(0)); }),
            "\rrecords: read 0, written 0, acknowledged 0 (0/s)\x1b[K");
}

}  // namespace
}  // namespace pipeline
