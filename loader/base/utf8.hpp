// SPDX-License-Identifier: BSL-1.0
//
// Validates UTF-8 (RFC 3629).
#pragma once

#include <cstddef>
#include <string_view>

namespace tenon { inline namespace v0_1 { namespace json { namespace detail {

/// Returns the number of bytes of the first character; 0 if the text does not begin with valid
/// UTF-8. REQUIRED: the text is not empty.
inline std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool too_large = first == 0xf4 && second >= 0x90;
  return too_long || surrogate || too_large ? 0 : length;
}

}}}}  // namespace tenon::v0_1::json::detail
