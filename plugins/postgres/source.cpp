// SPDX-License-Identifier: BSL-1.0
#include "source.hpp"

#include <tenon/sdk/content_checksum.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace tenon::postgres {
namespace {

constexpr int page_size = 1000;

sdk::Failure foreign_position(std::string_view position) {
  return sdk::Failure(TENON_INVALID_ARGUMENT, "the position \"", position,
                      "\" is not a position of this plugin with these columns");
}

/// Returns a JSON object of columns of the row `t`. `o` alone could be a column.
std::string object_sql(const Names& columns) {
  return "(SELECT row_to_json(o.*)::text FROM (SELECT " + joined(columns, "t.") + ") AS o)";
}

sdk::Failure other_slot(std::string_view position, std::string_view slot) {
  return sdk::Failure(TENON_INVALID_ARGUMENT, "the position \"", position,
                      "\" does not belong to the replication slot ", slot,
                      "; fix: delete the pipeline, and run it again to read all rows");
}

/// Returns the names of the tables in the configuration.
Names table_names(const SourceSettings& settings) {
  return settings.tables.empty() ? Names{settings.table} : split_tables(settings.tables);
}

/// Throws sdk::Failure if a parameter is set that only another mode uses.
void require_mode(const SourceSettings& settings, Mode mode, std::string_view value,
                  std::string_view name) {
  if (settings.mode == mode || value.empty()) return;
  const std::string_view word = mode == Mode::poll ? "poll" : "replication";
  throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"", name,
                     "\" is set, which only the mode \"", word, "\" uses");
}

tenon_string raw_of(std::string_view text) {
  return {text.data(), text.size()};
}

/// An earlier config. If it has no url, because hosts do not store passwords, it has the current
/// one.
class EarlierConfig {
 public:
  EarlierConfig(MapView<std::string> before, const std::string& url) {
    for (const auto& [key, value] : before) add(key, value);
    if (!before.find("url")) add("url", url);
  }
  MapView<std::string> entries() const {
    return MapView<std::string>(tenon_map{{keys_.data(), keys_.size(), sizeof(tenon_string)},
                                          {values_.data(), values_.size(), sizeof(tenon_string)}});
  }

 private:
  void add(std::string_view key, std::string_view value) {
    keys_.push_back(raw_of(key));
    values_.push_back(raw_of(value));
  }

  std::vector<tenon_string> keys_;
  std::vector<tenon_string> values_;
};

}  // namespace

void Source::configure(const sdk::Config& config) {
  settings_ = source_parameters.read(config);
  if (exposes_password(settings_.url.text)) log.warn(exposed_password);
  const Names names = table_names(settings_);
  if (settings_.table.empty() == settings_.tables.empty() || names.empty()) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT,
                       settings_.table.empty()
                           ? "parameter \"table\" or \"tables\" is required"
                           : "parameters \"table\" and \"tables\" are both set");
  }
  tables_.clear();
  for (const std::string& name : names) tables_.push_back({name, "cannot read " + name});
  require_mode(settings_, Mode::poll, settings_.column, "column");
  require_mode(settings_, Mode::replication, settings_.slot, "slot");
  require_mode(settings_, Mode::replication, settings_.publication, "publication");
}

void Source::on_created(MapView<std::string> /*config*/) {
  if (!replicates()) return;
  connect();
  create_slot(*connection_, limits(), slot_, keyed_tables());
}

void Source::on_updated(MapView<std::string> before, MapView<std::string> /*after*/) {
  const EarlierConfig earlier(before, settings_.url.text);
  const SourceSettings old = source_parameters.read(sdk::Config(earlier.entries()));
  if (!replicates() && old.mode != Mode::replication) return;
  const auto identity = [](const SourceSettings& s) {
    return std::make_tuple(s.mode, table_names(s), s.key, s.slot, s.publication);
  };
  if (identity(old) == identity(settings_)) return;
  throw sdk::Failure(TENON_FAILED_PRECONDITION,
                     "\"mode\", \"table\", \"tables\", \"key\", \"slot\" and \"publication\" "
                     "cannot change with the mode \"replication\"; fix: delete the pipeline, and "
                     "run it again to read all rows");
}

void Source::on_deleted(MapView<std::string> config) {
  configure(sdk::Config(config));
  if (!replicates()) return;
  find_tables();
  const SourceTable& first = tables_.front();
  if (first.table.exists || tables_.size() > 1) {
    remove_slot(*connection_, limits(), slot_);
    return;
  }
  for (const Table& table : removed_tables(*connection_, limits(), first.configured)) {
    remove_slot(*connection_, limits(), slot_of(table));
  }
}

void Source::teardown() {
  changes_.reset();
  stream_.reset();
  records_.clear();
  connection_.reset();
}

