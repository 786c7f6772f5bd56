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
                      "; fix: delete the pipeline, and run it again to read the whole table");
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
  action_ = "cannot read " + settings_.table;
  require_mode(settings_, Mode::poll, settings_.column, "column");
  require_mode(settings_, Mode::replication, settings_.slot, "slot");
  require_mode(settings_, Mode::replication, settings_.publication, "publication");
}

void Source::on_created(MapView<std::string> /*config*/) {
  if (!replicates()) return;
  connect();
  create_slot(*connection_, limits(), slot_, table_, key_);
}

void Source::on_updated(MapView<std::string> before, MapView<std::string> /*after*/) {
  const EarlierConfig earlier(before, settings_.url.text);
  const SourceSettings old = source_parameters.read(sdk::Config(earlier.entries()));
  if (!replicates() && old.mode != Mode::replication) return;
  const auto identity = [](const SourceSettings& s) {
    return std::tie(s.mode, s.table, s.key, s.slot, s.publication);
  };
  if (identity(old) == identity(settings_)) return;
  throw sdk::Failure(TENON_FAILED_PRECONDITION,
                     "\"mode\", \"table\", \"key\", \"slot\" and \"publication\" cannot change "
                     "with the mode \"replication\"; fix: delete the pipeline, and run it again "
                     "to read the whole table");
}

void Source::on_deleted(MapView<std::string> config) {
  settings_ = source_parameters.read(sdk::Config(config));
  if (!replicates()) return;
  find_table();
  if (table_.exists) {
    remove_slot(*connection_, limits(), slot_);
    return;
  }
  for (const Table& table : removed_tables(*connection_, limits(), settings_.table)) {
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
  has_all_rows_ = false;
  has_position_ = position.has_value();
  if (position) begin_after(position->text());
  connect();
  if (!replicates()) {
    if (position && position_.table != table_.name) {
      throw sdk::wrong_position("table " + position_.table, "table " + table_.name);
    }
    position_.table = table_.name;
    if (position) check_position();
    return;
  }
  if (!position) create_slot(*connection_, limits(), slot_, table_, key_);
  progress_.emplace(position ? std::string(position->text()) : "");
  if (position && position_.slot != slot_.name) throw other_slot(position->text(), slot_.name);
  if (position && position_.phase == Phase::snapshot) check_position();
  check_slot(*connection_, limits(), slot_, table_);
  position_.slot = slot_.name;
  has_all_rows_ = position_.phase == Phase::stream;
}

void Source::begin_after(std::string_view position) {
  const std::optional<Position> parsed = parse_position(position);
  const bool fits = parsed && replicates() == !parsed->slot.empty();
  if (!fits) throw foreign_position(position);
  position_ = *parsed;
}

void Source::ack(ListView<Bytes> positions) {
  if (replicates()) progress_->acknowledged(positions[positions.size() - 1].text());
}

void Source::find_table() {
  in_page_ = false;
  connection_.emplace(settings_.url.text, limits());
  connection_->fix_formats(limits(), action_);
  table_ = postgres::find_table(*connection_, limits(), settings_.table);
  slot_ = slot_of(table_);
}

Slot Source::slot_of(const Table& table) const {
  const std::string name = settings_.slot.empty() ? slot_name(table) : settings_.slot;
  return {name, settings_.publication.empty() ? name : settings_.publication};
}

void Source::connect() {
  find_table();
  if (!table_.exists) {
    throw sdk::Failure(TENON_NOT_FOUND, "table ", table_.name,
                       " does not exist; fix: create it or name another one in \"table\"");
  }
  key_ = split(settings_.key);
  if (key_.empty()) key_ = primary_key(*connection_, limits(), table_);
  if (key_.empty()) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, "table ", table_.name,
                       " has no primary key; fix: set \"key\" to columns that identify a row");
  }
  order_ = key_;
  const bool is_in_key = std::find(key_.begin(), key_.end(), settings_.column) != key_.end();
  if (!settings_.column.empty() && !is_in_key) order_.insert(order_.begin(), settings_.column);
  // EXPLAIN reports whether the columns exist and may be read.
  connection_->run(
      limits(), action_,
      "EXPLAIN SELECT t.*, " + joined(order_, "t.") + " FROM " + table_.name + " AS t");
  position_sql_ = "jsonb_to_record($1::jsonb) AS p(" +
                  definitions(columns_of(*connection_, limits(), table_), order_) + ")";
}

void Source::check_position() {
  try {
    const Rows rows =
        connection_->run(limits(), action_,
                         "SELECT num_nulls(" + joined(order_, "p.") + ") = 0 FROM " + position_sql_,
                         {position_.row});
    if (!rows.is_true(0, 0)) throw foreign_position(position_.row);
  } catch (const ServerError& error) {
    if (!error.is_of_row()) throw;
    throw foreign_position(position_.row);
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
  progress_->confirmed(check_slot(*connection_, limits(), slot_, table_));
  changes_.emplace(table_, key_, settings_.truncate, position_, log, *progress_);
  stream_.emplace(settings_.url.text, limits(), slot_, position_.lsn, *progress_);
}

void Source::begin_page() {
  const std::string order = joined(order_, "t.");
  std::string not_null;  // not num_nulls(), which the planner cannot optimise
  for (const std::string& name : order_) {
    not_null += sdk::text(not_null.empty() ? "t." : " AND t.", quoted_name(name), " IS NOT NULL");
  }
  std::string sql = "SELECT " + object_sql(order_) + ", " + object_sql(key_) +
                    ", row_to_json(t.*)::text FROM " + table_.name + " AS t WHERE " + not_null;
  Connection::Parameters parameters;
  if (has_position_) {
    sql +=
        " AND (" + order + ") > (SELECT " + joined(order_, "p.") + " FROM " + position_sql_ + ")";
    parameters.emplace_back(position_.row);
  }
  sql += sdk::text(" ORDER BY ", order, " LIMIT ", page_size);
  connection_->begin(action_, sql, parameters);
  in_page_ = true;
  in_page_rows_ = 0;
}

bool Source::read_page(sdk::RecordBatch& batch) {
  while (!batch.full()) {
    const std::optional<Rows> row = connection_->next(limits(), action_);
    if (!row) {
      in_page_ = false;
      return true;
    }
    ++in_page_rows_;
    batch.add(to_record(*row));
  }
  return false;
}

RecordV2 Source::to_record(const Rows& row) {
  has_position_ = true;
  position_.row = row.text(0, 0);
  const std::string position = to_text(position_);
  if (replicates()) progress_->produced(position);
  RecordV2 record;
  record.position = to_bytes(position);
  record.operation = position_.phase == Phase::snapshot ? RecordV2::Operation::Snapshot
                     : settings_.column.empty()         ? RecordV2::Operation::Create
                                                        : RecordV2::Operation::Update;
  record.metadata.emplace("opencdc.payload.format", "json");
  record.metadata.emplace("opencdc.collection", table_.relation);
  record.key = to_bytes(row.text(0, 1));
  record.payload.after = to_bytes(row.text(0, 2));
  return record;
}

}  // namespace tenon::postgres
