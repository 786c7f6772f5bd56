// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/sqlite as a destination: each record is a row of a table, found again by its key: a
// record that comes twice leaves one row. A batch is one transaction, acknowledged when it is
// committed. A record that is refused ends the transaction. The records after it are held until the
// host asks for acknowledgements again, which says that it has settled the refusal.
#pragma once

#include "sqlite.hpp"
#include "sqlite_columns.hpp"

#include <tenon/sdk/holding_destination.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::builtin {

class SqliteDestination : public sdk::HoldingDestination {
 public:
  void configure(const sdk::Config& config) override;
  void open() override;
  Refused write_all(ListView<RecordV2> records) override;
  void teardown() override;

 private:
  Refused put_all(ListView<RecordV2> records);
  void put(RecordV2View record);
  void remove(RecordV2View record);
  /// Takes over the columns of the table if there is one.
  void look_at_table();
  void make_table();
  /// Makes the table, or adds to it, so that it has a column for each field.
  void make_room_for(const boost::json::object& fields);
  void add_columns(const std::vector<std::string_view>& fields);
  void prepare();

  /// Lets SQLite make the table in memory. Throws where it does not take the configured names.
  void try_names() const;
  std::string table_sql() const;

  std::string path_;
  std::string table_;
  std::string key_column_;
  bool columns_given_ = false;
  Columns columns_{""};
  std::optional<Database> database_;
  std::optional<Statement> put_;  // both only while there is a table
  std::optional<Statement> remove_;
  // Used again for each record. The fields of larger records are allocated.
  std::vector<unsigned char> memory_ = std::vector<unsigned char>(std::size_t{64} << 10);
  std::string text_;
};

}  // namespace tenon::builtin
