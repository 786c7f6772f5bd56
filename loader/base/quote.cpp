// SPDX-License-Identifier: BSL-1.0
#include "base/quote.hpp"

#include <algorithm>

namespace tenon { inline namespace v0_1 {

std::string in_quotes(std::string_view text) {
  std::size_t size = std::min<std::size_t>(text.size(), 100);
  // Do not cut a character in two.
  while (size < text.size() && size > 0 && (text[size] & 0xc0) == 0x80) --size;
  std::string escaped;
  for (const char c : text.substr(0, size)) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return '"' + escaped_for_display(escaped) + (text.size() > size ? "\"..." : "\"");
}

std::string first_of(std::span<const std::string> first, std::size_t count) {
  std::string some;
  for (const std::string& text : first) some.append(some.empty() ? "" : ", ").append(text);
  const std::size_t more = count - first.size();
  return more > 0 ? some + " and " + std::to_string(more) + " more" : some;
}

std::string some_of(const std::vector<std::string>& texts, std::size_t most) {
  return first_of(std::span(texts).first(std::min(most, texts.size())), texts.size());
}

}}  // namespace tenon::v0_1
