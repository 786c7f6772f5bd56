// SPDX-License-Identifier: BSL-1.0
#include "sqlite_source.hpp"

#include <tenon/sdk/content_checksum.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json_text.hpp"
#include "names.hpp"
#include "utf8.hpp"

namespace tenon::builtin {
namespace {

/// The numbers of each table in a position.
enum Number : std::size_t { row, columns, values, mark, count };

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

/// Returns the values of a row as JSON, without the brace at the end. The first column is the
/// number of the row. Throws sdk::Failure.
std::string row_json(const Statement& row, int columns, const std::string& path) {
  std::string json = "{";
  for (int column = 1; column < columns; ++column) {
    if (column > 1) json += ',';
    json += json_string(row.column_name(column)) + ':' + column_json(row, column, path);
  }
  return json;
}

/// Returns the checksum of a result of row_json as the number of a position.
std::int64_t checksum_of(std::string_view row) {
  return static_cast<std::int64_t>(sdk::checksum(row));
}

/// Returns a value as a key. SQLite would round a real number to 15 digits, so that different keys
/// would become the same.
std::string key_text(const Statement& row, int column) {
  const bool is_real = row.type(column) == SQLITE_FLOAT && std::isfinite(row.real(column));
  return is_real ? number_text(row.real(column)) : std::string(row.text(column));
}

/// Throws sdk::Failure if the table has no row number of this name, which is no column of it.
void check_has_row_numbers(Database& database, const std::string& path, const std::string& table,
                           const std::string& name) {
  try {
    const Statement rows(database, "SELECT " + name + " FROM " + quoted_name(table) + " LIMIT 0");
  } catch (const sdk::Failure& failure) {
    if (failure.status() != TENON_FAILED_PRECONDITION) throw;
    throw sdk::Failure(TENON_FAILED_PRECONDITION, path, ": table \"", table,
                       "\" is declared WITHOUT ROWID, so it has no row numbers to use as "
                       "positions; fix: copy it to a table with row numbers");
  }
}

/// Returns a name of the row number that no column of the table has; such a column hides it. Throws
/// sdk::Failure.
std::string row_number_name(Database& database, const std::string& path, const std::string& table) {
  const Statement rows(database, "SELECT * FROM " + quoted_name(table) + " LIMIT 0");
  const auto is_column = [&](std::string_view name) {
    for (int column = 0; column < rows.columns(); ++column) {
      if (same_name(rows.column_name(column), name)) return true;
    }
    return false;
  };
  for (const char* name : {"rowid", "_rowid_", "oid"}) {
    if (is_column(name)) continue;
    check_has_row_numbers(database, path, table, name);
    return name;
  }
  throw sdk::Failure(
      TENON_FAILED_PRECONDITION, path, ": table \"", table,
      "\" has columns rowid, _rowid_ and oid, which hide the row number; fix: rename "
      "one of them");
}

/// Returns whether a column of the table is its row number, which VACUUM then preserves.
bool has_permanent_row_numbers(Database& database, const std::string& table) {
  Statement find(database,
                 "SELECT 1 FROM pragma_table_info(?1) WHERE pk <> 0 AND type = 'INTEGER' COLLATE "
                 "NOCASE AND NOT EXISTS (SELECT 1 FROM pragma_index_list(?1) WHERE origin = 'pk')");
  find.bind(1, table);
  return find.step();
}

/// Returns the largest row number that an AUTOINCREMENT table ever had, which is never reused.
std::optional<std::int64_t> autoincrement_number(Database& database, const std::string& table) {
  if (!database.has_table("sqlite_sequence")) return std::nullopt;
  Statement find(database, "SELECT seq FROM sqlite_sequence WHERE name = ? COLLATE NOCASE");
  find.bind(1, table);
  if (!find.step()) return std::nullopt;
  return find.integer(0);
}

/// Throws sdk::Failure if rows that are added may get numbers up to `last`, which were read: they
/// would be skipped.
void check_last_row(Database& database, const std::string& path, const std::string& table,
                    const std::string& number, std::int64_t last) {
  Statement find(database, "SELECT max(" + number + ") FROM " + quoted_name(table));
  find.step();
  const bool is_empty = find.type(0) == SQLITE_NULL;
  if (!is_empty && find.integer(0) >= last) return;
  if (autoincrement_number(database, table) >= last) return;
  throw sdk::Failure(TENON_DATA_LOSS, path, ": table \"", table, "\" ",
                     is_empty ? "is empty" : "ends with row " + std::to_string(find.integer(0)),
                     ", but row ", last,
                     " has been read, so rows were deleted or renumbered, and new rows may have "
                     "numbers that have been read; fix: delete the pipeline, and run it again to "
                     "read the whole table");
}

/// Resets a statement at the end, also after a failure. Otherwise its read transaction would stay
/// open and block writers.
class ResetAtEnd {
 public:
  explicit ResetAtEnd(Statement& statement) : statement_(statement) {}
  ~ResetAtEnd() { statement_.reset(); }
  ResetAtEnd(const ResetAtEnd&) = delete;
  ResetAtEnd& operator=(const ResetAtEnd&) = delete;

