// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/sqlite as a source: each row of its tables is a record, in the order of row numbers,
// one table after the other. Rows that are added during the run are read, too. A position has the
// state of each table that was read, that of the record first: the number of the last row, the
// number of its columns, a checksum of their values, and a mark of the name of the table. At its
// end are the marks of the path of the database:
//
//   [7,3,-7123456789012345678,2596069104, 9,2,81985529216486895,305419896, 3735928559,57005]
//
// Positions of older versions are `[7,3,-7123456789012345678,"people","data.db"]`. A position is
// refused if the last row of a table has other values, or if the table has no row from it on,
// because new rows may then get numbers that were read before; numbers of an AUTOINCREMENT table
// are never reused. Columns that were added since do not matter.
#pragma once

#include <tenon/sdk/reading_source.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

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
  /// The last row of a table that was read.
  struct LastRow {
    std::int64_t number = 0;
    std::int64_t columns = 0;  // and the row number
    std::int64_t values = 0;   // their checksum
  };
  struct Table {
    Table(std::string table, std::int64_t its_mark) : name(std::move(table)), mark(its_mark) {}

    const std::string name;
    const std::int64_t mark;  // of the name
    std::optional<LastRow> last;
    std::optional<Statement> rows;
    int key = 0;      // column of the key; 0 is the row number
    RecordV2 record;  // the last one that was read
  };

  void begin_after(BytesView position);
  Table& table_with(std::int64_t mark);
  void open(Table& table);
  void check_row(const Table& table, const std::string& number);
  /// Adds rows. Returns whether all have been read.
  bool read_rows(Table& table, sdk::RecordBatch& batch);
  /// Sets the record of a table to its current row.
  void set_record(Table& table);

  std::string path_;
  std::string key_column_;
  std::deque<Table> tables_;
  std::optional<Database> database_;
  std::string path_marks_;        // the end of all positions
  std::size_t current_ = 0;       // the table that is read
  std::string end_of_positions_;  // of its records
  std::string position_;          // of the last one
};

}  // namespace tenon::builtin
