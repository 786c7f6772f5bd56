// SPDX-License-Identifier: BSL-1.0
#include "base/base64.hpp"

#include <array>
#include <cstring>

namespace tenon { inline namespace v0_1 { namespace json { namespace detail {
namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The two characters that encode each value of twelve bits.
constexpr std::array<std::array<char, 2>, 4096> pairs = [] {
  std::array<std::array<char, 2>, 4096> all{};
  for (std::size_t bits = 0; bits < all.size(); ++bits) {
    all[bits] = {digits[bits >> 6], digits[bits & 0x3f]};
  }
  return all;
}();

/// The value of each character at each of the four positions; `no_digit` if it is not a digit.
constexpr std::uint32_t no_digit = 1u << 31;
constexpr std::array<std::array<std::uint32_t, 256>, 4> meanings = [] {
  std::array<std::array<std::uint32_t, 256>, 4> all{};
  for (std::uint32_t place = 0; place < all.size(); ++place) {
    all[place].fill(no_digit);
    for (std::uint32_t i = 0; i < digits.size(); ++i) {
      all[place][static_cast<unsigned char>(digits[i])] = i << (18 - 6 * place);
    }
  }
  return all;
}();

template <std::size_t place>
std::uint32_t meaning(const char* four) noexcept {
  return meanings[place][static_cast<unsigned char>(four[place])];
}

std::size_t padding_of(std::string_view text) noexcept {
  if (text.size() < 4 || text.back() != '=') return 0;
  return text[text.size() - 2] == '=' ? 2 : 1;
}

}  // namespace

void to_base64(const std::uint8_t* bytes, std::size_t size, char* out) noexcept {
  const auto put = [&out](std::uint32_t bits) {
    std::memcpy(out, pairs[bits >> 12].data(), 2);
    std::memcpy(out + 2, pairs[bits & 0xfff].data(), 2);
    out += 4;
  };
  for (; size >= 3; bytes += 3, size -= 3) {
    put(std::uint32_t{bytes[0]} << 16 | std::uint32_t{bytes[1]} << 8 | bytes[2]);
  }
  if (size == 0) return;
  put(std::uint32_t{bytes[0]} << 16 | (size == 2 ? std::uint32_t{bytes[1]} << 8 : 0));
  out[-1] = '=';
  if (size == 1) out[-2] = '=';
}

std::optional<std::size_t> base64_decoded_size(std::string_view text) noexcept {
  if (text.size() % 4 != 0) return std::nullopt;
  return text.size() / 4 * 3 - padding_of(text);
}

bool from_base64(std::string_view text, std::uint8_t* out) noexcept {
  const std::size_t padding = padding_of(text);
  const char* at = text.data();
  const char* const end = at + text.size() - (padding != 0 ? 4 : 0);
  std::uint32_t all = 0;
  for (; at != end; at += 4, out += 3) {
    const std::uint32_t bits = meaning<0>(at) | meaning<1>(at) | meaning<2>(at) | meaning<3>(at);
    all |= bits;
    out[0] = static_cast<std::uint8_t>(bits >> 16);
    out[1] = static_cast<std::uint8_t>(bits >> 8);
    out[2] = static_cast<std::uint8_t>(bits);
  }
  if (padding != 0) {
    const std::uint32_t bits =
        meaning<0>(at) | meaning<1>(at) | (padding == 1 ? meaning<2>(at) : 0);
    const bool nothing_left = (bits & (padding == 1 ? 0xffu : 0xffffu)) == 0;
    all |= nothing_left ? bits : no_digit;
    out[0] = static_cast<std::uint8_t>(bits >> 16);
    if (padding == 1) out[1] = static_cast<std::uint8_t>(bits >> 8);
  }
  return (all & no_digit) == 0;
}

std::optional<std::vector<std::uint8_t>> decoded_base64(std::string_view text) {
  const auto size = base64_decoded_size(text);
  if (!size) return std::nullopt;
  std::vector<std::uint8_t> bytes(*size);
  if (!from_base64(text, bytes.data())) return std::nullopt;
  return bytes;
}

}}}}  // namespace tenon::v0_1::json::detail