 private:
  Statement& statement_;
};

}  // namespace

void SqliteSource::configure(const sdk::Config& config) {
  path_ = database_path(config);
  const std::string table = config.get("table", "");
  std::vector<std::string> names = split_names(config.get("tables", ""));
  if (table.empty() == names.empty()) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT,
                       table.empty() ? "parameter \"table\" or \"tables\" is required"
                                     : "parameters \"table\" and \"tables\" are both set");
  }
  if (names.empty()) names = {table};
  key_column_ = config.get("key", "");
  tables_.clear();
  for (std::string& name : names) {
    const std::int64_t mark = mark_of(lower_case(name));
    if (std::any_of(tables_.begin(), tables_.end(),
                    [&](const Table& other) { return other.mark == mark; })) {
      throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"tables\" has \"", name, "\" twice");
    }
    tables_.emplace_back(std::move(name), mark);
  }
}

void SqliteSource::open(std::optional<BytesView> position) {
  for (Table& table : tables_) table.last.reset();
  if (position) begin_after(*position);
  const PositionPath path = PositionPath::of(path_);
  path_marks_ = sdk::text(path.text, ',', path.file, ']');
  current_ = 0;
  database_.emplace(path_, Database::Mode::read);
  database_->set_call(call());
  for (Table& table : tables_) open(table);
}

/// Sets the last rows to those of a position. Throws sdk::Failure.
void SqliteSource::begin_after(BytesView position) {
  PositionPath path;
  std::vector<std::int64_t> numbers;  // of all tables
  if (auto all = parse_numbers(position)) {
    numbers = *std::move(all);
    if (numbers.size() < Number::count + 2 || numbers.size() % Number::count != 2) {
      throw foreign_position(position);
    }
    path.file = numbers.back();
    path.text = numbers[numbers.size() - 2];
    numbers.resize(numbers.size() - 2);
  } else {
    DataPosition old = parse_data_position(position, Number::mark);
    if (!old.path.path) throw foreign_position(position);
    numbers = std::move(old.numbers);
    numbers.push_back(mark_of(lower_case(old.name)));
    path = std::move(old.path);
  }
  if (!path.is(path_)) throw sdk::wrong_position("another database", path_);
  for (std::size_t at = 0; at < numbers.size(); at += Number::count) {
    table_with(numbers[at + Number::mark]).last = {
        numbers[at + Number::row], numbers[at + Number::columns], numbers[at + Number::values]};
  }
}

SqliteSource::Table& SqliteSource::table_with(std::int64_t mark) {
  const auto found = std::find_if(tables_.begin(), tables_.end(),
                                  [&](const Table& table) { return table.mark == mark; });
  if (found != tables_.end()) return *found;
  std::string names;
  for (const Table& table : tables_) names += (names.empty() ? "\"" : ", \"") + table.name + '"';
  throw sdk::wrong_position("another table of " + path_, "table " + names);
}

