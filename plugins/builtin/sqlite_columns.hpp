// SPDX-License-Identifier: BSL-1.0
//
// Maps fields to columns of a table. SQLite ignores the case of names, but fields of records differ
// by case: the column of a field gets a number if its name is taken. After "Name", the field "name"
// is the column "name (2)".
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::builtin {

/// The columns of a table except that of the key, each with its field.
class Columns {
 public:
  /// Creates the columns of a table with only the column of the key.
  explicit Columns(std::string_view key) { reserve(key); }
  /// Creates the columns of a table that also has these columns, in this order.
  Columns(std::string_view key, const std::vector<std::string>& names);

  /// Returns the number of the column of a field, from 0. A correct guess avoids the search.
  std::optional<std::size_t> find(std::string_view field, std::size_t guess = 0) const;
  /// Returns an unused name for the column of a new field.
  std::string name_for(std::string_view field);
  /// Adds a column after the others.
  void add(std::string_view field, std::string name);

  const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  void reserve(std::string_view name);

  std::vector<std::string> names_;
  std::vector<std::string> fields_;
  std::map<std::string, std::size_t, std::less<>> numbers_;  // by field
  std::map<std::string, int> taken_;  // names in lower case, each with the next number to try
};

}  // namespace tenon::builtin
