// SPDX-License-Identifier: BSL-1.0
#include "backup/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace backup { namespace {

TEST(Report, ShortensEachTextOfAProblem) {
  std::string text = "x";  // so that the limit is inside a character
  while (text.size() < 5000) text += "\u00e9";
  const std::string kept = text.substr(0, 2047) + "…";
  tenon::tools::Console console("test");
  Report report(console);
  testing::internal::CaptureStderr();
  report.warning(tenon::Error({.code = text,
                               .message = text,
                               .where = text,
                               .found = text,
                               .needed = text,
                               .fix = text,
                               .plugin = text,
                               .method = text}),
                 {.resource = text, .name = "a"});
  testing::internal::GetCapturedStderr();
  ASSERT_EQ(report.problems().size(), 1u);
  const tenon::ProblemV1& problem = report.problems().front();
  EXPECT_EQ(problem.message, kept + ": " + kept + "; found " + kept + "; needed " + kept);
  for (const std::string* each :
       {&problem.code, &problem.item, &problem.plugin, &problem.method, &problem.fix}) {
    EXPECT_EQ(*each, kept);
  }
}

TEST(Report, PrintsTwentyProblemsAndKeepsTenThousand) {
  tenon::tools::Console console("test");
  Report report(console);
  const auto printed_by = [&](int more) {
    testing::internal::CaptureStderr();
    for (int i = 0; i < more; ++i) report.error(tenon::Error({.code = "broken-item"}));
    const std::string text = testing::internal::GetCapturedStderr();
    return std::ranges::count(text, '\n');
  };
  EXPECT_EQ(printed_by(20), 20);
  EXPECT_EQ(printed_by(1), 1) << "that no more are printed";
  EXPECT_EQ(printed_by(9'979), 0);
  EXPECT_EQ(report.problems().size(), 10'000u);
  EXPECT_EQ(printed_by(90'000), 0);
  EXPECT_EQ(report.problems().size(), 10'000u);
  EXPECT_EQ(report.errors(), 100'000u);
}

}}  // namespace backup
