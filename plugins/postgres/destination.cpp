// SPDX-License-Identifier: BSL-1.0
#include "destination.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace tenon::postgres {
namespace {

using Operation = RecordV2::Operation;

/// Writes rows in the binary format of COPY.
class CopyRows {
 public:
  CopyRows() : bytes_(std::string_view("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19)) {}

  void begin_row(int fields) { add_number<std::int16_t>(fields); }
  void add(std::int32_t number) {
    add_number<std::int32_t>(4);
    add_number<std::int32_t>(number);
  }
  void add(bool value) {
    add_number<std::int32_t>(1);
    bytes_.push_back(value ? '\1' : '\0');
  }
  void add(const std::optional<BytesView>& value) {
    add_number<std::int32_t>(value ? static_cast<std::int64_t>(value->size()) : -1);
    if (value) bytes_ += value->text();
  }
  void end() { add_number<std::int16_t>(-1); }

  /// Returns the bytes since the last call.
  std::string take() { return std::exchange(bytes_, {}); }
  std::size_t size() const noexcept { return bytes_.size(); }

 private:
  template <class T>
  void add_number(std::int64_t number) {
    for (int shift = 8 * (static_cast<int>(sizeof(T)) - 1); shift >= 0; shift -= 8) {
      bytes_.push_back(static_cast<char>(number >> shift));
    }
  }

  std::string bytes_;
};

constexpr std::size_t max_unsent = 65536;
// The server truncates longer names.
constexpr std::size_t max_name_size = 63;

sdk::Refusal refusal_of(std::string_view code, const ServerError& error) {
  return sdk::Refusal(code, error.message());
}

/// Runs a step. If it fails because of the values of a record, refuses the record with `code`.
template <class Step>
void refusing(std::string_view code, Step step) {
  try {
    step();
  } catch (const ServerError& error) {
    if (!error.is_of_row()) throw;
    throw refusal_of(code, error);
  }
}

bool has_payload(RecordV2View record) {
  return record.payload().after().has_value();
}

/// Returns the type of the column for values of a JSON type.
std::string_view column_type(std::string_view json_type) {
  if (json_type == "number") return "numeric";
  if (json_type == "boolean") return "boolean";
  if (json_type == "string") return "text";
  return "jsonb";
}

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string numbers_sql(std::size_t begin, std::size_t end) {
  return sdk::text("r.n >= ", begin, " AND r.n < ", end);
}

/// Returns the definition of a column for a field and a type of JSON.
std::string column_sql(const Rows& fields, int row) {
  if (fields.text(row, 0).size() > max_name_size) {
    throw sdk::Refusal("wrong-field", "the field \"", fields.text(row, 0), "\" has more than ",
                       max_name_size, " bytes and cannot be a column");
  }
  return sdk::text(quoted_name(fields.text(row, 0)), ' ', column_type(fields.text(row, 1)));
}

}  // namespace

void Destination::configure(const sdk::Config& config) {
  settings_ = destination_parameters.read(config);
  if (exposes_password(settings_.url.text)) log.warn(exposed_password);
  action_ = "cannot write " + settings_.table;
  template_.emplace(settings_.table);
}

void Destination::open() {
  teardown();
  connect();
}

void Destination::connect() {
  connection_.emplace(settings_.url.text, limits());
  name_.clear();
  others_.clear();
  temporary_key_.reset();
  if (template_->is_constant()) use_table(template_->constant());
}

void Destination::use_table(const std::string& name) {
  if (!name_.empty()) others_.insert_or_assign(name_, std::pair(table_, key_));
  name_.clear();
  if (const auto known = others_.find(name); known != others_.end()) {
    std::tie(table_, key_) = known->second;
  } else {
    table_ = find_table(*connection_, limits(), name);
    key_ = split(settings_.key);
    if (key_.empty() && table_.exists) key_ = primary_key(*connection_, limits(), table_);
    check_table();
  }
  if (temporary_key_ != key_) create_temporary_tables();
  name_ = name;
}

// EXPLAIN reports whether the server would accept the statements.
void Destination::check_table() {
  if (!table_.exists) {
    run("BEGIN; CREATE TABLE " + table_.name + " (); ROLLBACK");
    return;
  }
  if (key_.empty()) {
    run("EXPLAIN INSERT INTO " + table_.name + " DEFAULT VALUES");
    return;
  }
  const std::string key = joined(key_);
  try {
    run("EXPLAIN INSERT INTO " + table_.name + " (" + key + ") OVERRIDING SYSTEM VALUE SELECT " +
        key + " FROM " + table_.name + " ON CONFLICT (" + key + ") DO NOTHING");
  } catch (const ServerError& error) {
    if (error.state() != "42P10") throw;
    throw sdk::Failure(TENON_FAILED_PRECONDITION, "table ", table_.name,
                       " has no unique constraint on exactly the columns of \"key\", ", key,
                       "; fix: create a unique index on them");
  }
}

void Destination::create_temporary_tables() {
  std::string has_key;
  for (const std::string& name : key_) {
    has_key += sdk::text(has_key.empty() ? "" : " AND ", "fields ? ", quoted_text(name));
  }
  if (temporary_key_) run("DROP TABLE pg_temp.tenon_batch, pg_temp.tenon_rows");
  temporary_key_ = key_;
  run("CREATE TEMPORARY TABLE tenon_batch (n integer, removes boolean, key bytea, payload bytea) "
      "ON COMMIT DELETE ROWS;"
      "CREATE TEMPORARY TABLE tenon_rows (n integer, removes boolean, fields jsonb, "
      "CONSTRAINT object CHECK (jsonb_typeof(fields) = 'object'), "
      "CONSTRAINT key CHECK (NOT removes OR " +
      (has_key.empty() ? "true" : has_key) + ")) ON COMMIT DELETE ROWS");
}

sdk::WritingDestination::Refused Destination::write_all(ListView<RecordV2> records) {
  try {
    if (!connection_) connect();
    if (template_->is_constant()) return write_to_table(records);
    for (std::size_t begin = 0; begin < records.size();) {
      const auto name = template_->name_for(records[begin]);
      if (!name) {
        return {
            {begin, sdk::ack_error(sdk::Refusal(
                        "no-table", "the metadata of the record lacks the name in \"table\""))}};
      }
      if (*name != name_) use_table(*name);
      std::size_t end = begin + 1;
      while (end < records.size() && template_->name_for(records[end]) == name) ++end;
      Refused refused = write_to_table(records.slice(begin, end - begin));
      if (!refused.empty()) {
        return {{begin + refused.begin()->first, std::move(refused.begin()->second)}};
      }
      begin = end;
    }
    return {};
  } catch (...) {
    connection_.reset();
    throw;
  }
}

sdk::WritingDestination::Refused Destination::write_to_table(ListView<RecordV2> records) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::optional<DestinationV2AckError> problem = problem_of(records[i]);
    if (!problem) continue;
    Refused refused = write_transaction(records.slice(0, i));
    if (refused.empty()) refused.emplace(i, *std::move(problem));
    return refused;
  }
  return write_transaction(records);
}

