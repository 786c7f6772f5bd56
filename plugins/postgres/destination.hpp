// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/postgres as a destination: each record is a row of a table. A batch is one transaction.
// A record that is refused ends the transaction. The records after it are held until the host asks
// for acknowledgements again, which means that it has settled the refusal.
//
// The records of a batch are copied into a temporary table, where the server reads their JSON. From
// there all of them are written at once. If the server refuses a row, the halves of the batch are
// written until the row is found.
#pragma once

#include "settings.hpp"
#include "table.hpp"

#include <tenon/sdk/holding_destination.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::postgres {

class Destination : public sdk::HoldingDestination {
 public:
  void configure(const sdk::Config& config) override;
  void open() override;
  Refused write_all(ListView<RecordV2> records) override;
  void teardown() override;

 private:
  /// Rows of the temporary tables, by their numbers.
  struct Range {
    std::size_t begin, end;
  };

  Patience patience() const { return {call(), settings_.timeout}; }
  Rows run(const std::string& sql) { return connection_->run(patience(), action_, sql); }

  void connect();
  void check_table();
  void create_temporary_tables();

  /// Returns why a record cannot be written, as far as it is known without the server.
  std::optional<DestinationV2AckError> problem_of(RecordV2View record) const;
  Refused write_transaction(ListView<RecordV2> records);
  /// Begins the transaction and copies records into the temporary table.
  void copy(ListView<RecordV2> records);
  /// Writes rows up to the first one that the server refuses.
  Refused apply(Range range);
  void put(Range range);
  /// Sets a savepoint and reads the JSON.
  void read_fields(Range range);
  void make_columns(Range range);
  void remove_rows(Range range);
  void put_rows(Range range);
  void put_with_defaults(Range range, const Names& plain, const Names& with_default);
  /// Returns whether a range has deletions, or rows to put.
  bool has(Range range, bool removal) const;

  std::string fields_sql() const;
  /// Returns what creates the table, or columns, for fields and their types.
  std::string table_sql(const Rows& fields) const;
  std::string columns_sql(const Rows& fields) const;
  std::string insert_sql(Range range, const Names& columns, std::string_view condition = {}) const;
  /// Returns the rows `r` of a range, with a key only the last one for each key, and each of them
  /// as a row `new` of the table.
  std::string rows_sql(Range range) const;

  DestinationSettings settings_;
  Names key_;
  std::string action_;
  std::optional<Connection> connection_;
  Table table_;
  std::vector<bool> removals_;  // which records of the batch are deletions
};

}  // namespace tenon::postgres