void Source::open(std::optional<BytesView> position) {
  teardown();
  position_ = {};
  current_ = 0;
  has_all_rows_ = false;
  for (SourceTable& table : tables_) table.row.reset();
  connect();
  if (position) begin_after(position->text());
  if (!replicates()) return;
  if (!position) create_slot(*connection_, limits(), slot_, keyed_tables());
  progress_.emplace(position ? std::string(position->text()) : "");
  check_slot(*connection_, limits(), slot_, keyed_tables());
  position_.slot = slot_.name;
  has_all_rows_ = position_.phase == Phase::stream;
}

void Source::begin_after(std::string_view position) {
  const std::vector<Position> all = parse_positions(position);
  if (all.empty() || replicates() == all.front().slot.empty()) throw foreign_position(position);
  if (replicates() && all.front().slot != slot_.name) throw other_slot(position, slot_.name);
  position_ = all.front();
  if (position_.phase == Phase::stream) return;
  for (const Position& one : all) {
    SourceTable& table = table_of(one);
    table.row = one.row;
    check_row(table);
    if (replicates()) current_ = static_cast<std::size_t>(&table - tables_.data());
  }
}

Source::SourceTable& Source::table_of(const Position& position) {
  if (position.table.empty() && tables_.size() == 1) return tables_.front();
  const auto found = std::find_if(tables_.begin(), tables_.end(), [&](const SourceTable& one) {
    return one.table.name == position.table;
  });
  if (found != tables_.end()) return *found;
  std::string names;
  for (const SourceTable& one : tables_) names += (names.empty() ? "" : ", ") + one.table.name;
  throw sdk::wrong_position(position.table.empty() ? "a single table" : "table " + position.table,
                            (tables_.size() == 1 ? "table " : "tables ") + names);
}

void Source::ack(ListView<Bytes> positions) {
  if (replicates()) progress_->acknowledged(positions[positions.size() - 1].text());
}

void Source::find_tables() {
  in_page_ = false;
  connection_.emplace(settings_.url.text, limits());
  connection_->fix_formats(limits(), tables_.front().action);
  for (SourceTable& one : tables_) {
    one.table = find_table(*connection_, limits(), one.configured);
  }
  slot_ = slot_of(tables_.front().table);
}

Slot Source::slot_of(const Table& table) const {
  std::string name = settings_.slot;
  if (name.empty()) {
    name = tables_.size() == 1 ? slot_name(table) : slot_name(table_names(settings_));
  }
  return {name, settings_.publication.empty() ? name : settings_.publication};
}

void Source::connect() {
  find_tables();
  for (SourceTable& table : tables_) prepare(table);
  check_names();
}

void Source::prepare(SourceTable& one) {
  const Table& table = one.table;
  if (!table.exists) {
    throw sdk::Failure(TENON_NOT_FOUND, "table ", table.name,
                       " does not exist; fix: create it or name another one in \"",
                       settings_.tables.empty() ? "table" : "tables", "\"");
  }
  one.key = split(settings_.key);
  if (one.key.empty()) one.key = primary_key(*connection_, limits(), table);
  if (one.key.empty()) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, "table ", table.name,
                       " has no primary key; fix: set \"key\" to columns that identify a row");
  }
  one.order = one.key;
  const bool is_in_key =
      std::find(one.key.begin(), one.key.end(), settings_.column) != one.key.end();
  if (!settings_.column.empty() && !is_in_key) {
    one.order.insert(one.order.begin(), settings_.column);
  }
  // EXPLAIN reports whether the columns exist and may be read.
  connection_->run(
      limits(), one.action,
      "EXPLAIN SELECT t.*, " + joined(one.order, "t.") + " FROM " + table.name + " AS t");
  one.position_sql = "jsonb_to_record($1::jsonb) AS p(" +
                     definitions(columns_of(*connection_, limits(), table), one.order) + ")";
}

/// Throws sdk::Failure if records of two tables could not be told apart.
void Source::check_names() const {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const Table& table = tables_[i].table;
    for (std::size_t other = 0; other < i; ++other) {
      if (tables_[other].table.relation != table.relation) continue;
      throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"tables\" has two tables ",
                         table.relation, ": ", tables_[other].table.name, " and ", table.name,
                         "; the metadata opencdc.collection would be the same; fix: read one of "
                         "them in another pipeline");
    }
  }
}

KeyedTables Source::keyed_tables() const {
  KeyedTables keyed;
  for (const SourceTable& one : tables_) keyed.push_back({one.table, one.key});
  return keyed;
}

void Source::check_row(const SourceTable& table) {
  try {
    const Rows rows = connection_->run(
        limits(), table.action,
        "SELECT num_nulls(" + joined(table.order, "p.") + ") = 0 FROM " + table.position_sql,
        {*table.row});
    if (!rows.is_true(0, 0)) throw foreign_position(*table.row);
  } catch (const ServerError& error) {
    if (!error.is_of_row()) throw;
    throw foreign_position(*table.row);
  }
}

