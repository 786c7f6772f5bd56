// SPDX-License-Identifier: BSL-1.0
#include <tenon/call.hpp>
#include <tenon/mutex.hpp>
#include <tenon/record.hpp>
#include <tenon/source.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "footprint.hpp"
#include "lifecycle_cases.hpp"
#include "subject.hpp"

namespace tenon::sdk::conformance {
namespace {

using namespace std::chrono_literals;
using Records = std::vector<Record>;
using Positions = std::vector<Bytes>;

Positions positions_of(const Records& records) {
  Positions positions;
  for (const Record& record : records) positions.push_back(record.position);
  return positions;
}

/// An open source.
class OpenSource {
 public:
  explicit OpenSource(Subject& subject, const std::optional<Bytes>& position = {})
      : subject_(subject), source_(subject, config_of<Source>(subject)) {
    require_done(source_->open(position ? std::optional<BytesView>(*position) : std::nullopt));
  }

  Source* operator->() noexcept { return source_.operator->(); }

  /// Reads `count` records; fewer at the end of the source or if no more arrive in time.
  Records read(std::size_t count) {
    const auto end = std::chrono::steady_clock::now() + subject_.patience();
    Records records;
    while (records.size() < count && read_some(end, count - records.size(), records)) {
    }
    return records;
  }

  /// Reads `count` records. The case is not run if there are fewer.
  Records read_all_of(std::size_t count) {
    Records records = read(count);
    if (records.size() < count) {
      skip("the source has only " + counted(records.size(), "record") + "; configure it to have " +
           std::to_string(count));
    }
    return records;
  }

  /// Reads to the end of the source. Returns false if it does not end in time.
  bool read_to_end() {
    const auto end = std::chrono::steady_clock::now() + subject_.patience();
    for (Records records; read_some(end, 1000, records); records.clear()) {
    }
    return ended_;
  }

  /// Returns whether to read again after an error: not at the end of the source, nor after `end`.
  bool may_continue(const Error& error, std::chrono::steady_clock::time_point end) {
    const bool too_late = std::chrono::steady_clock::now() >= end;
    ended_ = is(error, TENON_OUT_OF_RANGE);
    if (ended_ || too_late) return false;
    if (!error.retryable()) fail(error.to_string());
    std::this_thread::sleep_for(1ms);
    return true;
  }

  /// Stops the source and tears it down.
  void end() {
    if (const auto stopped = source_->stop(); !stopped) require_done(stopped.error());
    source_.teardown();
  }

 private:
  /// Reads one batch and adds its records. Returns whether to read again.
  bool read_some(std::chrono::steady_clock::time_point end, std::size_t most, Records& records) {
    tenon::Call call;
    call.set_deadline(end);
    const auto batch = source_->read_batch(call, static_cast<std::int32_t>(most), std::nullopt);
    if (!batch) return may_continue(batch.error(), end);
    for (const RecordView& record : *batch) records.push_back(own(record));
    return std::chrono::steady_clock::now() < end;
  }

  Subject& subject_;
  Instance<Source> source_;
  bool ended_ = false;
};

/// Cancels a call after a delay, unless it is destroyed earlier.
class LateCancel {
 public:
  LateCancel(tenon::Call& call, std::chrono::milliseconds after)
      : thread_([this, &call, after] {
          sync::Lock lock(mutex_);
          if (!over_.wait_for(lock, after, [this]() TENON_REQUIRES(mutex_) { return is_over_; }))
            call.cancel();
        }) {}
  ~LateCancel() {
    {
      const sync::Lock lock(mutex_);
      is_over_ = true;
    }
    over_.notify_one();
    thread_.join();
  }
  LateCancel(const LateCancel&) = delete;
  LateCancel& operator=(const LateCancel&) = delete;

