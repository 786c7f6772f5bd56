// SPDX-License-Identifier: BSL-1.0
#include "sqlite_table.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "json_text.hpp"

namespace tenon::builtin {
namespace {

/// Returns the key of a record, or its position if it has no key.
std::string_view key_of(RecordV2View record) {
  return record.key().value_or(record.position()).text();
}

/// Returns whether a text is a number of this type in its range.
template <class Number>
bool read_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return at == end && error == std::errc();
}

/// Binds a number; one that SQLite cannot represent is bound as text.
void bind_number(Statement& statement, int parameter, std::string_view text) {
  std::int64_t whole = 0;
  double real = 0;
  if (text.find_first_of(".eE") == std::string_view::npos) {
    if (read_number(text, whole)) return statement.bind(parameter, whole);
  } else if (read_number(text, real)) {
    return statement.bind(parameter, real);
  }
  statement.bind(parameter, text);
}

/// Binds a JSON value; lists and objects are bound as they are written.
void bind(Statement& statement, int parameter, std::string_view json) {
  switch (json.front()) {
    case 'n':
      return statement.bind_null(parameter);
    case 't':
    case 'f':
      return statement.bind(parameter, std::int64_t{json.front() == 't'});
    case '"':
      if (json.find('\\') == std::string_view::npos) {
        return statement.bind(parameter, json.substr(1, json.size() - 2));
      }
      return statement.bind_copy(parameter, text_of_json(json));
    case '[':
    case '{':
      return statement.bind(parameter, json);
    default:
      return bind_number(statement, parameter, json);
  }
}

}  // namespace

void SqliteTable::open() {
  read_table();
  if (columns_given_ && !put_) create_table();
}

void SqliteTable::forget() {
  put_.reset();
  remove_.reset();
}

void SqliteTable::check_names(const std::string& what) const {
  const auto make = [](const std::string& sql, const auto&... parameters) {
    try {
      Database().run(sql);
    } catch (const sdk::Failure& failure) {
      throw sdk::Failure(TENON_INVALID_ARGUMENT, parameters..., ": ", failure.message());
    }
  };
  make("CREATE TABLE " + quoted_name(name_) + " (a)", what);
  make(table_sql(), "parameters \"key\" and \"columns\"");
}

void SqliteTable::put(RecordV2View record) {
  const std::optional<BytesView> payload = record.payload().after();
  if (!payload) throw sdk::Refusal("no-payload", "the record has no payload");
  if (!fields_.read(payload->text())) {
    throw sdk::Refusal("wrong-json", "the payload is not a JSON object");
  }
  if (!put_) read_table();
  if (!columns_given_ || !put_) ensure_columns();
  if (!has_default_.empty()) omit_missing();
  put_->reset();
  put_->bind(1, key_of(record));
  std::size_t guess = 0;
  for (const auto& field : fields_.all()) {
    const auto column = columns_.find(field.name, guess++);
    if (column) bind(*put_, static_cast<int>(*column) + 2, field.value());
  }
  put_->step();
}

void SqliteTable::omit_missing() {
  std::vector<bool> omitted = has_default_;
  std::size_t guess = 0;
  for (const auto& field : fields_.all()) {
    if (const auto column = columns_.find(field.name, guess++)) omitted[*column] = false;
  }
  if (omitted == omitted_) return;
  omitted_ = std::move(omitted);
  prepare_put();
}

void SqliteTable::remove(RecordV2View record) {
  if (!remove_) read_table();
  if (!remove_) return;
  remove_->reset();
  remove_->bind(1, key_of(record));
  remove_->step();
}

void SqliteTable::read_table() {
  if (!database_.has_table(name_)) return;
  // Generated columns cannot be written.
  Statement columns(database_,
                    "SELECT name, dflt_value IS NOT NULL FROM pragma_table_xinfo(?) "
                    "WHERE hidden = 0");
  columns.bind(1, name_);
  defaults_.clear();
  bool has_key = false;
  std::vector<std::string> names;
  while (columns.step()) {
    std::string name(columns.text(0));
    if (columns.integer(1) != 0) defaults_.push_back(name);
    if (same_name(name, key_column_)) {
      has_key = true;
    } else {
      names.push_back(std::move(name));
    }
  }
  if (!has_key) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, path_, ": table \"", name_, "\" has no column \"",
                       key_column_, "\" for the key");
  }
  if (!columns_given_) columns_ = Columns(key_column_, names);
  prepare();
}

