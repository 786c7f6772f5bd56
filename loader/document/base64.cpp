// SPDX-License-Identifier: BSL-1.0
#include "document/base64.hpp"

#include <array>

namespace tenon::json::detail {
namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What each character means; has `no_digit` set where it is none.
constexpr std::uint32_t no_digit = 1u << 31;
constexpr std::array<std::uint32_t, 256> meanings = [] {
  std::array<std::uint32_t, 256> all{};
  all.fill(no_digit);
  for (std::uint32_t i = 0; i < digits.size(); i++) all[static_cast<unsigned char>(digits[i])] = i;
  return all;
}();

std::uint32_t meaning(char c) noexcept {
  return meanings[static_cast<unsigned char>(c)];
}

std::size_t padding_of(std::string_view text) noexcept {
  if (text.size() < 4 || text.back() != '=') return 0;
  return text[text.size() - 2] == '=' ? 2 : 1;
}

}  // namespace

void to_base64(const std::uint8_t* bytes, std::size_t size, char* out) noexcept {
  const auto put = [&out](std::uint32_t bits, int count) {
    for (int i = 0; i < 4; i++) *out++ = i < count ? digits[bits >> (18 - 6 * i) & 0x3f] : '=';
  };
  for (; size >= 3; bytes += 3, size -= 3) {
    put(std::uint32_t{bytes[0]} << 16 | std::uint32_t{bytes[1]} << 8 | bytes[2], 4);
  }
  if (size == 2) put(std::uint32_t{bytes[0]} << 16 | std::uint32_t{bytes[1]} << 8, 3);
  if (size == 1) put(std::uint32_t{bytes[0]} << 16, 2);
}

std::optional<std::size_t> bytes_of_base64(std::string_view text) noexcept {
  if (text.size() % 4 != 0) return std::nullopt;
  return text.size() / 4 * 3 - padding_of(text);
}

bool from_base64(std::string_view text, std::uint8_t* out) noexcept {
  const std::size_t padding = padding_of(text);
  const char* at = text.data();
  const char* const end = at + text.size() - (padding != 0 ? 4 : 0);
  std::uint32_t all = 0;
  for (; at != end; at += 4, out += 3) {
    const std::uint32_t bits =
        meaning(at[0]) << 18 | meaning(at[1]) << 12 | meaning(at[2]) << 6 | meaning(at[3]);
    all |= meaning(at[0]) | meaning(at[1]) | meaning(at[2]) | meaning(at[3]);
    out[0] = static_cast<std::uint8_t>(bits >> 16);
    out[1] = static_cast<std::uint8_t>(bits >> 8);
    out[2] = static_cast<std::uint8_t>(bits);
  }
  if (padding == 0) return (all & no_digit) == 0;

  const std::uint32_t third = padding == 1 ? meaning(at[2]) : 0;
  all |= meaning(at[0]) | meaning(at[1]) | third;
  const std::uint32_t bits = meaning(at[0]) << 18 | meaning(at[1]) << 12 | third << 6;
  out[0] = static_cast<std::uint8_t>(bits >> 16);
  if (padding == 1) out[1] = static_cast<std::uint8_t>(bits >> 8);
  const bool nothing_left = (bits & (padding == 1 ? 0xffu : 0xffffu)) == 0;
  return (all & no_digit) == 0 && nothing_left;
}

}  // namespace tenon::json::detail
