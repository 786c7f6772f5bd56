// SPDX-License-Identifier: BSL-1.0
#include "sqlite_source.hpp"

#include "records.hpp"

#include <sqlite3.h>
#include <boost/json.hpp>

#include <limits>

namespace tenon::builtin {
namespace {

std::string to_hex(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  for (char c : bytes) {
    hex.push_back(digits[static_cast<unsigned char>(c) >> 4]);
    hex.push_back(digits[c & 15]);
  }
  return hex;
}

/// JSON has no bytes: a blob becomes hex digits.
boost::json::value column_value(const Statement& row, int column) {
  switch (row.type(column)) {
    case SQLITE_INTEGER:
      return row.integer(column);
    case SQLITE_FLOAT:
      return row.real(column);
    case SQLITE_TEXT:
      return boost::json::string_view(row.text(column).data(), row.text(column).size());
    case SQLITE_BLOB:
      return boost::json::string(to_hex(row.text(column)));
    default:
      return nullptr;
  }
}

}  // namespace

void SqliteSource::configure(const sdk::Config& config) {
  path_ = config.get<std::string>("path");
  table_ = config.get<std::string>("table");
  key_column_ = config.get("key", "");
}

void SqliteSource::open(std::optional<BytesView> position) {
  last_ = position ? parse_position(*position) : std::numeric_limits<std::int64_t>::min();
  database_.emplace(path_, Database::Mode::read);
  database_->wait_for(call());
  if (!database_->has_table(table_)) {
    throw sdk::Failure(TENON_NOT_FOUND, path_, ": no table \"", table_, "\"");
  }
  rows_.emplace(*database_, "SELECT rowid, * FROM " + quoted_name(table_) +
                                " WHERE rowid > ? ORDER BY rowid LIMIT ?");
  key_ = 0;
  for (int column = 1; column < rows_->columns(); column++) {
    if (rows_->column_name(column) == key_column_) key_ = column;
  }
  if (!key_column_.empty() && key_ == 0) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, path_, ": table \"", table_, "\" has no column \"",
                       key_column_, "\" to be the key");
  }
}

std::vector<RecordV2> SqliteSource::read_batch(std::int32_t max) {
  call().check();
  database_->wait_for(call());
  rows_->reset();
  rows_->bind(1, last_);
  rows_->bind(2, std::int64_t{max});
  std::vector<RecordV2> records;
  while (rows_->step()) {
    records.push_back(to_record());
    last_ = rows_->integer(0);
  }
  rows_->reset();
  if (records.empty()) throw sdk::Failure(TENON_OUT_OF_RANGE, "no more records");
  return records;
}

RecordV2 SqliteSource::to_record() const {
  boost::json::object fields;
  for (int column = 1; column < rows_->columns(); column++) {
    fields.insert_or_assign(rows_->column_name(column), column_value(*rows_, column));
  }
  return json_record(std::to_string(rows_->integer(0)), rows_->text(key_),
                     boost::json::serialize(fields));
}

void SqliteSource::teardown() {
  rows_.reset();
  database_.reset();
}

}  // namespace tenon::builtin
