// SPDX-License-Identifier: BSL-1.0
#include "base/text_index.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace tenon::tests { namespace {

TEST(TextIndex, IsEmptyAtFirst) {
  const TextIndex index;
  EXPECT_EQ(index.find("me.example/blur"), TextIndex::npos);
  EXPECT_EQ(index.find(""), TextIndex::npos);
}

TEST(TextIndex, KeepsTheFirstNumberOfAText) {
  TextIndex index;
  EXPECT_EQ(index.add("blur", 3), 3u);
  EXPECT_EQ(index.add("", 0), 0u);
  EXPECT_EQ(index.add("blur", 4), 3u);
  EXPECT_EQ(index.find("blur"), 3u);
  EXPECT_EQ(index.find(""), 0u);
  EXPECT_EQ(index.find("blu"), TextIndex::npos);
}

/// The texts are short and have few letters, so that many are equal or share a prefix or suffix.
/// Some are longer than the keys of the hash.
TEST(TextIndex, FindsTheSameAsAMap) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto text = [&random] {
    std::string made(random() % 50 == 0 ? 500 + random() % 600 : random() % 20, 'a');
    for (char& letter : made) letter = random() % 4 == 0 ? 'b' : 'a';
    if (random() % 8 == 0) made += std::string("\0x", 2);
    return made;
  };
  std::vector<std::string> texts;
  for (int i = 0; i < 4000; ++i) texts.push_back(text());
  TextIndex index;
  std::unordered_map<std::string, std::uint32_t> map;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    EXPECT_EQ(index.add(texts[i], i), map.emplace(texts[i], i).first->second);
  }
  for (const std::string& one : texts) {
    const auto known = map.find(one);
    EXPECT_EQ(index.find(one), known != map.end() ? known->second : TextIndex::npos) << one;
  }
}

}}  // namespace tenon::tests
