// SPDX-License-Identifier: BSL-1.0
#include "base/text_index.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <set>
#include <string>

#include "base/sip_hash.hpp"

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

/// The key 00 01 ... 0f, and texts 00 01 ... of each size.
TEST(SipHash, HasTheHashesOfOtherImplementations) {
  const SipKey key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  std::uint64_t all = 0;
  std::string text;
  for (char c = 0; c < 64; text += c++) {
    const std::uint64_t hash = sip_hash<2, 4>(key, text);
    if (text.size() == 15) {
      EXPECT_EQ(hash, 0xa129ca6149be45e5) << "that of the paper by Aumasson and Bernstein";
    }
    all = std::rotl(all, 1) ^ hash;
  }
  EXPECT_EQ(all, 0x352de3881954be0a) << "as with libsodium";
}

}}  // namespace tenon::tests
