// SPDX-License-Identifier: BSL-1.0
#include "sqlite_columns.hpp"

#include <tenon/sdk/text.hpp>

#include <algorithm>
#include <utility>

namespace tenon::builtin {
namespace {

/// Returns a name in lower case; changes only ASCII letters, like SQLite.
std::string lower_case(std::string_view name) {
  std::string letters(name);
  std::transform(letters.begin(), letters.end(), letters.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return letters;
}

/// Returns the name without the number in parentheses at its end. Empty if there is no number.
std::string_view without_number(std::string_view name) {
  const std::size_t space = name.rfind(" (");
  if (space == std::string_view::npos || name.back() != ')') return {};
  const std::string_view number = name.substr(space + 2, name.size() - space - 3);
  if (number.empty() || number.find_first_not_of("0123456789") != number.npos) return {};
  return name.substr(0, space);
}

}  // namespace

Columns::Columns(std::string_view key, const std::vector<std::string>& names) : Columns(key) {
  for (const std::string& name : names) add(name, name);
  for (const std::string& name : names) {
    const std::string_view field = without_number(name);
    if (taken_.count(lower_case(field)) == 0 || find(field)) continue;
    auto renamed = numbers_.extract(name);
    renamed.key() = fields_[renamed.mapped()] = field;
    numbers_.insert(std::move(renamed));
  }
}

std::optional<std::size_t> Columns::find(std::string_view field, std::size_t guess) const {
  if (guess < fields_.size() && fields_[guess] == field) return guess;
  const auto found = numbers_.find(field);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

std::string Columns::name_for(std::string_view field) {
  const auto same = taken_.find(lower_case(field));
  if (same == taken_.end()) return std::string(field);
  for (;;) {
    std::string name = sdk::text(field, " (", same->second++, ")");
    if (taken_.count(lower_case(name)) == 0) return name;
  }
}

void Columns::add(std::string_view field, std::string name) {
  reserve(name);
  numbers_.emplace(field, names_.size());
  fields_.emplace_back(field);
  names_.push_back(std::move(name));
}

void Columns::reserve(std::string_view name) {
  taken_.emplace(lower_case(name), 2);
}

}  // namespace tenon::builtin
