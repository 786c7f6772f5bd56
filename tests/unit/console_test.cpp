// SPDX-License-Identifier: BSL-1.0
#include "pipeline/console.hpp"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace pipeline
