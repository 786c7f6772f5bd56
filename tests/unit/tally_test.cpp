// SPDX-License-Identifier: BSL-1.0
#include "backup/tally.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace backup { namespace {

using namespace std::chrono_literals;

std::string bar(int filled) {
  return "[" + std::string(filled, '#') + std::string(30 - filled, ' ') + "]";
}

TEST(Tally, BeginsAgainForEachBackup) {
  Tally tally;
  EXPECT_EQ(progress_line(tally, 0s), bar(0) + " 0 of 0 items (0/s)");
  tally.begin(20);
  tally.done += 20;
  EXPECT_EQ(progress_line(tally, 5s), bar(30) + " 20 of 20 items (4/s)");
  tally.begin(10);
  EXPECT_EQ(progress_line(tally, 5s), bar(0) + " 0 of 10 items (4/s)");
  tally.done += 4;
  EXPECT_EQ(progress_line(tally, 6s), bar(12) + " 4 of 10 items (4/s)");
}

// A smaller backup may begin while the line is made.
TEST(Tally, ShowsAFullBarIfMoreThanTheTotalIsDone) {
  Tally tally;
  tally.begin(3);
  tally.done += 4;
  EXPECT_EQ(progress_line(tally, 2s), bar(30) + " 4 of 3 items (2/s)");
}

}}  // namespace backup