std::optional<DestinationV2AckError> Destination::problem_of(RecordV2View record) const {
  const bool removes = record.operation() == Operation::Delete;
  if (!removes && !has_payload(record)) {
    return sdk::ack_error(sdk::Refusal("no-payload", "the record has no payload"));
  }
  if (key_.empty() && (removes || record.operation() == Operation::Update)) {
    return sdk::ack_error(sdk::Refusal("no-key", "table ", table_.name,
                                       " has no primary key that identifies the row; set \"key\" "
                                       "to columns that identify it"));
  }
  return std::nullopt;
}

sdk::WritingDestination::Refused Destination::write_transaction(ListView<RecordV2> records) {
  if (records.empty()) return {};
  copy(records);
  Refused refused = apply({0, records.size()});
  run("COMMIT");
  return refused;
}

void Destination::copy(ListView<RecordV2> records) {
  // Deferred constraints would refuse the whole batch at the end of the transaction.
  connection_->begin_copy(limits(), action_,
                          "BEGIN; SET CONSTRAINTS ALL IMMEDIATE; "
                          "COPY pg_temp.tenon_batch FROM STDIN (FORMAT binary)");
  CopyRows rows;
  removals_.clear();
  std::int32_t number = 0;
  for (const RecordV2View record : records) {
    const bool removes = record.operation() == Operation::Delete;
    removals_.push_back(removes);
    rows.begin_row(4);
    rows.add(number++);
    rows.add(removes);
    rows.add(record.key());
    rows.add(removes ? record.payload().before() : record.payload().after());
    if (rows.size() > max_unsent) connection_->put_copy(limits(), action_, rows.take());
  }
  rows.end();
  connection_->put_copy(limits(), action_, rows.take());
  connection_->end_copy(limits(), action_);
}