std::string SqliteTable::table_sql() const {
  std::string sql = "CREATE TABLE " + quoted_name(name_) + " (" + quoted_name(key_column_) +
                    " TEXT PRIMARY KEY NOT NULL";
  for (const std::string& column : columns_.names()) sql += ", " + quoted_name(column);
  return sql + ")";
}

void SqliteTable::create_table() {
  defaults_.clear();
  database_.run(table_sql());
  prepare();
}

void SqliteTable::ensure_columns() {
  if (!put_ && !columns_given_) columns_ = Columns(key_column_);
  const std::vector<std::string_view> missing =
      columns_given_ ? std::vector<std::string_view>() : missing_columns();
  if (put_ && missing.empty()) return;
  try {
    put_ ? add_columns(missing) : create_table(missing);
  } catch (const sdk::Failure& failure) {
    // The names of the fields are not possible, unless another program has removed the table.
    if (failure.status() != TENON_FAILED_PRECONDITION) throw;
    if (put_ && !database_.has_table(name_)) throw;
    throw sdk::Refusal("record-refused", failure.message());
  }
}

/// Returns the fields of the record that have no column.
std::vector<std::string_view> SqliteTable::missing_columns() const {
  std::vector<std::string_view> missing;
  std::set<std::string_view> seen;
  std::size_t guess = 0;
  for (const auto& field : fields_.all()) {
    if (field.name == key_column_) {
      throw sdk::Refusal("reserved-field", "the payload has a field \"", field.name,
                         "\", which is the column of the key; choose its name with \"key\"");
    }
    if (columns_.find(field.name, guess++)) continue;
    if (seen.insert(field.name).second) missing.push_back(field.name);
  }
  const std::size_t columns = columns_.names().size() + 1;  // the others and the key
  if (!missing.empty() && columns + missing.size() > database_.max_columns()) {
    throw sdk::Refusal("too-many-fields", "the record has ", missing.size(),
                       " new fields, but table \"", name_, "\" has ", columns,
                       " columns, and SQLite allows ", database_.max_columns());
  }
  return missing;
}

/// Creates the table with columns for these fields.
void SqliteTable::create_table(const std::vector<std::string_view>& fields) {
  for (const std::string_view field : fields) columns_.add(field, columns_.name_for(field));
  create_table();
}

/// The same for a table that exists. Adds all columns or none.
void SqliteTable::add_columns(const std::vector<std::string_view>& fields) {
  Columns columns = columns_;
  Savepoint savepoint(database_);
  for (const std::string_view field : fields) {
    std::string name = columns.name_for(field);
    database_.run("ALTER TABLE " + quoted_name(name_) + " ADD COLUMN " + quoted_name(name));
    columns.add(field, std::move(name));
  }
  savepoint.release();
  columns_ = std::move(columns);
  prepare();
}

void SqliteTable::prepare() {
  has_default_.assign(defaults_.empty() ? 0 : columns_.names().size(), false);
  for (std::size_t i = 0; i < has_default_.size(); ++i) {
    const auto is_same = [&](const auto& name) { return same_name(name, columns_.names()[i]); };
    has_default_[i] = std::any_of(defaults_.begin(), defaults_.end(), is_same);
  }
  omitted_.assign(has_default_.size(), false);
  prepare_put();
  remove_.emplace(database_, "DELETE FROM " + quoted_name(name_) + " WHERE " +
                                 quoted_name(key_column_) + " = ?");
}

void SqliteTable::prepare_put() {
  std::string names = quoted_name(key_column_);
  std::string values = "?1";
  std::string updates;
  for (std::size_t i = 0; i < columns_.names().size(); ++i) {
    const std::string name = quoted_name(columns_.names()[i]);
    // A column that is not inserted gets its default, also in `excluded`.
    updates += (updates.empty() ? "" : ", ") + name + " = excluded." + name;
    if (!omitted_.empty() && omitted_[i]) continue;
    names += ", " + name;
    values += ", ?" + std::to_string(i + 2);
  }
  const std::string table = quoted_name(name_);
  const std::string key = quoted_name(key_column_);
  put_.emplace(database_, "INSERT INTO " + table + " (" + names + ") VALUES (" + values +
                              ") ON CONFLICT (" + key + ") DO " +
                              (updates.empty() ? "NOTHING" : "UPDATE SET " + updates));
}

}  // namespace tenon::builtin
