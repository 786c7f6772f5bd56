// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/postgres as a source: each row of a table is a record. The rows are read in the order
// of the key, page by page, so that reading can resume after any of them.
#pragma once

#include "settings.hpp"
#include "table.hpp"

#include <tenon/sdk/reading_source.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace tenon::postgres {

class Source : public sdk::ReadingSource {
 public:
  void configure(const sdk::Config& config) override;
  void open(std::optional<BytesView> position) override;
  void read_some(sdk::RecordBatch& batch) override;
  void teardown() override { connection_.reset(); }

 private:
  /// Which rows are read: those of the first pass, or those that came later.
  enum class Phase { snapshot, poll };

  Patience patience() const { return {call(), settings_.timeout}; }
  void connect();
  void check_position();
  /// Begins to read the page after the last row.
  void begin_page();
  /// Adds rows of the page. Returns whether the page has ended.
  bool read_page(sdk::RecordBatch& batch);
  RecordV2 to_record(const Rows& row);

  SourceSettings settings_;
  std::string action_;
  Phase phase_ = Phase::snapshot;
  std::optional<std::string> last_;  // the columns in `order_` of the last row, as JSON
  std::optional<Connection> connection_;
  Table table_;
  Names key_;
  Names order_;  // the columns by which the rows are sorted
  bool in_page_ = false;
  int in_page_rows_ = 0;
};

}  // namespace tenon::postgres
