// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/sqlite as a source: each row of a table is a record, in the order of row numbers. Rows
// that are added during the run are read, too. A position is the number of the row, the number of
// its columns, a checksum of their values, the table and the path of the database:
//
//   [7,3,-7123456789012345678,"people","data.db"]
//
// A position is refused if that row has other values, or if the table has no row from it on,
// because new rows may then get numbers that were read before; numbers of an AUTOINCREMENT table
// are never reused. Columns that were added since do not matter.
#pragma once

#include <tenon/sdk/reading_source.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "records.hpp"
#include "sqlite.hpp"

namespace tenon::builtin {

class SqliteSource : public sdk::ReadingSource {
 public:
  void configure(const sdk::Config& config) override;
  void open(std::optional<BytesView> position) override;
  void read_some(sdk::RecordBatch& batch) override;
  void teardown() override;

 private:
  void check_row(const std::string& number, const DataPosition& last);
  /// Sets `record_` to the current row.
  void set_record();

  std::string path_;
  std::string table_;
  std::string key_column_;
  std::string end_of_positions_;
  std::optional<Database> database_;
  std::optional<Statement> rows_;
  int key_ = 0;                       // column of the key; 0 is the row number
  std::optional<std::int64_t> last_;  // the number of the last row that was read
  RecordV2 record_;
  std::string position_;  // of that record
};

}  // namespace tenon::builtin
