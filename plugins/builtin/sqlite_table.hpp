// SPDX-License-Identifier: BSL-1.0
//
// A table of a SQLite database to which records are written. The key identifies the row. A column
// without a field in the record gets its default. A table that does not exist is created by the
// first record.
#pragma once

#include <tenon/record.hpp>
#include <tenon/sdk/acknowledgement.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json_members.hpp"
#include "sqlite.hpp"
#include "sqlite_columns.hpp"

namespace tenon::builtin {

class SqliteTable {
 public:
  /// `columns` are those of the key and of the configured fields. If `columns_given` is false, all
  /// fields are written, and columns are added for new ones. `path` is that of the database, for
  /// messages. The database must outlive the object.
  SqliteTable(Database& database, std::string path, std::string name, std::string key_column,
              Columns columns, bool columns_given)
      : database_(database),
        path_(std::move(path)),
        name_(std::move(name)),
        key_column_(std::move(key_column)),
        columns_(std::move(columns)),
        columns_given_(columns_given) {}

  /// Creates the table in memory. Throws sdk::Failure if SQLite rejects the name, which message
  /// `what` describes, or those of the columns.
  void check_names(const std::string& what) const;
  /// Reads the columns of the table, and creates it if its columns are configured.
  void open();
  /// Writes the row of a record. Throws sdk::Refusal, sdk::Failure.
  void put(RecordV2View record);
  /// Removes the row of a record. Throws sdk::Failure.
  void remove(RecordV2View record);
  /// Forgets the columns after a rollback, which may have removed them.
  void forget();

 private:
  /// Prepares `put_` without the columns that have a default and no field in `fields_`.
  void omit_missing();
  /// Reads the columns of the table if it exists.
  void read_table();
  void create_table();
  /// Creates or extends the table so that it has a column for each of `fields_`.
  void ensure_columns();
  std::vector<std::string_view> missing_columns() const;
  void create_table(const std::vector<std::string_view>& fields);
  void add_columns(const std::vector<std::string_view>& fields);
  /// Prepares the statements for the current columns.
  void prepare();
  void prepare_put();
  std::string table_sql() const;

  Database& database_;
  const std::string path_;
  const std::string name_;
  const std::string key_column_;
  Columns columns_;
  const bool columns_given_;
  std::vector<std::string> defaults_;  // the columns of the table that have a default
  std::vector<bool> has_default_;      // by number of the column; empty if none has one
  std::vector<bool> omitted_;          // from `put_`, likewise
  std::optional<Statement> put_;       // if the table exists
  std::optional<Statement> remove_;    // likewise
  JsonMembers fields_;                 // of the current record
};

}  // namespace tenon::builtin
