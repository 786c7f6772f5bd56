// SPDX-License-Identifier: BSL-1.0
#include "base/text_index.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tenon::tests { namespace {

TEST(TextIndex, KeepsTheFirstNumberOfAText) {
  TextIndex index;
  EXPECT_EQ(number_of(index, "blur"), nullptr);
  EXPECT_TRUE(index.emplace("blur", 3).second);
  EXPECT_TRUE(index.emplace("", 0).second);
  EXPECT_FALSE(index.emplace("blur", 4).second);
  EXPECT_EQ(*number_of(index, "blur"), 3u);
  EXPECT_EQ(*number_of(index, ""), 0u);
  EXPECT_EQ(number_of(index, "blu"), nullptr);
}

/// Each byte counts, so that texts with long equal parts have different hashes.
TEST(TextHash, DependsOnAllOfTheText) {
  std::set<std::size_t> hashes;
  const std::string text(600, 'a');
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = 'b';
    hashes.insert(TextHash()(other));
    hashes.insert(TextHash()(text.substr(at)));
  }
  EXPECT_EQ(hashes.size(), 2 * text.size());
}

}}  // namespace tenon::tests
