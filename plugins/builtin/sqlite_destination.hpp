// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/sqlite as a destination: each record is a row of a table. The key identifies the row,
// so a record that arrives twice results in one row. A batch is one transaction, acknowledged when
// it is committed. A column without a field in the record gets its default. A refused record ends
// the transaction. The records after it are held until the host requests acknowledgements again,
// because it has then handled the refusal.
#pragma once

#include <tenon/sdk/holding_destination.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json_members.hpp"
#include "sqlite.hpp"
#include "sqlite_columns.hpp"

namespace tenon::builtin {

class SqliteDestination : public sdk::HoldingDestination {
 public:
  void configure(const sdk::Config& config) override;
  void open() override;
  Refused write_all(ListView<RecordV2> records) override;
  void teardown() override;

 private:
  Refused put_all(ListView<RecordV2> records);
  void put(RecordV2View record);
  /// Prepares `put_` without the columns that have a default and no field in `fields_`.
  void omit_missing();
  void remove(RecordV2View record);
  /// Reads the columns of the table if it exists.
  void read_table();
  void create_table();
  /// Creates or extends the table so that it has a column for each of `fields_`.
  void ensure_columns();
  void create_table(const std::vector<std::string_view>& fields);
  void add_columns(const std::vector<std::string_view>& fields);
  /// Prepares the statements for the current columns.
  void prepare();
  void prepare_put();

  /// Creates the table in memory. Throws sdk::Failure if SQLite rejects the configured names.
  void check_names() const;
  std::string table_sql() const;

  std::string path_;
  std::string table_;
  std::string key_column_;
  bool columns_given_ = false;
  Columns columns_{""};
  std::vector<std::string> defaults_;  // the columns of the table that have a default
  std::vector<bool> has_default_;      // by number of the column; empty if none has one
  std::vector<bool> omitted_;          // from `put_`, likewise
  std::optional<Database> database_;
  std::optional<Statement> put_;     // if the table exists
  std::optional<Statement> remove_;  // likewise
  JsonMembers fields_;               // of the current record
};

}  // namespace tenon::builtin
