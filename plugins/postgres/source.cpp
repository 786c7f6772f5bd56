// SPDX-License-Identifier: BSL-1.0
#include "source.hpp"

#include <algorithm>
#include <utility>

namespace tenon::postgres {
namespace {

constexpr int page_size = 1000;

// A position is the phase with the columns of the row by which the rows are sorted.
constexpr std::string_view snapshot_begin = "{\"snapshot\":";
constexpr std::string_view poll_begin = "{\"poll\":";

bool starts_with(std::string_view text, std::string_view begin) {
  return text.compare(0, begin.size(), begin) == 0;
}

sdk::Failure not_ours(std::string_view position) {
  return sdk::Failure(TENON_INVALID_ARGUMENT, "the position \"", position,
                      "\" is not one of this plugin with these columns");
}

/// Returns a JSON object of columns of the row `t`.
std::string object_sql(const Names& columns) {
  return "(SELECT row_to_json(o)::text FROM (SELECT " + joined(columns, "t.") + ") AS o)";
}

}  // namespace

void Source::configure(const sdk::Config& config) {
  settings_ = source_parameters.read(config);
  action_ = "cannot read " + settings_.table;
  if (settings_.mode == Mode::poll || settings_.column.empty()) return;
  throw sdk::Failure(TENON_INVALID_ARGUMENT,
                     "parameter \"column\" is set, which only the mode \"poll\" uses");
}

void Source::open(std::optional<BytesView> position) {
  teardown();
  phase_ = Phase::snapshot;
  last_.reset();
  if (position) {
    std::string_view text = position->text();
    phase_ = starts_with(text, poll_begin) ? Phase::poll : Phase::snapshot;
    const std::string_view begin = phase_ == Phase::poll ? poll_begin : snapshot_begin;
    if (!starts_with(text, begin) || text.back() != '}') throw not_ours(text);
    text.remove_prefix(begin.size());
    last_ = text.substr(0, text.size() - 1);
  }
  connect();
  if (last_) check_position();
}

void Source::connect() {
  in_page_ = false;
  connection_.emplace(settings_.url.text, patience());
  table_ = find_table(*connection_, patience(), settings_.table);
  if (!table_.exists) {
    throw sdk::Failure(TENON_NOT_FOUND, "table ", table_.name,
                       " does not exist; fix: create it or name another one in \"table\"");
  }
  key_ = split(settings_.key);
  if (key_.empty()) key_ = primary_key(*connection_, patience(), table_);
  if (key_.empty()) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, "table ", table_.name,
                       " has no primary key; fix: set \"key\" to columns that identify a row");
  }
  order_ = key_;
  const bool is_in_key = std::find(key_.begin(), key_.end(), settings_.column) != key_.end();
  if (!settings_.column.empty() && !is_in_key) order_.insert(order_.begin(), settings_.column);
  // The server says whether the columns exist and may be read.
  connection_->run(patience(), action_,
                   "EXPLAIN SELECT t, " + joined(order_, "t.") + " FROM " + table_.name + " AS t");
}

void Source::check_position() {
  try {
    const Rows rows = connection_->run(patience(), action_,
                                       "SELECT num_nulls(" + joined(order_, "p.") +
                                           ") = 0 FROM jsonb_populate_record(null::" + table_.name +
                                           ", $1::jsonb) AS p",
                                       {last_});
    if (!rows.is_true(0, 0)) throw not_ours(*last_);
  } catch (const ServerError& error) {
    if (!error.is_of_row()) throw;
    throw not_ours(*last_);
  }
}

void Source::read_some(sdk::RecordBatch& batch) {
  try {
    if (!connection_) connect();
    while (!batch.full()) {
      if (!in_page_) begin_page();
      if (!read_page(batch)) return;
      if (in_page_rows_ == page_size) continue;
      if (!batch.empty() || settings_.mode == Mode::snapshot) return;
      phase_ = Phase::poll;
      call().wait(settings_.interval);
    }
  } catch (...) {
    connection_.reset();
    throw;
  }
}

void Source::begin_page() {
  const std::string order = joined(order_, "t.");
  std::string not_null;  // not num_nulls(), of which the planner knows nothing
  for (const std::string& name : order_) {
    not_null += sdk::text(not_null.empty() ? "t." : " AND t.", quoted_name(name), " IS NOT NULL");
  }
  std::string sql = "SELECT " + object_sql(order_) + ", " + object_sql(key_) +
                    ", row_to_json(t)::text FROM " + table_.name + " AS t WHERE " + not_null;
  Connection::Parameters parameters;
  if (last_) {
    sql += " AND (" + order + ") > (SELECT " + joined(order_, "p.") +
           " FROM jsonb_populate_record(null::" + table_.name + ", $1::jsonb) AS p)";
    parameters.push_back(last_);
  }
  sql += sdk::text(" ORDER BY ", order, " LIMIT ", page_size);
  connection_->begin(action_, sql, parameters);
  in_page_ = true;
  in_page_rows_ = 0;
}

bool Source::read_page(sdk::RecordBatch& batch) {
  while (!batch.full()) {
    const std::optional<Rows> row = connection_->next(patience(), action_);
    if (!row) {
      in_page_ = false;
      return true;
    }
    in_page_rows_++;
    batch.add(to_record(*row));
  }
  return false;
}

RecordV2 Source::to_record(const Rows& row) {
  last_ = row.text(0, 0);
  const bool is_snapshot = phase_ == Phase::snapshot;
  RecordV2 record;
  record.position = to_bytes(sdk::text(is_snapshot ? snapshot_begin : poll_begin, *last_, '}'));
  record.operation = is_snapshot                ? RecordV2::Operation::Snapshot
                     : settings_.column.empty() ? RecordV2::Operation::Create
                                                : RecordV2::Operation::Update;
  record.metadata.emplace("opencdc.payload.format", "json");
  record.key = to_bytes(row.text(0, 1));
  record.payload.after = to_bytes(row.text(0, 2));
  return record;
}

}  // namespace tenon::postgres
