// SPDX-License-Identifier: BSL-1.0
#include "sqlite_source.hpp"

#include "json_text.hpp"
#include "records.hpp"
#include "utf8.hpp"

#include <sqlite3.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

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

/// Returns a text as JSON. Throws sdk::Failure if it is not UTF-8.
std::string text_json(const Statement& row, int column, const std::string& path) {
  const std::string_view text = row.text(column);
  if (is_utf8(text)) return json_string(text);
  throw sdk::Failure(TENON_INVALID_ARGUMENT, path, ": the text of column \"",
                     row.column_name(column), "\" in row ", row.integer(0),
                     " is not UTF-8; fix: correct it, or store it as a blob, which is read as "
                     "hexadecimal digits");
}

/// Returns a value as JSON. A blob becomes a string of hexadecimal digits. `path` is that of the
/// database, for messages. Throws sdk::Failure.
std::string column_json(const Statement& row, int column, const std::string& path) {
  switch (row.type(column)) {
    case SQLITE_INTEGER:
      return std::to_string(row.integer(column));
    case SQLITE_FLOAT:
      return std::isfinite(row.real(column)) ? number_text(row.real(column)) : "null";
    case SQLITE_TEXT:
      return text_json(row, column, path);
    case SQLITE_BLOB:
      return json_string(to_hex(row.text(column)));
    default:
      return "null";
  }
}

/// Returns a name of the row number that no column of the table has; such a column hides it. Throws
/// sdk::Failure.
std::string row_number_name(Database& database, const std::string& path, const std::string& table) {
  const Statement rows(database, "SELECT * FROM " + quoted_name(table) + " LIMIT 0");
  const auto is_column = [&](std::string_view name) {
    for (int column = 0; column < rows.columns(); column++) {
      if (same_name(rows.column_name(column), name)) return true;
    }
    return false;
  };
  for (const char* name : {"rowid", "_rowid_", "oid"}) {
    if (!is_column(name)) return name;
  }
  throw sdk::Failure(
      TENON_FAILED_PRECONDITION, path, ": table \"", table,
      "\" has columns rowid, _rowid_ and oid, which hide the row number; fix: rename "
      "one of them");
}

}  // namespace

void SqliteSource::configure(const sdk::Config& config) {
  path_ = database_path(config);
  table_ = config.get<std::string>("table");
  key_column_ = config.get("key", "");
}

void SqliteSource::open(std::optional<BytesView> position) {
  last_ = position ? parse_position(*position) : std::numeric_limits<std::int64_t>::min();
  database_.emplace(path_, Database::Mode::read);
  database_->set_call(call());
  if (!database_->has_table(table_)) {
    throw sdk::Failure(TENON_NOT_FOUND, path_, ": no table \"", table_, "\"");
  }
  const std::string number = row_number_name(*database_, path_, table_);
  rows_.emplace(*database_, "SELECT " + number + ", * FROM " + quoted_name(table_) + " WHERE " +
                                number + " > ? ORDER BY " + number);
  key_ = 0;
  for (int column = 1; column < rows_->columns(); column++) {
    if (same_name(rows_->column_name(column), key_column_)) key_ = column;
  }
  if (!key_column_.empty() && key_ == 0) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, path_, ": table \"", table_, "\" has no column \"",
                       key_column_, "\" for the key");
  }
}

void SqliteSource::read_some(sdk::RecordBatch& batch) {
  call().check();
  database_->set_call(call());
  rows_->reset();
  rows_->bind(1, last_);
  while (!batch.full() && rows_->step()) {
    set_record();
    batch.add(record_);
    last_ = rows_->integer(0);
  }
  rows_->reset();
}

void SqliteSource::set_record() {
  if (rows_->type(key_) == SQLITE_NULL) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, path_, ": the key column \"", key_column_,
                       "\" is null in row ", rows_->integer(0));
  }
  std::string payload = "{";
  for (int column = 1; column < rows_->columns(); column++) {
    if (column > 1) payload += ',';
    payload += json_string(rows_->column_name(column)) + ':' + column_json(*rows_, column, path_);
  }
  payload += '}';
  set_json(record_, std::to_string(rows_->integer(0)), rows_->text(key_), payload);
}

void SqliteSource::teardown() {
  rows_.reset();
  database_.reset();
}

}  // namespace tenon::builtin
