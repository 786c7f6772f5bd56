// SPDX-License-Identifier: BSL-1.0
#include "table.hpp"

#include <algorithm>

namespace tenon::postgres {
namespace {

/// Returns the names of a list. `find_end` returns the place of the comma after the first name.
template <class FindEnd>
Names split(std::string_view list, FindEnd find_end) {
  constexpr std::string_view blanks = " \t";
  Names names;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, find_end(list));
    list.remove_prefix(std::min(list.size(), name.size() + 1));
    const std::size_t begin = name.find_first_not_of(blanks);
    if (begin == std::string_view::npos) continue;
    names.emplace_back(name.substr(begin, name.find_last_not_of(blanks) + 1 - begin));
  }
  return names;
}

}  // namespace

Table find_table(Connection& connection, const WaitLimits& limits, std::string_view name) {
  const std::string action = sdk::text("cannot find table ", name);
  const Rows found = connection.run(
      limits, action,
      "SELECT coalesce((SELECT format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c "
      "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass($1)), "
      "CASE cardinality(parts) WHEN 1 THEN format('%I.%I', coalesce(current_schema(), 'public'), "
      "parts[1]) ELSE format('%I.%I', parts[1], parts[2]) END), to_regclass($1) IS NOT NULL, "
      "to_regclass($1)::oid, parts[cardinality(parts)] FROM parse_ident($1) AS parts",
      {std::string(name)});
  return {std::string(found.text(0, 0)), found.is_true(0, 1), std::string(found.text(0, 2)),
          std::string(found.text(0, 3))};
}

std::vector<Table> removed_tables(Connection& connection, const WaitLimits& limits,
                                  std::string_view name) {
  const Rows rows = connection.run(
      limits, sdk::text("cannot find table ", name),
      "SELECT format('%I.%I', schema, parts[cardinality(parts)]) FROM parse_ident($1) AS parts, "
      "unnest(CASE cardinality(parts) WHEN 1 THEN current_schemas(false)::text[] "
      "ELSE parts[1:1] END) AS schema",
      {std::string(name)});
  std::vector<Table> tables;
  for (int row = 0; row < rows.size(); ++row) {
    tables.push_back({std::string(rows.text(row, 0)), false, {}, {}});
  }
  return tables;
}

Names primary_key(Connection& connection, const WaitLimits& limits, const Table& table) {
  const Rows rows = connection.run(
      limits, sdk::text("cannot find the primary key of ", table.name),
      "SELECT a.attname FROM pg_catalog.pg_index i CROSS JOIN LATERAL "
      "unnest(i.indkey::int2[]) WITH ORDINALITY AS k(number, place) "
      "JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number "
      "WHERE i.indrelid = to_regclass($1) AND i.indisprimary ORDER BY k.place",
      {table.name});
  Names names;
  for (int row = 0; row < rows.size(); ++row) names.emplace_back(rows.text(row, 0));
  return names;
}

Columns columns_of(Connection& connection, const WaitLimits& limits, const Table& table) {
  const Rows rows = connection.run(
      limits, sdk::text("cannot find the columns of ", table.name),
      "SELECT a.attname, format_type(b.id, b.modifier), a.atthasdef OR a.attidentity <> '', "
      "a.attgenerated <> '', a.attidentity = 'a' FROM pg_catalog.pg_attribute AS a CROSS JOIN LATERAL " +
          base_type_sql("a.atttypid", "a.atttypmod") +
          " AS b WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped "
          "ORDER BY a.attnum",
      {table.name});
  Columns columns;
  for (int row = 0; row < rows.size(); ++row) {
    columns.push_back({std::string(rows.text(row, 0)), std::string(rows.text(row, 1)),
                       rows.is_true(row, 2), rows.is_true(row, 3), rows.is_true(row, 4)});
  }
  return columns;
}

std::string definitions(const Columns& columns, const Names& names) {
  std::string list;
  for (const Column& column : columns) {
    if (std::find(names.begin(), names.end(), column.name) == names.end()) continue;
    list += sdk::text(list.empty() ? "" : ", ", quoted_name(column.name), ' ', column.type);
  }
  return list;
}

std::string base_type_sql(std::string_view id, std::string_view modifier) {
  return sdk::text(
      "(WITH RECURSIVE base(id, modifier) AS (SELECT ", id, "::oid, ", modifier,
      "::integer UNION ALL SELECT t.typbasetype, t.typtypmod FROM base JOIN pg_catalog.pg_type AS "
      "t ON t.oid = base.id AND t.typtype = 'd') SELECT base.* FROM base WHERE NOT EXISTS (SELECT "
      "FROM pg_catalog.pg_type AS t WHERE t.oid = base.id AND t.typtype = 'd'))");
}

Names split(std::string_view list) {
  return split(list, [](std::string_view rest) { return rest.find(','); });
}

Names split_tables(std::string_view list) {
  return split(list, [](std::string_view rest) {
    bool quoted = false;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (rest[i] == '"') quoted = !quoted;
      if (rest[i] == ',' && !quoted) return i;
    }
    return rest.npos;
  });
}

std::string joined(const Names& names, std::string_view prefix) {
  std::string list;
  for (const std::string& name : names) {
    list += sdk::text(list.empty() ? "" : ", ", prefix, quoted_name(name));
  }
  return list;
}

}  // namespace tenon::postgres
