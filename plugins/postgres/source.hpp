// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/postgres as a source: each row of a table is a record. The rows are read in the order
// of the key, page by page, so that reading can resume after any of them. In the mode replication
// a slot is created before the first row is read, and its changes are read after the last row.
#pragma once

#include <tenon/sdk/reading_source.hpp>

#include <deque>
#include <optional>
#include <string>
#include <string_view>

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
  WaitLimits limits() const { return {call(), settings_.timeout}; }
  bool replicates() const { return settings_.mode == Mode::replication; }
  void connect();
  /// Connects and looks up the table.
  void find_table();
  Slot slot_of(const Table& table) const;
  void begin_after(std::string_view position);
  void check_position();
  /// Reads rows. Returns whether all rows have been read.
  bool read_rows(sdk::RecordBatch& batch);
  /// Begins the page after the last row.
  void begin_page();
  /// Adds rows of the page. Returns whether the page has ended.
  bool read_page(sdk::RecordBatch& batch);
  RecordV2 to_record(const Rows& row);
  void read_changes(sdk::RecordBatch& batch);
  void start_stream();
  /// Waits for changes and converts them to records.
  void fetch_records();

  SourceSettings settings_;
  std::string action_;
  bool has_position_ = false;
  Position position_;  // of the last record; its row has the columns of `order_`
  std::optional<Connection> connection_;
  Table table_;
  Names key_;
  Names order_;               // the columns by which the rows are sorted
  std::string position_sql_;  // a row `p` of these columns from the JSON in $1
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