sdk::WritingDestination::Refused Destination::apply(Range range) {
  try {
    put(range);
    return {};
  } catch (const sdk::Refusal& refusal) {
    run("ROLLBACK TO tenon");
    table_.exists =
        run("SELECT to_regclass(" + quoted_text(table_.name) + ") IS NOT NULL").is_true(0, 0);
    if (range.end - range.begin == 1) return {{range.begin, sdk::ack_error(refusal)}};
  }
  const std::size_t middle = range.begin + (range.end - range.begin) / 2;
  Refused refused = apply({range.begin, middle});
  return refused.empty() ? apply({middle, range.end}) : refused;
}

void Destination::put(Range range) {
  read_fields(range);
  ensure_columns(range);
  if (!table_.exists) return;  // there is nothing to delete
  columns_ = columns_of(*connection_, limits(), table_);
  refusing("wrong-value", [&] {
    merge_fields(range);
    if (has(range, true)) remove_rows(range);
    if (has(range, false)) put_rows(range);
  });
}

bool Destination::has(Range range, bool removal) const {
  const auto begin = removals_.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(range.end);
  return std::find(begin + static_cast<std::ptrdiff_t>(range.begin), end, removal) != end;
}

void Destination::read_fields(Range range) {
  try {
    run(sdk::text("SAVEPOINT tenon; INSERT INTO pg_temp.tenon_rows SELECT n, removes, ",
                  fields_sql(),
                  " FROM (SELECT r.n, r.removes, r.key, coalesce(convert_from(r.payload, "
                  "'UTF8')::jsonb, '{}') AS payload FROM pg_temp.tenon_batch AS r WHERE ",
                  numbers_sql(range.begin, range.end),
                  " OFFSET 0) AS r"));  // OFFSET has each payload parsed once
  } catch (const ServerError& error) {
    if (!error.is_of_row()) throw;
    if (error.constraint() == "key") {
      throw sdk::Refusal("no-key", "the record has no values for ", joined(key_));
    }
    if (error.constraint() == "object") {
      throw sdk::Refusal("wrong-json", "the payload is not a JSON object");
    }
    throw refusal_of("wrong-json", error);
  }
}

// Fields of the payload take precedence over those of the key, which need not be valid if it has
// them all.
std::string Destination::fields_sql() const {
  if (key_.empty()) return "payload";
  std::string key;
  std::string names;
  for (const std::string& name : key_) {
    const std::string text = quoted_text(name);
    names += sdk::text(names.empty() ? "" : ", ", text);
    key += sdk::text(key.empty() ? "" : ", ", text, ", convert_from(key, 'UTF8')::jsonb -> ", text);
  }
  std::string other = "'{}'";
  if (key_.size() == 1 && !settings_.key.empty()) {
    other = sdk::text("jsonb_build_object(", quoted_text(key_[0]), ", convert_from(key, 'UTF8'))");
  }
  return sdk::text("CASE WHEN key IS NULL OR payload ?& ARRAY[", names,
                   "] THEN '{}' WHEN substring(key, 1, 1) = '{'::bytea THEN "
                   "jsonb_strip_nulls(jsonb_build_object(",
                   key, ")) ELSE ", other, " END || payload");
}

