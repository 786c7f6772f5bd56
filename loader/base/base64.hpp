// SPDX-License-Identifier: BSL-1.0
//
// Base64 (RFC 4648, with padding), strict: bytes have one text, and nothing else is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tenon::json::detail {

/// How many characters `size` bytes become.
constexpr std::size_t base64_size(std::size_t size) noexcept {
  return (size + 2) / 3 * 4;
}
/// Writes base64_size(size) characters.
void to_base64(const std::uint8_t* bytes, std::size_t size, char* out) noexcept;

/// How many bytes the text is, if its length is one of base64.
std::optional<std::size_t> bytes_of_base64(std::string_view text) noexcept;
/// Writes that many bytes. Answers whether the text is base64.
bool from_base64(std::string_view text, std::uint8_t* out) noexcept;

}  // namespace tenon::json::detail
