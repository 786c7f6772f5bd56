// SPDX-License-Identifier: BSL-1.0
#include "json_members.hpp"

#include <algorithm>
#include <cstddef>

#include "json_text.hpp"

namespace tenon::builtin {
namespace {

constexpr std::string_view blanks = " \t\r\n";

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
}

/// Returns the length of the string at the start of valid JSON, with its quotes.
std::size_t quoted_length(std::string_view text) {
  std::size_t end = 1;
  while (text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return end + 1;
}

/// Returns the length of the value at the start of valid JSON, up to the comma or bracket after it.
std::size_t value_length(std::string_view text) {
  std::size_t levels = 0;
  for (std::size_t at = 0;;) {
    const char c = text[at];
    if (c == '"') {
      at += quoted_length(text.substr(at));
      continue;
    }
    if (levels == 0 && (c == ',' || c == '}' || c == ']')) return at;
    if (c == '{' || c == '[') ++levels;
    if (c == '}' || c == ']') --levels;
    ++at;
  }
}

std::string_view without_trailing_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

}  // namespace

std::string_view JsonMembers::Member::value() const noexcept {
  std::string_view text = rest;
  skip_blanks(text);
  text.remove_prefix(1);  // the colon
  skip_blanks(text);
  return text;
}

bool JsonMembers::read(std::string_view text) {
  members_.clear();
  names_.clear();
  if (!check_json(text).is_object) return false;
  skip_blanks(text);
  for (text.remove_prefix(1);; text.remove_prefix(1)) {
    skip_blanks(text);
    if (text[0] == '}') return true;
    const std::string_view key = text.substr(0, quoted_length(text));
    text.remove_prefix(key.size());
    const std::string_view rest = text.substr(0, value_length(text));
    text.remove_prefix(rest.size());
    members_.push_back({name_of(key), key, without_trailing_blanks(rest)});
    if (text[0] == '}') return true;
  }
}

std::string_view JsonMembers::name_of(std::string_view key) {
  if (key.find('\\') == std::string_view::npos) return key.substr(1, key.size() - 2);
  return names_.emplace_back(text_of_json(key));
}

std::vector<std::string_view> elements_of(std::string_view list) {
  std::vector<std::string_view> elements;
  for (list.remove_prefix(1);; list.remove_prefix(1)) {
    skip_blanks(list);
    if (list[0] == ']') return elements;
    const std::string_view element = list.substr(0, value_length(list));
    list.remove_prefix(element.size());
    elements.push_back(without_trailing_blanks(element));
    if (list[0] == ']') return elements;
  }
}

}  // namespace tenon::builtin
