// SPDX-License-Identifier: BSL-1.0
#include "changes.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tenon::postgres {
namespace {

constexpr std::size_t max_changes = 1000;
constexpr std::size_t max_bytes = 1 << 20;
constexpr std::string_view action = "cannot read changes";

void append_element(std::string& array, const Field& field) {
  if (array.size() > 1) array.push_back(',');
  if (field.kind != Field::Kind::text) {
    array += "NULL";
    return;
  }
  array.push_back('"');
  for (const char c : field.text) {
    if (c == '"' || c == '\\') array.push_back('\\');
    array.push_back(c);
  }
  array.push_back('"');
}

/// Returns a column of the tuples with its type: u.c1::int4 AS "id"
std::string column_sql(const TableShape& shape, std::size_t column) {
  return sdk::text("u.c", column + 1, "::", shape.types[column], " AS ",
                   quoted_name(shape.relation.columns[column].name));
}

std::string object_sql(const TableShape& shape, const std::vector<std::size_t>& columns) {
  std::string list;
  for (const std::size_t column : columns) {
    list += sdk::text(list.empty() ? "" : ", ", column_sql(shape, column));
  }
  return "(SELECT row_to_json(o.*)::text FROM (SELECT " + list + ") AS o)";
}

/// Returns a query that converts tuples, given as one array for each column, to JSON: their keys
/// and all values.
std::string json_sql(const TableShape& shape) {
  std::vector<std::size_t> all;
  std::string arrays;
  std::string names;
  while (all.size() < shape.types.size()) {
    all.push_back(all.size());
    arrays += sdk::text(arrays.empty() ? "$" : ", $", all.size(), "::text[]");
    names += sdk::text("c", all.size(), ", ");
  }
  return sdk::text("SELECT ", object_sql(shape, shape.key), ", ", object_sql(shape, all),
                   " FROM unnest(", arrays, ") WITH ORDINALITY AS u(", names,
                   "number) ORDER BY u.number");
}

/// Returns whether two tuples have the same key.
bool same_key(const TableShape& shape, const Tuple& a, const Tuple& b) {
  return std::all_of(shape.key.begin(), shape.key.end(), [&](std::size_t column) {
    return a[column].kind == b[column].kind && a[column].text == b[column].text;
  });
}

/// Copies values that were not sent from the previous row.
void fill_from_before(const TableShape& shape, RowChange& row) {
  for (std::size_t i = 0; i < row.after.size() && !row.before.empty(); ++i) {
    const bool is_known = !row.before_is_key || shape.relation.columns[i].in_identity;
    if (row.after[i].kind == Field::Kind::unchanged && is_known) row.after[i] = row.before[i];
  }
}

std::string names_of(const std::vector<RelationColumn>& columns) {
  std::string names;
  for (const RelationColumn& column : columns) {
    names += (names.empty() ? "" : ", ") + quoted_name(column.name);
  }
  return names;
}

void check_size(const TableShape& shape, const Tuple& tuple) {
  if (tuple.size() == shape.relation.columns.size()) return;
  throw sdk::Failure(TENON_DATA_LOSS, "the server sent a row of table ", shape.relation.name,
                     " with ", tuple.size(), " values for ", shape.relation.columns.size(),
                     " columns");
}

void check_identity(const TableShape& shape, const RowChange& row) {
  const bool has_key = std::all_of(shape.key.begin(), shape.key.end(), [&](std::size_t column) {
    return shape.relation.columns[column].in_identity;
  });
  if (has_key || row.kind == RowChange::Kind::insert) return;
  throw sdk::Failure(TENON_FAILED_PRECONDITION, "a row of table ", shape.relation.name,
                     " changed while the replica identity of the table lacked columns of the key; "
                     "fix: ALTER TABLE ",
                     shape.relation.name,
                     " REPLICA IDENTITY FULL, then delete the pipeline and run it again to read "
                     "all rows");
}

RecordV2 make_record(RecordV2::Operation operation, std::string_view key) {
  RecordV2 record;
  record.operation = operation;
  record.metadata.emplace("opencdc.payload.format", "json");
  record.key = to_bytes(key);
  return record;
}

}  // namespace

void Changes::fetch(LogStream& stream) {
  while (changes_.size() < max_changes && bytes_ < max_bytes) {
    std::optional<LogData> log = stream.take();
    if (!log) break;
    const bool wants_reply = log->wants_reply;
    handle(*std::move(log));
    if (changes_.empty()) progress_.received(end_);
    if (wants_reply) stream.confirm();
  }
}

