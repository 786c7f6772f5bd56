// SPDX-License-Identifier: BSL-1.0
//
// Names of fields, columns and tables.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::builtin {

/// Returns the names of a list that is separated by commas, without blanks around them.
inline std::vector<std::string> split_names(std::string_view list) {
  constexpr std::string_view blanks = " \t";
  std::vector<std::string> names;
  while (!list.empty()) {
    std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), name.size() + 1));
    std::size_t begin = name.find_first_not_of(blanks);
    if (begin == std::string_view::npos) continue;
    names.emplace_back(name.substr(begin, name.find_last_not_of(blanks) + 1 - begin));
  }
  return names;
}

/// Returns a name with its ASCII letters in lower case. SQLite regards such names as equal.
inline std::string lower_case(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return name;
}

}  // namespace tenon::builtin
