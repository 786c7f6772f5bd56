// SPDX-License-Identifier: BSL-1.0
#include "package/quote.hpp"

#include <algorithm>

namespace tenon {

std::string in_quotes(std::string_view text) {
  std::size_t size = std::min<std::size_t>(text.size(), 100);
  // No character is cut in two.
  while (size < text.size() && size > 0 && (text[size] & 0xc0) == 0x80) size--;
  std::string escaped;
  for (const char c : text.substr(0, size)) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return '"' + harmless(escaped) + (text.size() > size ? "\"..." : "\"");
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