 private:
  sync::Mutex mutex_;
  sync::ConditionVariable over_;
  bool is_over_ TENON_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

void gives_each_record_its_position(Subject& subject) {
  OpenSource source(subject);
  const Records records = source.read(20);
  if (records.size() < 2) skip("the source has only " + counted(records.size(), "record"));
  std::set<Bytes> seen;
  for (const Record& record : records) {
    require(seen.insert(record.position).second,
            "two records have the position " + shown(record.position));
  }
  source.end();
}

void gives_valid_records(Subject& subject) {
  subject.check_calls();
  OpenSource source(subject);
  source.read(20);
  source.end();
}

std::string text_of(const Positions& positions) {
  std::string text;
  for (const Bytes& position : positions) text += (text.empty() ? "" : " ") + shown(position);
  return text.empty() ? "nothing" : text;
}

bool same_data(const Records& some, const Records& others) {
  return std::equal(
      some.begin(), some.end(), others.begin(), others.end(), [](const Record& a, const Record& b) {
        return a.operation == b.operation && a.key == b.key &&
               a.payload.before == b.payload.before && a.payload.after == b.payload.after;
      });
}

/// Returns whether the source gives the same records each time it is opened.
bool is_repeatable(Subject& subject, const Records& records) {
  OpenSource again(subject);
  const Records repeated = again.read(records.size());
  again.end();
  return positions_of(repeated) == positions_of(records) && same_data(repeated, records);
}

void resumes(Subject& subject) {
  OpenSource first(subject);
  const Records records = first.read_all_of(10);
  const Positions positions = positions_of(records);
  require_done(first->ack(Positions(positions.begin(), positions.begin() + 5)));
  first.end();
  OpenSource second(subject, positions[4]);
  const Records rest = second.read(5);
  const Positions found = positions_of(rest);
  const Positions needed(positions.begin() + 5, positions.end());
  require(found == needed, "opened at " + shown(positions[4]) + ", needed the records at " +
                               text_of(needed) + ", found " + text_of(found));
  second.end();
  if (same_data(rest, Records(records.begin() + 5, records.end()))) return;
  require(!is_repeatable(subject, records),
          "opened at " + shown(positions[4]) + ", found records with other data than before");
}

void takes_acknowledgements(Subject& subject) {
  OpenSource source(subject);
  const Positions first = positions_of(source.read(3));
  if (first.empty()) skip("the source has no records");
  for (const Bytes& position : first) require_done(source->ack({position}));
  const Positions second = positions_of(source.read(3));
  if (!second.empty()) require_done(source->ack(second));
  source.end();
}

void takes_late_acknowledgements(Subject& subject) {
  OpenSource source(subject);
  const Positions positions = positions_of(source.read(3));
  if (positions.empty()) skip("the source has no records");
  if (const auto stopped = source->stop(); !stopped) require_done(stopped.error());
  require_done(source->ack(positions));
}

/// A source may return records that it has buffered before it ends.
constexpr int most_buffered_batches = 10'000;

/// Reads until an error, which has to be the cancellation or the end of the source.
void read_until_cancelled(OpenSource& source, tenon::Call& call) {
  for (int after = 0; after < most_buffered_batches;) {
    if (call.cancelled()) ++after;
    const auto batch = source->read_batch(call, 10, std::nullopt);
    if (batch || batch.error().retryable()) continue;
    if (is(batch.error(), TENON_CANCELLED) || is(batch.error(), TENON_OUT_OF_RANGE)) return;
    fail("needed cancelled, found " + batch.error().to_string());
  }
  fail("the source continues to read after it was cancelled");
}

void ends_a_cancelled_read(Subject& subject) {
  OpenSource source(subject);
  tenon::Call call;
  const LateCancel cancel(call, std::min(200ms, subject.patience()));
  read_until_cancelled(source, call);
}

void ends_a_read_cancelled_before(Subject& subject) {
  OpenSource source(subject);
  tenon::Call call;
  call.cancel();
  read_until_cancelled(source, call);
}

void stops_at_the_last_record(Subject& subject) {
  OpenSource source(subject);
  const Records records = source.read(3);
  const auto stopped = source->stop();
  if (!stopped && is(stopped.error(), TENON_UNIMPLEMENTED))
    skip("the plugin does not implement stop");
  const std::optional<Bytes> found = value_of(stopped);
  const std::string needed = records.empty() ? "no position" : shown(records.back().position);
  const std::string is = found ? shown(*found) : "no position";
  require(is == needed, "needed " + needed + ", found " + is);
}

std::size_t bytes_of(const Record& record) {
  std::size_t bytes = record.position.size();
  if (record.key) bytes += record.key->size();
  if (record.payload.before) bytes += record.payload.before->size();
  if (record.payload.after) bytes += record.payload.after->size();
  for (const auto& [key, value] : record.metadata) bytes += key.size() + value.size();
  return bytes;
}

/// Reads one batch and checks its limits. Returns false at the end.
bool check_batch(OpenSource& source, std::int32_t max, std::optional<std::int64_t> max_bytes,
                 std::chrono::steady_clock::time_point end) {
  tenon::Call call;
  call.set_deadline(end);
  auto batch = source->read_batch(call, max, max_bytes);
  while (!batch) {
    if (!source.may_continue(batch.error(), end)) return false;
    batch = source->read_batch(call, max, max_bytes);
  }
  require(batch->size() <= static_cast<std::size_t>(max),
          counted(batch->size(), "record") + " in a batch of at most " + std::to_string(max));
  std::size_t bytes = 0;
  for (const RecordView& record : *batch) {
    require(!max_bytes || bytes < static_cast<std::size_t>(*max_bytes),
            "the batch continues after " + std::to_string(bytes) + " bytes, the limit is " +
                std::to_string(max_bytes.value_or(0)));
    bytes += bytes_of(own(record));
  }
  return true;
}

void keeps_limits_of_batches(Subject& subject) {
  OpenSource source(subject);
  const auto end = std::chrono::steady_clock::now() + subject.patience();
  for (const std::int32_t max : {1, 3, 2}) {
    if (!check_batch(source, max, std::nullopt, end)) return;
  }
  for (const std::int64_t max_bytes : {1, 100}) {
    if (!check_batch(source, 100, max_bytes, end)) return;
  }
}

void reports_its_end(Subject& subject) {
  OpenSource source(subject);
  if (!source.read_to_end()) skip("the source does not end");
  source.end();
}

void run_and_end(Subject& subject) {
  OpenSource source(subject);
  const Positions positions = positions_of(source.read(10));
  if (!positions.empty()) require_done(source->ack(positions));
  source.end();
}

void leaves_nothing(Subject& subject) {
  require_nothing_left(subject, run_and_end);
}

constexpr Definition own_cases[] = {
    {"gives each record a unique position", gives_each_record_its_position},
    {"gives valid records", gives_valid_records},
    {"respects the limits of a batch", keeps_limits_of_batches},
    {"resumes after an acknowledged position", resumes},
    {"accepts acknowledgements in the order of the records", takes_acknowledgements},
    {"accepts acknowledgements after stop", takes_late_acknowledgements},
    {"ends a read that is cancelled while it waits", ends_a_cancelled_read},
    {"ends a read that is already cancelled", ends_a_read_cancelled_before},
    {"stops at the position of the last record", stops_at_the_last_record},
    {"reports the end of its records", reports_its_end},
    {"leaves no threads or descriptors after teardown", leaves_nothing},
};

constexpr auto all = with_lifecycle_cases<Source>(own_cases);

}  // namespace

Definitions source_cases() {
  return all;
}

}  // namespace tenon::sdk::conformance
