// SPDX-License-Identifier: BSL-1.0
//
// Converts changes in the write-ahead log to records. The server converts their values to JSON, so
// that they equal those of a query.
#pragma once

#include <tenon/record.hpp>
#include <tenon/sdk/logger.hpp>

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replication.hpp"
#include "settings.hpp"
#include "table.hpp"

namespace tenon::postgres {

/// The columns of a table when its rows changed.
struct TableShape {
  Relation relation;
  // Valid if is_loaded:
  bool is_loaded = false;
  const KeyedTable* table = nullptr;  // of which it is, or is a partition; none: not followed
  // SQL types that have the JSON of the columns: of domains their base types; of enums text,
  // because their values may have been renamed since
  std::vector<std::string> types;
  std::vector<std::size_t> key;  // the columns of the key
};

/// Reads changes of the tables of a source. Logs changes of their columns. Belongs to one thread.
class Changes {
 public:
  /// Begins after `position`; the first transaction may have been read partly. `log` and `progress`
  /// must outlive the object.
  Changes(KeyedTables tables, OnTruncate on_truncate, Position position, const sdk::Logger& log,
          Progress& progress)
      : tables_(std::move(tables)),
        on_truncate_(on_truncate),
        position_(std::move(position)),
        log_(log),
        progress_(progress) {}

  /// Reads the messages that have arrived, up to a limit.
  void fetch(LogStream& stream);
  /// Returns whether there are changes to convert.
  bool has_changes() const noexcept { return !changes_.empty(); }
  /// Converts the fetched changes, and adds their records. On failure, keeps the changes that were
  /// not converted.
  void convert(Connection& connection, const WaitLimits& limits, std::deque<RecordV2>& records);

  /// Returns the position of the last record.
  const Position& position() const noexcept { return position_; }

 private:
  struct Change {
    std::optional<CopyData> data;  // to which the row refers
    std::optional<RowChange> row;  // nothing if the table was truncated
    Lsn commit;                    // begin of the commit of its transaction
    std::shared_ptr<TableShape> shape;
    std::optional<Rows> current;  // values that were not sent
  };

  void handle(LogData log);
  void note_columns(const Relation& relation) const;
  void add(CopyData data, RowChange row);
  void add(const Truncate& truncate);
  const std::shared_ptr<TableShape>& shape_of(std::uint32_t relation) const;
  /// Reports that the table was truncated. Throws unless the configuration ignores it.
  void report_truncate(const Change& change);
  void load(Connection& connection, const WaitLimits& limits, TableShape& shape);
  /// Adds the values of a change that were not sent.
  void add_unsent_values(Connection& connection, const WaitLimits& limits, Change& change);
  /// Reads columns of the row that a change left.
  Rows read_current(Connection& connection, const WaitLimits& limits, const Change& change,
                    const std::vector<std::size_t>& columns) const;
  /// Removes the columns that the table no longer has. Returns whether there were any.
  bool remove_missing(Connection& connection, const WaitLimits& limits, const TableShape& shape,
                      std::vector<std::size_t>& columns) const;
  /// Converts the first `count` changes, which have the same shape.
  void convert(Connection& connection, const WaitLimits& limits, std::size_t count,
               std::deque<RecordV2>& records);
  /// Returns the key and all values of each tuple of the first `count` changes as JSON.
  Rows to_json(Connection& connection, const WaitLimits& limits, std::size_t count) const;
  void add_records(const Change& change, const Rows& json, int& row, std::deque<RecordV2>& records);
  void add_record(const Change& change, RecordV2 record, std::deque<RecordV2>& records);
  /// Counts the records of each transaction. Returns whether the position is after the record with
  /// this number in the current one.
  void begin(Lsn commit);
  bool was_read(std::uint64_t number) const;

  const KeyedTables tables_;
  const OnTruncate on_truncate_;
  Position position_;  // of the last record
  const sdk::Logger& log_;
  Progress& progress_;
  std::map<std::uint32_t, std::shared_ptr<TableShape>> shapes_;
  std::deque<Change> changes_;
  std::size_t bytes_ = 0;           // of the changes
  std::optional<Lsn> transaction_;  // begin of the commit of the current transaction
  Lsn end_ = 0;                     // end of the fetched log
  Lsn counted_ = 0;                 // the transaction whose records `count_` counts
  std::uint64_t count_ = 0;
};

}  // namespace tenon::postgres
