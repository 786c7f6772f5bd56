// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/postgres as a destination: each record is a row of a table, which a template may
// choose. Consecutive records for one table are one transaction. A refused record ends the
// transaction. The records after it are held until the host requests acknowledgements again,
// because it has then handled the refusal.
//
// The records are copied into a temporary table, where the server parses their JSON, and
// then written to the table at once. If the server refuses a row, a binary search finds it.
#pragma once

#include <tenon/sdk/holding_destination.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "settings.hpp"
#include "table.hpp"
#include "table_template.hpp"

namespace tenon::postgres {

class Destination : public sdk::HoldingDestination {
 public:
  void configure(const sdk::Config& config) override;
  void open() override;
  Refused write_all(ListView<RecordV2> records) override;
  void teardown() override;

 private:
  /// A range of row numbers of the temporary tables.
  struct Range {
    std::size_t begin, end;
  };

  WaitLimits limits() const { return {call(), settings_.timeout}; }
  Rows run(const std::string& sql) { return connection_->run(limits(), action_, sql); }

  void connect();
  /// Makes a table the one that is written. Throws sdk::Failure.
  void use_table(const std::string& name);
  void check_table();
  /// Writes records for the current table.
  Refused write_to_table(ListView<RecordV2> records);
  void create_temporary_tables();

  /// Returns why a record cannot be written, if that is known without the server.
  std::optional<DestinationV2AckError> problem_of(RecordV2View record) const;
  Refused write_transaction(ListView<RecordV2> records);
  /// Begins the transaction and copies records into the temporary table.
  void copy(ListView<RecordV2> records);
  /// Writes rows up to the first one that the server refuses.
  Refused apply(Range range);
  void put(Range range);
  /// Sets a savepoint and reads the JSON.
  void read_fields(Range range);
  /// Creates or extends the table so that it has a column for each field.
  void ensure_columns(Range range);
  /// Adds fields of earlier rows of the range to the last row of each key: those of columns that
  /// keep their values if a row lacks the field.
  void merge_fields(Range range);
  void remove_rows(Range range);
  void put_rows(Range range);
  void put_with_defaults(Range range, const Names& plain, const Names& with_default);
  /// Returns whether a range has deletions, or rows to put.
  bool has(Range range, bool removal) const;

  std::string fields_sql() const;
  /// Returns the columns of a key as JSON, followed by the number of the row if it has no key.
  std::string group_sql() const;
  /// Return the statements that create the table, or columns, for fields and their types.
  std::string table_sql(const Rows& fields) const;
  std::string columns_sql(const Rows& fields) const;
  std::string insert_sql(Range range, const Names& columns, std::string_view condition = {}) const;
  /// Returns a FROM clause with the rows `r` of a range and each as a row `new` of columns of the
  /// table. If there is a key, only the last row for each key.
  std::string rows_sql(Range range, const Names& columns) const;

  DestinationSettings settings_;
  Names key_;
  std::string action_;
  std::optional<TableTemplate> template_;
  std::optional<Connection> connection_;
  std::string name_;                                       // of the table, as the template has it
  std::map<std::string, std::pair<Table, Names>> others_;  // and their keys, by name
  std::optional<Names> temporary_key_;                     // that the temporary tables check
  Table table_;
  Columns columns_;             // of the table, as of the last write
  std::vector<bool> removals_;  // which records of the batch are deletions
};

}  // namespace tenon::postgres