void Changes::handle(LogData log) {
  if (log.message.empty()) {
    if (!transaction_) end_ = std::max(end_, log.end);
    return;
  }
  Message message = decode(log.message);
  if (const auto* begin = std::get_if<Begin>(&message)) transaction_ = begin->commit;
  if (const auto* commit = std::get_if<Commit>(&message)) {
    end_ = std::max(end_, commit->end);
    transaction_.reset();
  }
  if (auto* relation = std::get_if<Relation>(&message)) {
    const std::uint32_t id = relation->id;
    note_columns(*relation);
    shapes_[id] = std::make_shared<TableShape>(TableShape{std::move(*relation), {}, {}, {}, {}});
  }
  if (auto* row = std::get_if<RowChange>(&message)) add(std::move(log.data), std::move(*row));
  if (const auto* truncate = std::get_if<Truncate>(&message)) add(*truncate);
}

/// Logs that a table has other columns than before.
void Changes::note_columns(const Relation& relation) const {
  const auto known = shapes_.find(relation.id);
  if (known == shapes_.end()) return;
  const auto same = [](const RelationColumn& a, const RelationColumn& b) {
    return a.name == b.name && a.type == b.type && a.modifier == b.modifier;
  };
  const auto& before = known->second->relation.columns;
  const auto& after = relation.columns;
  if (std::equal(before.begin(), before.end(), after.begin(), after.end(), same)) return;
  log_.warn("the columns of table ", relation.name, " changed from ", names_of(before), " to ",
            names_of(after));
}

const std::shared_ptr<TableShape>& Changes::shape_of(std::uint32_t relation) const {
  const auto shape = shapes_.find(relation);
  if (transaction_ && shape != shapes_.end()) return shape->second;
  throw sdk::Failure(TENON_DATA_LOSS, "the server sent a change ",
                     transaction_ ? "of an unknown table" : "outside of a transaction");
}

void Changes::add(CopyData data, RowChange row) {
  const auto& shape = shape_of(row.relation);
  const bool is_removal = row.kind == RowChange::Kind::remove;
  if (is_removal || !row.before.empty()) check_size(*shape, row.before);
  if (!is_removal) check_size(*shape, row.after);
  bytes_ += data.bytes().size();
  changes_.push_back({std::move(data), std::move(row), *transaction_, shape, {}});
}

void Changes::add(const Truncate& truncate) {
  for (const std::uint32_t relation : truncate.relations) {
    changes_.push_back({{}, {}, *transaction_, shape_of(relation), {}});
  }
}

void Changes::report_truncate(const Change& change) {
  begin(change.commit);
  if (was_read(count_ + 1)) return;
  const std::string& name = change.shape->relation.name;
  if (on_truncate_ == OnTruncate::ignore) {
    log_.warn("table ", name, " was truncated; its rows stay where they were written to");
    return;
  }
  throw sdk::Failure(TENON_FAILED_PRECONDITION, "table ", name,
                     " was truncated, and its rows are still where they were written to; fix: "
                     "remove them there, then delete the pipeline and run it again to read all "
                     "rows, or set \"truncate\" to \"ignore\"");
}

