// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/postgres as a source: each row of its tables is a record. The tables are read one after
// the other, and their rows in the order of the key, page by page, so that reading can resume after
// any of them. In the mode replication a slot is created before the first row is read, and its
// changes are read after the last row of the last table.
#pragma once

#include <tenon/sdk/reading_source.hpp>

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "changes.hpp"
#include "settings.hpp"
#include "table.hpp"

namespace tenon::postgres {

class Source : public sdk::ReadingSource {
 public:
  void configure(const sdk::Config& config) override;
  void open(std::optional<BytesView> position) override;
  void read_some(sdk::RecordBatch& batch) override;
  void ack(ListView<Bytes> positions) override;
  bool buffered() const override { return !records_.empty(); }
  void teardown() override;
  void on_created(MapView<std::string> config) override;
  void on_updated(MapView<std::string> before, MapView<std::string> after) override;
  void on_deleted(MapView<std::string> config) override;

 private:
  /// A table that is read.
  struct SourceTable {
    std::string configured;  // its name in the configuration
    std::string action;      // for messages
    Table table{};
    Names key{};
    Names order{};                     // the columns by which the rows are sorted
    std::string position_sql{};        // a row `p` of these columns from the JSON in $1
    std::optional<std::string> row{};  // the last one that was read: these columns as JSON
  };

  WaitLimits limits() const { return {call(), settings_.timeout}; }
  bool replicates() const { return settings_.mode == Mode::replication; }
  void connect();
  /// Connects and looks up the tables.
  void find_tables();
  void prepare(SourceTable& one);
  void check_names() const;
  KeyedTables keyed_tables() const;
  Slot slot_of(const Table& table) const;
  void begin_after(std::string_view position);
  /// Finds the table of a position.
  SourceTable& table_of(const Position& position);
  void check_row(const SourceTable& table);
  /// Reads rows. Returns whether all rows of all tables have been read.
  bool read_rows(sdk::RecordBatch& batch);
  /// Begins the page after the last row.
  void begin_page();
  void set_other_rows();
  std::string position_text() const;
  /// Adds rows of the page. Returns whether the page has ended.
  bool read_page(sdk::RecordBatch& batch);
  RecordV2 to_record(const Rows& row);
  void read_changes(sdk::RecordBatch& batch);
  void start_stream();
  /// Waits for changes and converts them to records.
  void fetch_records();

  SourceSettings settings_;
  Position position_;  // of the last record
  std::optional<Connection> connection_;
  std::vector<SourceTable> tables_;  // at least one
  std::size_t current_ = 0;          // the table that is read
  std::string other_rows_;           // the positions of the other tables, each after a comma
  bool in_page_ = false;
  int in_page_rows_ = 0;

  Slot slot_;
  bool has_all_rows_ = false;
  std::optional<Progress> progress_;
  std::optional<LogStream> stream_;
  std::optional<Changes> changes_;
  std::deque<RecordV2> records_;  // not yet returned
};

}  // namespace tenon::postgres