void SqliteSource::open(Table& table) {
  if (!database_->has_table(table.name)) {
    throw sdk::Failure(TENON_NOT_FOUND, path_, ": no table \"", table.name, "\"");
  }
  const std::string number = row_number_name(*database_, path_, table.name);
  if (!has_permanent_row_numbers(*database_, table.name)) {
    log.warn(path_, ": table \"", table.name,
             "\" has no INTEGER PRIMARY KEY, so VACUUM may renumber its rows; then their positions "
             "are no longer correct");
  }
  if (table.last) {
    check_last_row(*database_, path_, table.name, number, table.last->number);
    check_row(table, number);
  }
  table.rows.emplace(*database_, "SELECT " + number + ", * FROM " + quoted_name(table.name) +
                                     " WHERE " + number + " > ? ORDER BY " + number);
  table.key = 0;
  for (int column = 1; column < table.rows->columns(); ++column) {
    if (same_name(table.rows->column_name(column), key_column_)) table.key = column;
  }
  if (!key_column_.empty() && table.key == 0) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, path_, ": table \"", table.name,
                       "\" has no column \"", key_column_, "\" for the key");
  }
  table.record.metadata = {{std::string(format_key), "json"},
                           {std::string(collection_key), table.name}};
}

/// Throws sdk::Failure if the last row has other values than when it was read. It may have been
/// deleted.
void SqliteSource::check_row(const Table& table, const std::string& number) {
  Statement find(*database_, "SELECT " + number + ", * FROM " + quoted_name(table.name) +
                                 " WHERE " + number + " = ?");
  find.bind(1, table.last->number);
  if (!find.step()) return;
  const std::int64_t columns = table.last->columns;
  const bool same =
      columns >= 1 && columns <= find.columns() &&
      checksum_of(row_json(find, static_cast<int>(columns), path_)) == table.last->values;
  if (same) return;
  throw sdk::data_changed(
      sdk::text(path_, ": row ", table.last->number, " of table \"", table.name, "\""));
}

void SqliteSource::read_some(sdk::RecordBatch& batch) {
  call().check();
  database_->set_call(call());
  for (std::size_t ended = 0; ended < tables_.size(); ++ended) {
    if (!read_rows(tables_[current_], batch)) return;
    current_ = (current_ + 1) % tables_.size();
  }
}

bool SqliteSource::read_rows(Table& table, sdk::RecordBatch& batch) {
  const ResetAtEnd reset(*table.rows);
  if (table.last) {
    table.rows->bind(1, table.last->number);
  } else {
    table.rows->bind(1, -std::numeric_limits<double>::infinity());  // every number is greater
  }
  end_of_positions_.clear();
  for (const Table& other : tables_) {
    if (&other == &table || !other.last) continue;
    const LastRow& last = *other.last;
    end_of_positions_ +=
        sdk::text(last.number, ',', last.columns, ',', last.values, ',', other.mark, ',');
  }
  end_of_positions_ += path_marks_;
  while (!batch.full()) {
    if (!table.rows->step()) return true;
    set_record(table);
    batch.add(table.record);
  }
  return false;
}

void SqliteSource::set_record(Table& table) {
  const Statement& row = *table.rows;
  if (row.type(table.key) == SQLITE_NULL) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, path_, ": the key column \"", key_column_,
                       "\" is null in row ", row.integer(0));
  }
  std::string payload = row_json(row, row.columns(), path_);
  table.last = {row.integer(0), row.columns(), checksum_of(payload)};
  set_position(position_, {table.last->number, table.last->columns, table.last->values, table.mark},
               end_of_positions_);
  payload += '}';
  set_json(table.record, position_, key_text(row, table.key), payload);
}

void SqliteSource::teardown() {
  for (Table& table : tables_) table.rows.reset();
  database_.reset();
}

}  // namespace tenon::builtin
