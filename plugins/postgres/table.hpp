// SPDX-License-Identifier: BSL-1.0
//
// The table that is read or written.
#pragma once

#include "connection.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tenon::postgres {

using Names = std::vector<std::string>;

/// A table by its name in SQL, with its schema.
struct Table {
  std::string name;
  bool exists = false;
};

/// Returns the table with a name as in SQL: people, sales.people, "My People".
Table find_table(Connection& connection, const Patience& patience, std::string_view name);

/// Returns the columns of the primary key in their order; empty if there is none.
Names primary_key(Connection& connection, const Patience& patience, const Table& table);

/// Returns the names between the commas of a parameter.
Names split(std::string_view list);

/// Returns the names as in SQL with commas between them, each after `prefix`: t."a", t."b"
std::string joined(const Names& names, std::string_view prefix = {});

}  // namespace tenon::postgres
