// SPDX-License-Identifier: BSL-1.0
#include "package/quote.hpp"

namespace tenon {
namespace {

/// Whether a character may stand in a message; if not, what stands for it is added.
bool is_plain(char c, std::string& result) {
  constexpr char digits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte <= 0x7e) return true;
  result.append("\\x").append({digits[byte >> 4], digits[byte & 0xf]});
  return false;
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 100;
  std::string result = "\"";
  for (const char c : text.substr(0, longest)) {
    if (!is_plain(c, result)) continue;
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + (text.size() > longest ? "\"..." : "\"");
}

std::string harmless(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (is_plain(c, result)) result += c;
  }
  return result;
}

std::string some_of(const std::vector<std::string>& texts, std::size_t most) {
  std::string some;
  for (std::size_t i = 0; i < texts.size() && i < most; i++) {
    some += (i == 0 ? "" : ", ") + texts[i];
  }
  if (texts.size() > most) some += " and " + std::to_string(texts.size() - most) + " more";
  return some;
}

}  // namespace tenon
