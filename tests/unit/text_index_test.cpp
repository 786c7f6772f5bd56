// SPDX-License-Identifier: BSL-1.0
#include "base/text_index.hpp"

#include <gtest/gtest.h>
#include <sodium/crypto_shorthash.h>

#include <array>
#include <cstdint>
#include <cstring>
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

/// libsodium has SipHash-2-4.
TEST(SipHash, IsThatOfLibsodium) {
  std::array<unsigned char, crypto_shorthash_KEYBYTES> bytes;
  crypto_shorthash_keygen(bytes.data());
  SipKey key;
  static_assert(sizeof key == sizeof bytes);
  std::memcpy(key.data(), bytes.data(), sizeof key);
  for (std::string text; text.size() < 40; text += static_cast<char>(0xf0 - text.size())) {
    std::uint64_t expected = 0;
    crypto_shorthash(reinterpret_cast<unsigned char*>(&expected),
                     reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                     bytes.data());
    EXPECT_EQ((sip_hash<2, 4>(key, text)), expected) << text.size();
  }
}

}}  // namespace tenon::tests
