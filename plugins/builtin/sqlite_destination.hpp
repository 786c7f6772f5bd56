// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/sqlite as a destination: each record is a row of a table, which a template may choose.
// The key identifies the row, so a record that arrives twice results in one row. A batch is one
// transaction, acknowledged when it is committed. A refused record ends the transaction. The
// records after it are held until the host requests acknowledgements again, because it has then
// handled the refusal.
#pragma once

#include <tenon/sdk/holding_destination.hpp>

#include <map>
#include <optional>
#include <string>

#include "record_template.hpp"
#include "sqlite.hpp"
#include "sqlite_columns.hpp"
#include "sqlite_table.hpp"

namespace tenon::builtin {

class SqliteDestination : public sdk::HoldingDestination {
 public:
  void configure(const sdk::Config& config) override;
  void open() override;
  Refused write_all(ListView<RecordV2> records) override;
  void teardown() override;

 private:
  Refused put_all(ListView<RecordV2> records);
  SqliteTable& table_of(RecordV2View record);
  SqliteTable& table(const std::string& name);

  std::string path_;
  std::string key_column_;
  Columns columns_{""};  // the configured ones
  std::optional<RecordTemplate> table_;
  std::optional<Database> database_;
  std::map<std::string, SqliteTable> tables_;  // by name in lower case
  SqliteTable* current_ = nullptr;             // the last one
  std::string current_name_;
  std::string name_;  // of the table of a record
};

}  // namespace tenon::builtin