void Destination::ensure_columns(Range range) {
  const Rows fields = run(sdk::text(
      "SELECT DISTINCT ON (f.key) f.key, jsonb_typeof(f.value) FROM pg_temp.tenon_rows AS r, "
      "jsonb_each(r.fields) AS f WHERE ",
      numbers_sql(range.begin, range.end),
      " AND NOT r.removes AND jsonb_typeof(f.value) <> 'null' AND NOT EXISTS (SELECT FROM "
      "pg_catalog.pg_attribute AS a WHERE a.attrelid = to_regclass(",
      quoted_text(table_.name),
      ") AND a.attnum > 0 AND NOT a.attisdropped AND a.attname = f.key) ORDER BY f.key, r.n"));
  if (table_.exists ? fields.size() == 0 : !has(range, false)) return;
  try {
    run(table_.exists ? columns_sql(fields) : table_sql(fields));
    table_.exists = true;
  } catch (const ServerError& error) {
    if ((error.status() & TENON_RETRYABLE) != 0) throw;
    // Another client was creating the same table.
    if (error.has_class("23")) throw sdk::Failure(TENON_ABORTED, error.message()).retryable();
    throw refusal_of("wrong-field", error);
  }
}

std::string Destination::table_sql(const Rows& fields) const {
  Names names;
  std::string columns;
  for (int row = 0; row < fields.size(); ++row) {
    names.emplace_back(fields.text(row, 0));
    columns += sdk::text(row == 0 ? "" : ", ", column_sql(fields, row));
  }
  for (const std::string& name : key_) {
    if (contains(names, name)) continue;
    throw sdk::Refusal("no-key", "the record has no value for ", quoted_name(name));
  }
  if (!key_.empty()) columns += ", PRIMARY KEY (" + joined(key_) + ")";
  return "CREATE TABLE IF NOT EXISTS " + table_.name + " (" + columns + ")";
}

std::string Destination::columns_sql(const Rows& fields) const {
  std::string sql = "ALTER TABLE " + table_.name;
  for (int row = 0; row < fields.size(); ++row) {
    sql += sdk::text(row == 0 ? " " : ", ", "ADD COLUMN IF NOT EXISTS ", column_sql(fields, row));
  }
  return sql;
}

// Columns with a default keep their value if a row has no such field, and GENERATED ALWAYS AS
// IDENTITY columns keep their first value, until the row is deleted.
void Destination::merge_fields(Range range) {
  std::string kept;
  std::string fixed;
  for (const Column& column : columns_) {
    if (!column.has_default || column.is_generated || contains(key_, column.name)) continue;
    std::string& list = column.is_fixed ? fixed : kept;
    list += sdk::text(list.empty() ? "" : ", ", quoted_text(column.name));
  }
  if (key_.empty() || (kept.empty() && fixed.empty())) return;
  kept = "ARRAY[" + kept + "]::text[]";
  fixed = "ARRAY[" + fixed + "]::text[]";
  const std::string group = "ROW(" + group_sql() + ")";
  run(sdk::text(
      "UPDATE pg_temp.tenon_rows AS r SET fields = r.fields - ", fixed,
      " || coalesce(merged.fields, '{}') FROM (SELECT max(s.n) AS n, jsonb_object_agg(f.key, "
      "f.value ORDER BY s.n) FILTER (WHERE f.key = ANY(",
      kept, ") OR (s.place = 1 AND f.key = ANY(", fixed,
      "))) AS fields FROM (SELECT l.*, row_number() OVER (PARTITION BY l.key, l.life ORDER BY l.n) "
      "AS place FROM (SELECT r.n, r.removes, r.fields, ",
      group, " AS key, count(*) FILTER (WHERE r.removes) OVER (PARTITION BY ", group,
      " ORDER BY r.n) AS life FROM pg_temp.tenon_rows AS r WHERE ",
      numbers_sql(range.begin, range.end),
      ") AS l WHERE NOT l.removes) AS s LEFT JOIN LATERAL jsonb_each(s.fields) AS f ON true GROUP "
      "BY s.key, s.life HAVING max(s.place) > 1) AS merged WHERE r.n = merged.n"));
}

