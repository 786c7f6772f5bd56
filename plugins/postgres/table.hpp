// SPDX-License-Identifier: BSL-1.0
//
// The table that is read or written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "connection.hpp"

namespace tenon::postgres {

using Names = std::vector<std::string>;

/// A table. `name` is the quoted name with its schema. `id` stays the same if it is renamed; it is
/// empty if the table did not exist when it was looked for.
struct Table {
  std::string name;
  bool exists = false;
  std::string id;
  std::string relation{};  // the name without the schema and quotes
};

/// A table, and the columns that identify its rows.
struct KeyedTable {
  Table table;
  Names key;
};
using KeyedTables = std::vector<KeyedTable>;

/// Finds a table by its name in SQL: people, sales.people, "My People".
Table find_table(Connection& connection, const WaitLimits& limits, std::string_view name);

/// Returns the tables that `name` may have meant before they were removed: without a schema, one in
/// each schema of the search path.
std::vector<Table> removed_tables(Connection& connection, const WaitLimits& limits,
                                  std::string_view name);

/// Returns the columns of the primary key in their order; empty if there is none.
Names primary_key(Connection& connection, const WaitLimits& limits, const Table& table);

/// A column of a table.
struct Column {
  std::string name;
  std::string type;           // the SQL type; of a domain its base type
  bool has_default = false;   // also the values of an identity column
  bool is_generated = false;  // always computed from other columns
  bool is_fixed = false;      // GENERATED ALWAYS AS IDENTITY, which UPDATE refuses
};

using Columns = std::vector<Column>;

/// Returns the columns of a table in their order.
Columns columns_of(Connection& connection, const WaitLimits& limits, const Table& table);

/// Returns definitions of the columns that are in `names`: "id" integer, "name" text
std::string definitions(const Columns& columns, const Names& names);

/// Returns a subquery for the `id` and `modifier` of a type; of a domain those of its base type. A
/// domain may refuse null, which a value is before it is known.
std::string base_type_sql(std::string_view id, std::string_view modifier);

/// Returns the names of a comma-separated list.
Names split(std::string_view list);
/// The same for names of tables in SQL, whose quoted parts may contain commas.
Names split_tables(std::string_view list);

/// Returns a comma-separated list of quoted names, each with `prefix`: t."a", t."b"
std::string joined(const Names& names, std::string_view prefix = {});

}  // namespace tenon::postgres
