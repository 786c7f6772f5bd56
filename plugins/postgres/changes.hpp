// SPDX-License-Identifier: BSL-1.0
//
// Makes records of the changes in the log. The server converts their values, so that they are as
// JSON what a query would return.
#pragma once

#include "replication.hpp"
#include "table.hpp"

#include <tenon/record.hpp>

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon::postgres {

/// A table as it was when its rows changed.
struct TableShape {
  Relation relation;
  bool is_known = false;  // what follows was asked for
  bool is_followed = false;
  std::vector<std::string> types;  // of the columns, as in SQL
  std::vector<std::size_t> key;    // the columns of the key
};

/// Reads changes of one table. Belongs to one thread.
class Changes {
 public:
  /// Begins after `position`; the first transaction may be one that was read in part.
  Changes(Table table, Names key, Position position, Progress& progress)
      : table_(std::move(table)),
        key_(std::move(key)),
        position_(std::move(position)),
        progress_(progress) {}

  /// Reads messages as far as the server has sent them, up to a limit.
  void fetch(LogStream& stream);
  /// Returns whether there is something to convert.
  bool has_changes() const noexcept { return !changes_.empty(); }
  /// Converts the changes that were fetched, and adds their records. If that fails, the rest of the
  /// changes is kept.
  void convert(Connection& connection, const Patience& patience, std::deque<RecordV2>& records);

  /// Returns the position of the last record.
  const Position& position() const noexcept { return position_; }

 private:
  struct Change {
    CopyData data;
    RowChange row;
    Lsn commit;  // where the commit of its transaction begins
    std::shared_ptr<TableShape> shape;
    std::optional<Rows> current;  // values that were not sent
  };

  void take(LogData log);
  void add(CopyData data, RowChange row);
  void learn(Connection& connection, const Patience& patience, TableShape& shape);
  /// Fills in the values of a change that were not sent.
  void complete(Connection& connection, const Patience& patience, Change& change);
  /// Converts the first changes, which have one shape.
  void convert(Connection& connection, const Patience& patience, std::size_t count,
               std::deque<RecordV2>& records);
  /// Returns for each tuple of the first changes its key and itself as JSON.
  Rows to_json(Connection& connection, const Patience& patience, std::size_t count) const;
  void add_records(const Change& change, const Rows& json, int& row, std::deque<RecordV2>& records);
  void add_record(RecordV2 record, std::deque<RecordV2>& records);

  const Table table_;
  const Names key_;
  Position position_;  // of the last record
  Progress& progress_;
  std::map<std::uint32_t, std::shared_ptr<TableShape>> shapes_;
  std::vector<Change> changes_;
  std::size_t bytes_ = 0;           // of the changes
  std::optional<Lsn> transaction_;  // where the commit of the current one begins
  Lsn end_ = 0;                     // of the log that was fetched
  Lsn counted_ = 0;                 // the transaction whose records are counted
  std::uint64_t count_ = 0;
};

}  // namespace tenon::postgres
