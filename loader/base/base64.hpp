// SPDX-License-Identifier: BSL-1.0
//
// Strict base64 (RFC 4648, with padding): only the canonical text of some bytes is accepted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace json { namespace detail {

/// Returns the number of characters that `size` bytes are encoded in.
constexpr std::size_t base64_encoded_size(std::size_t size) noexcept {
  return (size + 2) / 3 * 4;
}
/// Encodes `size` bytes. Writes base64_encoded_size(size) characters to `out`.
void to_base64(const std::uint8_t* bytes, std::size_t size, char* out) noexcept;

/// Returns the number of bytes that the text decodes to; nothing if its length is not that of
/// base64.
std::optional<std::size_t> base64_decoded_size(std::string_view text) noexcept;
/// Decodes the text. Writes base64_decoded_size(text) bytes to `out`, and returns false if the text
/// is not valid base64. REQUIRED: the text has a decoded size.
bool from_base64(std::string_view text, std::uint8_t* out) noexcept;
/// Returns the bytes that the text decodes to; nothing if it is not valid base64.
std::optional<std::vector<std::uint8_t>> decoded_base64(std::string_view text);

}}}}  // namespace tenon::v0_1::json::detail
