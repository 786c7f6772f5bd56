// SPDX-License-Identifier: BSL-1.0
//
// Which column of a table holds which field. SQLite ignores the case of names, and records do not:
// the column of a field gets a number if its name is taken. After "Name", the field "name" is the
// column "name (2)".
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::builtin {

/// The columns of a table but the one of the key, each with its field.
class Columns {
 public:
  /// Of a table that has the column of the key alone.
  explicit Columns(std::string_view key) { take(key); }
  /// Of a table that has these columns too, in this order.
  Columns(std::string_view key, const std::vector<std::string>& names);

  /// Returns the number of the column that holds a field, from 0. A right guess is quick.
  std::optional<std::size_t> find(std::string_view field, std::size_t guess = 0) const;
  /// Returns a name that is free, for the column of a field that has none.
  std::string name_for(std::string_view field);
  /// Adds a column after the others.
  void add(std::string_view field, std::string name);

  const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  void take(std::string_view name);

  std::vector<std::string> names_;
  std::vector<std::string> fields_;
  std::map<std::string, std::size_t, std::less<>> numbers_;  // by field
  std::map<std::string, int> taken_;  // names in small letters, each with the next number to try
};

}  // namespace tenon::builtin