// This also removes rows that later records of the range put again, so that their columns get their
// defaults.
void Destination::remove_rows(Range range) {
  std::string same;
  for (const std::string& name : key_) {
    const std::string column = quoted_name(name);
    same += sdk::text(" AND target.", column, " = new.", column);
  }
  run("DELETE FROM " + table_.name +
      " AS target USING pg_temp.tenon_rows AS r, jsonb_to_record(r.fields) AS new(" +
      definitions(columns_, key_) + ") WHERE " + numbers_sql(range.begin, range.end) +
      " AND r.removes" + same);
}

void Destination::put_rows(Range range) {
  Names plain;
  Names with_default;
  for (const Column& column : columns_) {
    if (!column.is_generated) (column.has_default ? with_default : plain).push_back(column.name);
  }
  if (with_default.empty()) {
    run(insert_sql(range, plain));
  } else {
    put_with_defaults(range, plain, with_default);
  }
}

// Columns with a default get it in rows without the field. This takes one statement for all rows
// with the same set of such fields.
void Destination::put_with_defaults(Range range, const Names& plain, const Names& with_default) {
  std::string present;
  for (const std::string& name : with_default) {
    present += sdk::text(present.empty() ? "" : " || ", "(r.fields ? ", quoted_text(name),
                         ")::integer::text");
  }
  const Rows sets = run("SELECT DISTINCT " + present + " FROM pg_temp.tenon_rows AS r WHERE " +
                        numbers_sql(range.begin, range.end) + " AND NOT r.removes");
  for (int row = 0; row < sets.size(); ++row) {
    const std::string_view set = sets.text(row, 0);
    Names columns = plain;
    for (std::size_t i = 0; i < with_default.size(); ++i) {
      if (set[i] == '1') columns.push_back(with_default[i]);
    }
    run(insert_sql(range, columns, sdk::text(" AND ", present, " = ", quoted_text(set))));
  }
}

std::string Destination::insert_sql(Range range, const Names& columns,
                                    std::string_view condition) const {
  const std::string list = columns.empty() ? "" : " (" + joined(columns) + ")";
  std::string sql = sdk::text("INSERT INTO ", table_.name, list, " OVERRIDING SYSTEM VALUE SELECT ",
                              joined(columns, "new."), " FROM ", rows_sql(range, columns),
                              " WHERE NOT r.removes", condition);
  if (key_.empty()) return sql;
  std::string updates;
  for (const Column& column : columns_) {
    if (column.is_fixed || !contains(columns, column.name) || contains(key_, column.name)) continue;
    const std::string name = quoted_name(column.name);
    updates += sdk::text(updates.empty() ? "" : ", ", name, " = excluded.", name);
  }
  return sql + " ON CONFLICT (" + joined(key_) + ") DO " +
         (updates.empty() ? "NOTHING" : "UPDATE SET " + updates);
}

std::string Destination::group_sql() const {
  std::string key;
  std::string incomplete;
  for (const std::string& name : key_) {
    const std::string text = quoted_text(name);
    key += sdk::text("r.fields -> ", text, ", ");
    incomplete += sdk::text(incomplete.empty() ? "" : " OR ", "r.fields ->> ", text, " IS NULL");
  }
  return key + "CASE WHEN " + incomplete + " THEN r.n END";
}

std::string Destination::rows_sql(Range range, const Names& columns) const {
  const std::string rows =
      "FROM pg_temp.tenon_rows AS r WHERE " + numbers_sql(range.begin, range.end);
  std::string last = "SELECT r.* " + rows;
  if (!key_.empty()) {
    const std::string key = group_sql();
    last = "SELECT * FROM (SELECT DISTINCT ON (" + key + ") r.* " + rows + " ORDER BY " + key +
           ", r.n DESC) AS last";
  }
  std::string sql = "(" + last + " ORDER BY n) AS r";
  if (columns.empty()) return sql;
  return sql + ", jsonb_to_record(r.fields) AS new(" + definitions(columns_, columns) + ")";
}

void Destination::teardown() {
  connection_.reset();
  HoldingDestination::teardown();
}

}  // namespace tenon::postgres