void Source::read_some(sdk::RecordBatch& batch) {
  try {
    if (!connection_) connect();
    has_all_rows_ = has_all_rows_ || read_rows(batch);
    if (has_all_rows_ && batch.empty()) read_changes(batch);
  } catch (...) {
    connection_.reset();
    // After cancellation the stream still confirms acknowledged records.
    if (!call().cancelled()) stream_.reset();
    throw;
  }
}

bool Source::read_rows(sdk::RecordBatch& batch) {
  while (!batch.full()) {
    if (!in_page_) begin_page();
    if (!read_page(batch)) return false;
    if (in_page_rows_ == page_size) continue;
    current_ = (current_ + 1) % tables_.size();
    if (current_ != 0) continue;
    if (replicates()) return true;
    if (!batch.empty() || settings_.mode == Mode::snapshot) return false;
    position_.phase = Phase::poll;
    call().wait(settings_.interval);
  }
  return false;
}

void Source::read_changes(sdk::RecordBatch& batch) {
  while (records_.empty()) fetch_records();
  while (!records_.empty() && !batch.full()) {
    batch.add(records_.front());
    records_.pop_front();
  }
}

void Source::fetch_records() {
  if (!stream_) start_stream();
  while (!changes_->has_changes()) {
    changes_->fetch(*stream_);
    if (!changes_->has_changes()) stream_->wait(limits());
  }
  changes_->convert(*connection_, limits(), records_);
}

void Source::start_stream() {
  if (changes_) position_ = changes_->position();
  progress_->confirmed(check_slot(*connection_, limits(), slot_, keyed_tables()));
  changes_.emplace(keyed_tables(), settings_.truncate, position_, log, *progress_);
  stream_.emplace(settings_.url.text, limits(), slot_, position_.lsn, *progress_);
}

void Source::begin_page() {
  const SourceTable& table = tables_[current_];
  const std::string order = joined(table.order, "t.");
  std::string not_null;  // not num_nulls(), which the planner cannot optimise
  for (const std::string& name : table.order) {
    not_null += sdk::text(not_null.empty() ? "t." : " AND t.", quoted_name(name), " IS NOT NULL");
  }
  std::string sql = "SELECT " + object_sql(table.order) + ", " + object_sql(table.key) +
                    ", row_to_json(t.*)::text FROM " + table.table.name + " AS t WHERE " + not_null;
  Connection::Parameters parameters;
  if (table.row) {
    sql += " AND (" + order + ") > (SELECT " + joined(table.order, "p.") + " FROM " +
           table.position_sql + ")";
    parameters.emplace_back(*table.row);
  }
  sql += sdk::text(" ORDER BY ", order, " LIMIT ", page_size);
  connection_->begin(table.action, sql, parameters);
  in_page_ = true;
  in_page_rows_ = 0;
  set_other_rows();
}

bool Source::read_page(sdk::RecordBatch& batch) {
  while (!batch.full()) {
    const std::optional<Rows> row = connection_->next(limits(), tables_[current_].action);
    if (!row) {
      in_page_ = false;
      return true;
    }
    ++in_page_rows_;
    batch.add(to_record(*row));
  }
  return false;
}

/// Sets the part of positions that is the same for all rows of a page.
void Source::set_other_rows() {
  const bool has_table = !replicates() || tables_.size() > 1;
  position_.table = has_table ? tables_[current_].table.name : "";
  other_rows_.clear();
  for (const SourceTable& other : tables_) {
    if (replicates() || &other == &tables_[current_] || !other.row) continue;
    other_rows_ += ',' + to_text(Position{position_.phase, {}, other.table.name, *other.row});
  }
}

/// Returns the position after the current row.
std::string Source::position_text() const {
  const std::string position = to_text(position_);
  return replicates() || tables_.size() == 1 ? position : '[' + position + other_rows_ + ']';
}

RecordV2 Source::to_record(const Rows& row) {
  SourceTable& table = tables_[current_];
  position_.row = row.text(0, 0);
  table.row = position_.row;
  const std::string position = position_text();
  if (replicates()) progress_->produced(position);
  RecordV2 record;
  record.position = to_bytes(position);
  record.operation = position_.phase == Phase::snapshot ? RecordV2::Operation::Snapshot
                     : settings_.column.empty()         ? RecordV2::Operation::Create
                                                        : RecordV2::Operation::Update;
  record.metadata.emplace("opencdc.payload.format", "json");
  record.metadata.emplace("opencdc.collection", table.table.relation);
  record.key = to_bytes(row.text(0, 1));
  record.payload.after = to_bytes(row.text(0, 2));
  return record;
}

}  // namespace tenon::postgres