void Changes::load(Connection& connection, const WaitLimits& limits, TableShape& shape) {
  std::string types;
  for (const RelationColumn& column : shape.relation.columns) {
    types += sdk::text(
        types.empty() ? "" : ", ",
        "(SELECT CASE WHEN t.typtype = 'e' THEN 'text' WHEN e.typtype = 'e' THEN 'text[]' ELSE "
        "format_type(b.id, b.modifier) END FROM ",
        base_type_sql(std::to_string(column.type), std::to_string(column.modifier)),
        " AS b LEFT JOIN pg_catalog.pg_type AS t ON t.oid = b.id LEFT JOIN pg_catalog.pg_type AS e "
        "ON e.oid = t.typelem AND t.typcategory = 'A')");
  }
  std::string names = "{";
  std::string ids = "{";
  for (const KeyedTable& one : tables_) {
    append_element(names, {Field::Kind::text, one.table.name});
    append_element(ids, {Field::Kind::text, one.table.id});
  }
  // A part of another table may be in the list itself.
  const Rows rows = connection.run(
      limits, action,
      sdk::text("WITH RECURSIVE parts(root, id) AS (SELECT id, id FROM unnest($2::oid[]) AS id "
                "UNION SELECT p.root, i.inhrelid FROM pg_catalog.pg_inherits i JOIN parts AS p ON "
                "i.inhparent = p.id), found AS (SELECT t.number - 1 AS number, "
                "to_regclass(t.name)::oid = t.id AS is_same FROM unnest($1::text[], $2::oid[]) "
                "WITH ORDINALITY AS t(name, id, number) JOIN parts AS p ON p.root = t.id "
                "WHERE p.id = ",
                shape.relation.id, " ORDER BY p.root = p.id DESC LIMIT 1) ",
                "SELECT (SELECT number FROM found), (SELECT is_same FROM found), ", types),
      {names + '}', ids + '}'});
  if (const std::string_view number = rows.text(0, 0); !number.empty()) {
    shape.table = &tables_.at(std::stoul(std::string(number)));
  }
  if (shape.table != nullptr && !rows.is_true(0, 1)) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, "table ", shape.table->table.name,
                       " was renamed, replaced or removed while its changes were read; fix: rename "
                       "it back, or delete the pipeline, and run it again to read all rows");
  }
  for (std::size_t i = 0; i < shape.relation.columns.size(); ++i) {
    // Values of a removed type are read as text.
    const std::string_view type = rows.text(0, static_cast<int>(i) + 2);
    shape.types.emplace_back(type == "???" ? "text" : type);
  }
  for (const std::string& name : shape.table != nullptr ? shape.table->key : Names()) {
    const auto& columns = shape.relation.columns;
    const auto column = std::find_if(columns.begin(), columns.end(),
                                     [&](const auto& one) { return one.name == name; });
    if (column == columns.end()) {
      throw sdk::Failure(TENON_FAILED_PRECONDITION, "table ", shape.relation.name,
                         " had no column ", quoted_name(name),
                         " of the key when a row changed; fix: delete the pipeline, and run it "
                         "again with another \"key\"");
    }
    shape.key.push_back(static_cast<std::size_t>(column - columns.begin()));
  }
  shape.is_loaded = true;
}

void Changes::add_unsent_values(Connection& connection, const WaitLimits& limits, Change& change) {
  // A conversion is repeated if it failed. Its values refer to these rows.
  if (change.current) return;
  Tuple& after = change.row->after;
  fill_from_before(*change.shape, *change.row);
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i].kind == Field::Kind::unchanged) columns.push_back(i);
  }
  while (!columns.empty()) {
    try {
      change.current = read_current(connection, limits, change, columns);
      break;
    } catch (const ServerError& error) {
      // A column was removed, with its values.
      if (error.state() != "42703" || !remove_missing(connection, limits, *change.shape, columns))
        throw;
    }
  }
  for (std::size_t i = 0; i < columns.size() && change.current->size() > 0; ++i) {
    const int column = static_cast<int>(i);
    if (PQgetisnull(change.current->raw(), 0, column) != 0) continue;
    after[columns[i]] = {Field::Kind::text, change.current->text(0, column)};
  }
}

Rows Changes::read_current(Connection& connection, const WaitLimits& limits, const Change& change,
                           const std::vector<std::size_t>& columns) const {
  const TableShape& shape = *change.shape;
  std::string list;
  for (const std::size_t i : columns) {
    list += sdk::text(list.empty() ? "t." : ", t.", quoted_name(shape.relation.columns[i].name),
                      "::text");
  }
  std::string condition;
  Connection::Parameters key;
  for (const std::size_t i : shape.key) {
    key.emplace_back(change.row->after[i].text);
    condition += sdk::text(condition.empty() ? "t." : " AND t.",
                           quoted_name(shape.relation.columns[i].name), " = $", key.size());
  }
  return connection.run(
      limits, action,
      sdk::text("SELECT ", list, " FROM ", shape.table->table.name, " AS t WHERE ", condition),
      key);
}

bool Changes::remove_missing(Connection& connection, const WaitLimits& limits,
                             const TableShape& shape, std::vector<std::size_t>& columns) const {
  const auto& [table, key] = *shape.table;
  const Columns current = columns_of(connection, limits, table);
  const auto is_missing = [&](const std::string& name) {
    return std::none_of(current.begin(), current.end(),
                        [&](const Column& column) { return column.name == name; });
  };
  const auto missing_key = std::find_if(key.begin(), key.end(), is_missing);
  if (missing_key != key.end()) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, "table ", table.name, " no longer has column ",
                       quoted_name(*missing_key),
                       " of the key; fix: delete the pipeline, and run it again with another "
                       "\"key\"");
  }
  const auto end = std::remove_if(columns.begin(), columns.end(), [&](std::size_t i) {
    return is_missing(shape.relation.columns[i].name);
  });
  const bool removed = end != columns.end();
  columns.erase(end, columns.end());
  return removed;
}

