// SPDX-License-Identifier: BSL-1.0
//
// Similar words and enumerations in the errors of commands.
#include "common/diagnostics.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tenon::tests { namespace {

std::vector<std::string> words(std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 1; i <= count; ++i) all.push_back("word" + std::to_string(i));
  return all;
}

TEST(SimilarWords, AreSearchedAmongAThousand) {
  EXPECT_EQ(tools::did_you_mean("wrod1000", words(1'000)), "did you mean 'word1000'?");
  EXPECT_EQ(tools::did_you_mean("wrod1000", words(1'001)), "");
  EXPECT_EQ(tools::did_you_mean("wrod1000", words(10'000), "correct it"), "correct it");
}

TEST(Enumerations, ShowSixtyWords) {
  EXPECT_EQ(tools::enumerate({}), "");
  EXPECT_EQ(tools::enumerate(words(1)), "'word1'");
  EXPECT_EQ(tools::enumerate(words(3)), "'word1', 'word2' and 'word3'");
  EXPECT_TRUE(tools::enumerate(words(60)).ends_with("'word59' and 'word60'"));
  EXPECT_TRUE(tools::enumerate(words(61)).ends_with("'word59', 'word60' and 1 more"));
  EXPECT_TRUE(tools::enumerate(words(600)).ends_with("'word60' and 540 more"));
}

}}  // namespace tenon::tests
