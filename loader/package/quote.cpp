// SPDX-License-Identifier: BSL-1.0
#include "package/quote.hpp"

namespace tenon {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 100;
  constexpr char digits[] = "0123456789abcdef";

  std::string result = "\"";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e) {
      result.append("\\x").append({digits[byte >> 4], digits[byte & 0xf]});
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + (text.size() > longest ? "\"..." : "\"");
}

}  // namespace tenon