Rows Changes::to_json(Connection& connection, const WaitLimits& limits, std::size_t count) const {
  const TableShape& shape = *changes_.front().shape;
  std::vector<std::string> arrays(shape.types.size(), "{");
  for (std::size_t i = 0; i < count; ++i) {
    for (const Tuple* tuple : {&changes_[i].row->before, &changes_[i].row->after}) {
      for (std::size_t column = 0; column < tuple->size(); ++column) {
        append_element(arrays[column], (*tuple)[column]);
      }
    }
  }
  Connection::Parameters parameters;
  for (std::string& array : arrays) parameters.emplace_back(std::move(array) + '}');
  try {
    return connection.run(limits, action, json_sql(shape), parameters);
  } catch (const ServerError& error) {
    if (!error.is_of_row()) throw;
    throw sdk::Failure(TENON_FAILED_PRECONDITION, error.message(),
                       "; the type of a column of table ", shape.relation.name,
                       " has changed since then; fix: delete the pipeline, and run it again to "
                       "read all rows");
  }
}

void Changes::convert(Connection& connection, const WaitLimits& limits,
                      std::deque<RecordV2>& records) {
  while (!changes_.empty()) {
    const auto shape = changes_.front().shape;
    if (!shape->is_loaded) load(connection, limits, *shape);
    if (!changes_.front().row) {
      // The records before it are read first.
      if (!records.empty()) return;
      if (shape->table != nullptr) report_truncate(changes_.front());
      changes_.erase(changes_.begin());
      continue;
    }
    const auto end = std::find_if(changes_.begin(), changes_.end(), [&](const Change& change) {
      return change.shape != shape || !change.row;
    });
    if (shape->table != nullptr) {
      convert(connection, limits, static_cast<std::size_t>(end - changes_.begin()), records);
    }
    changes_.erase(changes_.begin(), end);
  }
  bytes_ = 0;
  progress_.received(end_);
}

void Changes::convert(Connection& connection, const WaitLimits& limits, std::size_t count,
                      std::deque<RecordV2>& records) {
  for (std::size_t i = 0; i < count; ++i) {
    check_identity(*changes_[i].shape, *changes_[i].row);
    add_unsent_values(connection, limits, changes_[i]);
  }
  const Rows json = to_json(connection, limits, count);
  int row = 0;
  for (std::size_t i = 0; i < count; ++i) add_records(changes_[i], json, row, records);
  if (!records.empty()) progress_.produced(to_text(position_));
}

void Changes::add_records(const Change& change, const Rows& json, int& row,
                          std::deque<RecordV2>& records) {
  using Operation = RecordV2::Operation;
  const RowChange& it = *change.row;
  begin(change.commit);
  const int before = it.before.empty() ? -1 : row++;
  const int after = it.after.empty() ? -1 : row++;
  const bool knows_before = before >= 0 && !it.before_is_key;
  const bool moved = before >= 0 && after >= 0 && !same_key(*change.shape, it.before, it.after);
  if (after < 0 || moved) {
    RecordV2 record = make_record(Operation::Delete, json.text(before, 0));
    if (knows_before) record.payload.before = to_bytes(json.text(before, 1));
    add_record(change, std::move(record), records);
  }
  if (after < 0) return;
  const bool is_new = moved || it.kind == RowChange::Kind::insert;
  RecordV2 record =
      make_record(is_new ? Operation::Create : Operation::Update, json.text(after, 0));
  if (knows_before && !is_new) record.payload.before = to_bytes(json.text(before, 1));
  record.payload.after = to_bytes(json.text(after, 1));
  add_record(change, std::move(record), records);
}

void Changes::begin(Lsn commit) {
  if (std::exchange(counted_, commit) != commit) count_ = 0;
}

bool Changes::was_read(std::uint64_t number) const {
  return position_.phase == Phase::stream &&
         (counted_ < position_.lsn || (counted_ == position_.lsn && number <= position_.record));
}

void Changes::add_record(const Change& change, RecordV2 record, std::deque<RecordV2>& records) {
  record.metadata.emplace("opencdc.collection", change.shape->table->table.relation);
  if (was_read(++count_)) return;
  position_.phase = Phase::stream;
  position_.lsn = counted_;
  position_.record = count_;
  record.position = to_bytes(to_text(position_));
  records.push_back(std::move(record));
}

}  // namespace tenon::postgres
