// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tenon { inline namespace v0_1 {

using SipKey = std::array<std::uint64_t, 2>;

/// Returns the SipHash of a text, with `update` rounds for each 8 bytes and `end` rounds at the
/// end. Whoever does not know the key cannot choose texts that collide. Inline, since names are
/// short: a call of libsodium, which offers only SipHash-2-4, takes three times as long.
template <int update, int end>
std::uint64_t sip_hash(const SipKey& key, std::string_view text) noexcept {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t a = key[0] ^ 0x736f6d6570736575;
  std::uint64_t b = key[1] ^ 0x646f72616e646f6d;
  std::uint64_t c = key[0] ^ 0x6c7967656e657261;
  std::uint64_t d = key[1] ^ 0x7465646279746573;
  const auto mix = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      a += b;
      c += d;
      b = std::rotl(b, 13) ^ a;
      d = std::rotl(d, 16) ^ c;
      a = std::rotl(a, 32) + d;
      c += b;
      d = std::rotl(d, 21) ^ a;
      b = std::rotl(b, 17) ^ c;
      c = std::rotl(c, 32);
    }
  };
  const auto take = [&](std::uint64_t word) {
    d ^= word;
    mix(update);
    a ^= word;
  };
  const std::size_t rest = text.size() % 8;
  const char* at = text.data();
  std::uint64_t word = 0;
  for (const char* const whole = at + text.size() - rest; at != whole; at += 8) {
    std::memcpy(&word, at, 8);
    take(word);
  }
  word = 0;
  if (rest > 0 && text.size() > 8) {
    std::memcpy(&word, at + rest - 8, 8);  // the last 8 bytes
    word >>= 8 * (8 - rest);
  } else if (rest > 0) {
    std::memcpy(&word, at, rest);
  }
  take(std::uint64_t{text.size()} << 56 | word);
  c ^= 0xff;
  mix(end);
  return a ^ b ^ c ^ d;
}

}}  // namespace tenon::v0_1
