// SPDX-License-Identifier: BSL-1.0
#include "in_flight_window.hpp"

#include <tenon/record/v2.h>

#include <algorithm>
#include <utility>

namespace pipeline {

Counts& operator+=(Counts& counts, const Counts& more) {
  counts.read += more.read;
  counts.written += more.written;
  counts.acknowledged += more.acknowledged;
  counts.refused += more.refused;
  return counts;
}

std::string to_text(const Counts& counts) {
  return "records: read " + std::to_string(counts.read) + ", written " +
         std::to_string(counts.written) + ", acknowledged " + std::to_string(counts.acknowledged) +
         (counts.refused == 0 ? "" : ", refused " + std::to_string(counts.refused));
}

namespace {

using Clock = std::chrono::steady_clock;

/// The limits of one read. Larger batches would not be faster, but would add latency.
constexpr std::uint64_t largest_batch = 1000;
constexpr std::uint64_t largest_batch_bytes = std::uint64_t{1} << 20;
/// The time that records that are read one at a time wait for others while earlier ones are in
/// flight. Each batch wakes all threads, which takes longer than reading many records.
constexpr std::chrono::milliseconds longest_collection(1);
/// The limit of the memory that free batches retain.
constexpr std::uint64_t max_retained_bytes = std::uint64_t{8} << 20;
constexpr std::size_t initial_slots = 16;

std::uint64_t size_of(const std::optional<tenon::BytesView>& bytes) {
  return bytes ? bytes->size() : 0;
}

tenon_bytes copied(tenon_call* call, const tenon_bytes& bytes) {
  if (bytes.data == nullptr) return bytes;  // absent
  return {static_cast<const std::uint8_t*>(tenon_allocate_copy(call, bytes.data, bytes.size)),
          bytes.size};
}

/// Returns a copy of a record in the arena of a call.
tenon_record_v2 copied(tenon_call* call, tenon_record_v2 record) {
  static_assert(sizeof record == 152, "copy all fields");
  record.position = copied(call, record.position);
  record.metadata = tenon::Value<tenon::TextMap>::raw<tenon::Copy::deep>(
      call, tenon::Value<tenon::TextMap>::own(record.metadata));
  record.key = copied(call, record.key);
  for (tenon_bytes* part : {&record.payload.before, &record.payload.after, &record.payload.bag}) {
    *part = copied(call, *part);
  }
  record.bag = copied(call, record.bag);
  return record;
}

std::uint64_t size_of(const Records& records) {
  std::uint64_t size = 0;
  for (const auto record : records) {
    size += record.position().size() + size_of(record.key());
    size += size_of(record.payload().before()) + size_of(record.payload().after());
    for (const auto& [key, value] : record.metadata()) size += key.size() + value.size();
  }
  return size;
}

}  // namespace

InFlightWindow::InFlightWindow(std::size_t destinations, const WindowLimits& limits,
                               bool has_processors, const BatchLimits& batch)
    : limits_(limits),
      has_processors_(has_processors),
      batch_(batch),
      batches_(initial_slots),
      cursors_(destinations) {}

// -- Reading ------------------------------------------------------------------

InFlightWindow::ReadBudget InFlightWindow::await_capacity() {
  tenon::sync::Lock lock(mutex_);
  capacity_.wait(lock, [&]() TENON_REQUIRES(mutex_) { return failed_ || below_limits(); });
  if (failed_) return {};
  if (!reading_ && !free_.empty()) {
    reading_ = std::move(free_.back());
    free_.pop_back();
    free_bytes_ -= reading_->retained_bytes;
  }
  if (!reading_) reading_ = std::make_unique<Batch>();
  const std::uint64_t collected = has_delay() && collected_ ? collected_->read.records.size() : 0;
  return {
      .call = &reading_->call,
      .records = static_cast<std::int32_t>(
          std::min({limits_.records - held(), largest_batch, batch_.records - collected})),
      .bytes = static_cast<std::int64_t>(std::min(limits_.bytes - bytes_, largest_batch_bytes))};
}

bool InFlightWindow::has_capacity() const {
  tenon::sync::Lock lock(mutex_);
  return below_limits();
}

/// Returns the number of records in batches that are not released.
InFlightWindow::Number InFlightWindow::held() const {
  if (added_ != released_) return read_ - batch(released_).read.first;
  return collected_ ? collected_->read.records.size() : 0;
}

std::uint64_t InFlightWindow::add(Records records) {
  const std::uint64_t bytes = size_of(records);
  tenon::sync::Lock lock(mutex_);
  if (committed_ == read_) oldest_since_ = Clock::now();
  reading_->read = {records, read_};
  reading_->bytes = bytes;
  reading_->retained_bytes = std::max(
      reading_->retained_bytes, sizeof(Batch) + records.size() * sizeof(tenon_record_v2) + bytes);
  bytes_ += bytes;
  read_ += records.size();
  // A processor that fails gives no records of its batch to destinations, and a destination that
  // fails may acknowledge none, so other reads stay batches.
  if (has_delay() || (records.size() == 1 && !has_processors_)) {
    collect();
  } else {
    add_collected();
    push(std::move(reading_));
  }
  return bytes;
}

/// Collects the records of the read, until there are enough for a batch or they are wanted.
void InFlightWindow::collect() {
  const std::size_t count = reading_->read.records.size();
  if (collected_ && (collected_->read.records.size() + count > batch_.records ||
                     (!has_delay() && collected_->bytes + reading_->bytes > largest_batch_bytes))) {
    add_collected();
  }
  if (!collected_) {
    collected_ = std::move(reading_);
    collected_until_ = Clock::now() + (has_delay() ? batch_.delay : longest_collection);
    unprocessed_.notify_one();
    for (Cursor& cursor : cursors_) cursor.work.notify_one();
  } else {
    merge_into_collected();
  }
  if (collected_->read.records.size() >= batch_.records || !below_limits()) add_collected();
  add_wanted();
}

/// Copies the records of the read to the end of those that are collected.
void InFlightWindow::merge_into_collected() {
  Batch& into = *collected_;
  std::vector<tenon_record_v2>& all = into.merged;
  if (into.read.records.raw().data != all.data()) {
    all.clear();
    for (const auto record : into.read.records) all.push_back(record.raw());
  }
  for (const auto record : reading_->read.records) {
    all.push_back(copied(into.call.raw(), record.raw()));
  }
  into.read.records = Records({all.data(), all.size(), sizeof(tenon_record_v2)});
  into.bytes += reading_->bytes;
  into.retained_bytes +=
      2 * reading_->read.records.size() * sizeof(tenon_record_v2) + reading_->bytes;
}

/// Adds the collected records if they have no delay, and a destination waits for more, or has
/// nothing else to do while no record is in flight. Destinations that are busy get what was read
/// meanwhile as one batch.
void InFlightWindow::add_wanted() {
  if (!collected_ || has_delay()) return;
  const bool alone = committed_ == collected_->read.first;
  const bool wanted = std::ranges::any_of(cursors_, [&](const Cursor& one) TENON_REQUIRES(mutex_) {
    return one.pausing || (alone && one.sent == processed_);
  });
  if (wanted || collected_->bytes >= largest_batch_bytes) add_collected();
}

/// Adds the collected records, if there are any, as one batch.
void InFlightWindow::add_collected() {
  if (!collected_) return;
  if (committed_ == collected_->read.first) oldest_since_ = Clock::now();  // the wait was no stall
  push(std::move(collected_));
}

/// Adds a batch to the ring buffer.
void InFlightWindow::push(std::unique_ptr<Batch> batch) {
  if (added_ - released_ == batches_.size()) grow();
  Batch& added = *(slot(added_++) = std::move(batch));
  if (has_processors_) {
    unprocessed_.notify_one();
  } else {
    publish(added, added.read.records, added.bytes);
  }
}

/// Makes the processed records of the next batch available to the destinations.
void InFlightWindow::publish(Batch& batch, const Records& processed, std::uint64_t bytes) {
  batch.processed = {processed, processed_};
  batch.processed_bytes = bytes;
  processed_ += processed.size();
  ++published_;
  if (processed.empty()) return;
  for (Cursor& cursor : cursors_) cursor.work.notify_one();
}

/// Doubles the ring buffer.
void InFlightWindow::grow() {
  std::vector<std::unique_ptr<Batch>> larger(2 * batches_.size());
  for (std::uint64_t i = released_; i < added_; ++i) larger[i % larger.size()] = std::move(slot(i));
  batches_ = std::move(larger);
}

bool InFlightWindow::await_all_committed() {
  tenon::sync::Lock lock(mutex_);
  add_collected();
  capacity_.wait(lock, [&]() TENON_REQUIRES(mutex_) { return failed_ || committed_ == read_; });
  return !failed_;
}

void InFlightWindow::end_reading() {
  tenon::sync::Lock lock(mutex_);
  add_collected();
  reading_ended_ = true;
  unprocessed_.notify_one();
  if (!has_processors_) set_processing_ended();
}

/// Wakes the threads of the destinations, because no more records are published.
void InFlightWindow::set_processing_ended() {
  processing_ended_ = true;
  for (Cursor& cursor : cursors_) {
    cursor.work.notify_one();
    cursor.acks_due.notify_one();
  }
}

// -- Processing ---------------------------------------------------------------

std::optional<InFlightWindow::Work> InFlightWindow::await_unprocessed() {
  tenon::sync::Lock lock(mutex_);
  wait(lock, unprocessed_, [&]() TENON_REQUIRES(mutex_) {
    return abandoned_ || reading_ended_ || published_ < added_;
  });
  if (abandoned_ || published_ == added_) return std::nullopt;
  processing_ = slot(published_).get();
  return Work{processing_->read.records, processing_->processing};
}

void InFlightWindow::add_processed() {
  Batch& batch = *processing_;
  const Records records = batch.processing.records();
  const std::uint64_t bytes = size_of(records);
  tenon::sync::Lock lock(mutex_);
  batch.retained_bytes += records.size() * sizeof(tenon_record_v2) + bytes;
  for (const auto& [index, refusal] : batch.processing.refused()) {
    refused_by_processors_.emplace_back(batch.read.first + index, refusal);
  }
  publish(batch, records, bytes);
  committable_.notify_one();
}

void InFlightWindow::end_processing() {
  tenon::sync::Lock lock(mutex_);
  set_processing_ended();
}

// -- Writing ------------------------------------------------------------------

bool InFlightWindow::await_work(std::size_t destination) {
  tenon::sync::Lock lock(mutex_);
  add_wanted();
  Cursor& cursor = cursors_[destination];
  const auto over = [&]() TENON_REQUIRES(mutex_) {
    return abandoned_ || cursor.closed || (cursor.stopped && cursor.acknowledged == processed_);
  };
  const auto work = [&]() TENON_REQUIRES(mutex_) {
    return !cursor.suspended &&
           (cursor.sent < processed_ || (processing_ended_ && !cursor.stopped));
  };
  wait(lock, cursor.work, [&]() TENON_REQUIRES(mutex_) { return over() || work(); });
  return !over();
}

Records InFlightWindow::offer(std::size_t destination) {
  tenon::sync::Lock lock(mutex_);
  Cursor& cursor = cursors_[destination];
  const Records records = slice(&Batch::processed, cursor.sent, processed_);
  cursor.offered = cursor.sent + records.size();
  cursor.acks_due.notify_one();
  return records;
}

Records InFlightWindow::offer(std::size_t destination, std::vector<tenon_record_v2>& merged) {
  tenon::sync::Lock lock(mutex_);
  Cursor& cursor = cursors_[destination];
  return offer_until(cursor, end_of_joined(cursor), merged);
}

Records InFlightWindow::offer(std::size_t destination, std::uint64_t count,
                              std::vector<tenon_record_v2>& merged) {
  tenon::sync::Lock lock(mutex_);
  Cursor& cursor = cursors_[destination];
  return offer_until(cursor, std::min(end_of_write(cursor), cursor.sent + count), merged);
}

/// Returns the end of the records that the next write may have: all, or those of one batch.
InFlightWindow::Number InFlightWindow::end_of_write(const Cursor& cursor) const {
  if (cursor.sent >= cursor.separate_until) return processed_;
  return batch(find(&Batch::processed, cursor.sent)).processed.end();
}

/// Returns the end of the next batch and of those after it that fit into the limits of a batch.
InFlightWindow::Number InFlightWindow::end_of_joined(const Cursor& cursor) const {
  const Number last = end_of_write(cursor);
  Number end = cursor.sent;
  std::uint64_t bytes = 0;
  for (std::uint64_t i = find(&Batch::processed, cursor.sent); end < last; ++i) {
    const Batch& next = batch(i);
    bytes += next.processed_bytes;
    const bool fits =
        next.processed.end() - cursor.sent <= batch_.records && bytes <= largest_batch_bytes;
    if (end != cursor.sent && !fits) break;
    end = next.processed.end();
  }
  return end;
}

/// Offers records, and joins them if they are from several batches.
Records InFlightWindow::offer_until(Cursor& cursor, Number until,
                                    std::vector<tenon_record_v2>& merged) {
  Records records = slice(&Batch::processed, cursor.sent, until);
  if (cursor.sent + records.size() < until) {
    merged.clear();
    while (!records.empty()) {
      for (const auto record : records) merged.push_back(record.raw());
      records = slice(&Batch::processed, cursor.sent + merged.size(), until);
    }
    records = Records({merged.data(), merged.size(), sizeof(tenon_record_v2)});
  }
  cursor.offered = cursor.sent + records.size();
  cursor.acks_due.notify_one();
  return records;
}

std::uint64_t InFlightWindow::unsent(std::size_t destination) const {
  tenon::sync::Lock lock(mutex_);
  const Cursor& cursor = cursors_[destination];
  return end_of_write(cursor) - cursor.sent;
}

void InFlightWindow::await_more(std::size_t destination, std::uint64_t count,
                                std::chrono::steady_clock::time_point deadline) {
  pause(destination, deadline, [&]() TENON_REQUIRES(mutex_) {
    const Cursor& cursor = cursors_[destination];
    return processed_ - cursor.sent >= count || cursor.sent < cursor.separate_until ||
           processing_ended_ || !below_limits();
  });
}

void InFlightWindow::pause_until(std::size_t destination,
                                 std::chrono::steady_clock::time_point time) {
  pause(destination, time, [] { return false; });
}

/// Waits for a condition on a thread that takes batches, until `end`. Adds the collected records
/// when their delay has passed.
template <class Condition>
void InFlightWindow::wait(tenon::sync::Lock<tenon::sync::Mutex>& lock,
                          tenon::sync::ConditionVariable& changed, Condition condition,
                          Clock::time_point end) {
  while (!condition()) {
    const Clock::time_point next = collected_ ? std::min(collected_until_, end) : end;
    if (next == Clock::time_point::max()) {
      changed.wait(lock);
    } else if (changed.wait_until(lock, next) == std::cv_status::timeout) {
      if (collected_ && collected_until_ <= Clock::now()) add_collected();
      if (end <= Clock::now()) return;
    }
  }
}

/// Waits on the thread that writes to a destination. The pause is no stall, unless the oldest
/// record waits for something else.
template <class Condition>
void InFlightWindow::pause(std::size_t destination, std::chrono::steady_clock::time_point end,
                           Condition is_over) {
  tenon::sync::Lock lock(mutex_);
  Cursor& cursor = cursors_[destination];
  cursor.pausing = true;
  add_wanted();
  wait(
      lock, cursor.work,
      [&]() TENON_REQUIRES(mutex_) { return abandoned_ || cursor.closed || is_over(); }, end);
  if (committed_ == read_ || !obstacle()) oldest_since_ = Clock::now();
  cursor.pausing = false;
}

bool InFlightWindow::separate(std::size_t destination) {
  tenon::sync::Lock lock(mutex_);
  Cursor& cursor = cursors_[destination];
  // A destination that has the outcome of some of the records got them, although the write failed.
  const Number resolved = cursor.acknowledged + (cursor.refused ? 1 : 0);
  if (resolved > cursor.sent || !offers_several_batches(cursor)) return false;
  cursor.separate_until = cursor.offered;
  cursor.offered = cursor.sent;
  return true;
}

bool InFlightWindow::offers_several_batches(const Cursor& cursor) const {
  const Records first = slice(&Batch::processed, cursor.sent, cursor.offered);
  return cursor.sent + first.size() < cursor.offered;
}

void InFlightWindow::mark_sent(std::size_t destination) {
  tenon::sync::Lock lock(mutex_);
  Cursor& cursor = cursors_[destination];
  if (cursor.sent == cursor.offered) return;  // closed during the write
  const Records last = slice(&Batch::processed, cursor.offered - 1, cursor.offered);
  const tenon::BytesView position = last[0].position();
  if (!cursor.last_position) cursor.last_position.emplace();
  cursor.last_position->assign(position.begin(), position.end());
  cursor.sent = cursor.offered;
  cursor.written = std::max(cursor.written, cursor.sent);
  committable_.notify_one();
}

void InFlightWindow::pass_on(std::size_t destination) {
  tenon::sync::Lock lock(mutex_);
  Cursor& cursor = cursors_[destination];
  cursor.sent = cursor.offered;
  committable_.notify_one();
}

void InFlightWindow::suspend(std::size_t destination) {
  tenon::sync::Lock lock(mutex_);
  Cursor& cursor = cursors_[destination];
  cursor.suspended = true;
  if (offers_several_batches(cursor)) cursor.separate_until = cursor.offered;
}

void InFlightWindow::mark_stopped(std::size_t destination) {
  tenon::sync::Lock lock(mutex_);
  cursors_[destination].stopped = true;
}

std::optional<tenon::BytesView> InFlightWindow::last_position(std::size_t destination) const {
  tenon::sync::Lock lock(mutex_);
  const auto& position = cursors_[destination].last_position;
  if (!position) return std::nullopt;
  return tenon::BytesView(*position);
}

// -- Collecting ---------------------------------------------------------------

bool InFlightWindow::await_offered(std::size_t destination) {
  tenon::sync::Lock lock(mutex_);
  Cursor& cursor = cursors_[destination];
  const auto due = [&]() TENON_REQUIRES(mutex_) { return cursor.acknowledged < cursor.offered; };
  const auto over = [&]() TENON_REQUIRES(mutex_) {
    return abandoned_ || cursor.closed || (processing_ended_ && cursor.acknowledged == processed_);
  };
  cursor.acks_due.wait(lock, [&]() TENON_REQUIRES(mutex_) { return due() || over(); });
  return due() && !abandoned_;
}

Records InFlightWindow::unacknowledged(std::size_t destination) const {
  tenon::sync::Lock lock(mutex_);
  return slice(&Batch::processed, cursors_[destination].acknowledged,
               cursors_[destination].offered);
}

void InFlightWindow::acknowledge(std::size_t destination, std::size_t count) {
  tenon::sync::Lock lock(mutex_);
  Cursor& cursor = cursors_[destination];
  advance(cursor, count);
}

void InFlightWindow::advance(Cursor& cursor, std::size_t count) {
  cursor.acknowledged += count;
  cursor.written = std::max(cursor.written, cursor.acknowledged);
  if (cursor.stopped) cursor.work.notify_one();
  committable_.notify_one();
}

bool InFlightWindow::refuse(std::size_t destination, tenon::Destination::AckError error) {
  tenon::sync::Lock lock(mutex_);
  Cursor& cursor = cursors_[destination];
  cursor.refused = Refusal{Refusal::By::destination, destination, std::move(error)};
  if (!await_resolved(lock, cursor)) return false;
  advance(cursor, 1);
  return true;
}

bool InFlightWindow::refuse(std::size_t destination, Refusal refusal,
                            const tenon::RecordView& record) {
  tenon::sync::Lock lock(mutex_);
  Cursor& cursor = cursors_[destination];
  cursor.refused = std::move(refusal);
  cursor.refused_record = record;
  return await_resolved(lock, cursor);
}

/// Waits until the refusal of a destination is resolved. Returns false if it never will be.
bool InFlightWindow::await_resolved(tenon::sync::Lock<tenon::sync::Mutex>& lock, Cursor& cursor) {
  const Number number = cursor.acknowledged;
  committable_.notify_one();
  // A destination that has finished without this record will never acknowledge it.
  const auto never = [&]() TENON_REQUIRES(mutex_) {
    return committing_ended_ ||
           std::any_of(cursors_.begin(), cursors_.end(), [&](const Cursor& other) {
             return other.threads == 0 && other.acknowledged <= number;
           });
  };
  cursor.acks_due.wait(lock, [&]() TENON_REQUIRES(mutex_) { return !cursor.refused || never(); });
  return !cursor.refused;
}

void InFlightWindow::rewind(std::size_t destination) {
  tenon::sync::Lock lock(mutex_);
  Cursor& cursor = cursors_[destination];
  cursor.offered = cursor.sent = cursor.acknowledged;
  cursor.suspended = cursor.stopped = false;
  cursor.work.notify_one();
}

void InFlightWindow::close(std::size_t destination) {
  tenon::sync::Lock lock(mutex_);
  Cursor& cursor = cursors_[destination];
  cursor.closed = true;
  cursor.offered = cursor.sent;
  cursor.work.notify_one();
  cursor.acks_due.notify_one();
}

void InFlightWindow::finish_thread(std::size_t destination) {
  tenon::sync::Lock lock(mutex_);
  --cursors_[destination].threads;
  committable_.notify_one();
  for (Cursor& other : cursors_) other.acks_due.notify_one();
}

// -- Committing ---------------------------------------------------------------

std::optional<InFlightWindow::Number> InFlightWindow::await_committable() {
  tenon::sync::Lock lock(mutex_);
  const auto finished = [&]() TENON_REQUIRES(mutex_) {
    return std::all_of(cursors_.begin(), cursors_.end(),
                       [](const Cursor& cursor) { return cursor.threads == 0; });
  };
  const auto any = [&]() TENON_REQUIRES(mutex_) {
    return committable() > committed_ || refused_by_processor() || refused_by_destination();
  };
  committable_.wait(lock,
                    [&]() TENON_REQUIRES(mutex_) { return abandoned_ || any() || finished(); });
  if (abandoned_ || !any()) return std::nullopt;
  return committable();
}

std::optional<InFlightWindow::Refused> InFlightWindow::refused() const {
  tenon::sync::Lock lock(mutex_);
  if (refused_by_processor()) {
    return Refused{committed_,
                   slice(&Batch::read, committed_, committed_ + 1)[0],
                   {refused_by_processors_.front().second}};
  }
  if (!refused_by_destination()) return std::nullopt;
  const Number number = first_refused();
  Refused refused{committed_, slice(&Batch::processed, number, number + 1)[0], {}};
  for (const std::size_t i : refusing(number)) {
    const Cursor& cursor = cursors_[i];
    if (cursor.refused_record) refused.record = *cursor.refused_record;
    refused.refusals.push_back(*cursor.refused);
  }
  return refused;
}

void InFlightWindow::resolve_refused() {
  tenon::sync::Lock lock(mutex_);
  ++resolved_refused_;
  if (refused_by_processor()) return refused_by_processors_.pop_front();
  for (const std::size_t i : refusing(first_refused())) {
    cursors_[i].refused.reset();
    cursors_[i].refused_record.reset();
    cursors_[i].acks_due.notify_one();
  }
}

Records InFlightWindow::uncommitted(Number until) const {
  tenon::sync::Lock lock(mutex_);
  return slice(&Batch::read, committed_, until);
}

tenon::BytesView InFlightWindow::position_before(Number number) const {
  tenon::sync::Lock lock(mutex_);
  return slice(&Batch::read, number - 1, number)[0].position();
}

void InFlightWindow::commit(std::size_t count) {
  tenon::sync::Lock lock(mutex_);
  const Batch& last = batch(find(&Batch::read, committed_));
  committed_ += count;
  oldest_since_ = Clock::now();
  const auto committed = static_cast<std::size_t>(committed_ - last.read.first);
  committed_processed_ =
      last.processed.first + (has_processors_ ? last.processing.count_of(committed) : committed);
  while (released_ < published_ && batch(released_).read.end() <= committed_) {
    release(std::move(slot(released_++)));
  }
  add_wanted();
  capacity_.notify_one();
}

void InFlightWindow::end_committing() {
  tenon::sync::Lock lock(mutex_);
  committing_ended_ = true;
  for (Cursor& cursor : cursors_) cursor.acks_due.notify_one();
}

/// Keeps a batch for reuse, unless free batches already retain enough memory.
void InFlightWindow::release(std::unique_ptr<Batch> batch) {
  bytes_ -= batch->bytes;
  if (free_bytes_ + batch->retained_bytes > max_retained_bytes) return;
  free_bytes_ += batch->retained_bytes;
  free_.push_back(std::move(batch));
}

/// Returns the end of the processed records that a destination has acknowledged and no longer
/// reads. A destination whose threads have finished reads nothing, even if its last batch was never
/// marked as sent.
InFlightWindow::Number InFlightWindow::end_of(const Cursor& cursor) {
  return cursor.threads == 0 ? cursor.acknowledged : std::min(cursor.acknowledged, cursor.sent);
}

/// Returns the end of the processed records for which that is true of every destination.
InFlightWindow::Number InFlightWindow::acknowledged_by_all() const {
  Number least = processed_;
  for (const Cursor& cursor : cursors_) least = std::min(least, end_of(cursor));
  return least;
}

/// Returns the first processed record that a destination refused; the end if there is none.
InFlightWindow::Number InFlightWindow::first_refused() const {
  Number first = processed_;
  for (const Cursor& cursor : cursors_) {
    if (cursor.refused) first = std::min(first, cursor.acknowledged);
  }
  return first;
}

/// Returns the destinations whose refusals of a processed record are resolved together: those that
/// got it as it is, before one that got another record from its own processors.
std::vector<std::size_t> InFlightWindow::refusing(Number number) const {
  std::vector<std::size_t> as_it_is;
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < cursors_.size(); ++i) {
    if (!refused_at(cursors_[i], number)) continue;
    (cursors_[i].refused_record ? changed : as_it_is).push_back(i);
  }
  if (!as_it_is.empty()) return as_it_is;
  changed.resize(1);
  return changed;
}

/// Returns the end of the records that were read all of whose processed records are among the first
/// `processed` ones.
InFlightWindow::Number InFlightWindow::read_covered_by(Number processed) const {
  if (!has_processors_) return processed;
  const std::uint64_t found = find(&Batch::processed, processed);
  if (found == published_) return found == released_ ? committed_ : batch(found - 1).read.end();
  const Batch& in = batch(found);
  return in.read.first +
         in.processing.origin(static_cast<std::size_t>(processed - in.processed.first));
}

/// Returns the end of the records that can be committed.
InFlightWindow::Number InFlightWindow::committable() const {
  const Number until = read_covered_by(std::min(acknowledged_by_all(), first_refused()));
  return refused_by_processors_.empty() ? until
                                        : std::min(until, refused_by_processors_.front().first);
}

/// Returns whether a processor refused the next record to commit.
bool InFlightWindow::refused_by_processor() const {
  return !refused_by_processors_.empty() && refused_by_processors_.front().first == committed_;
}

/// Returns whether destinations refused the next processed record and all others acknowledged it.
bool InFlightWindow::refused_by_destination() const {
  const Number number = first_refused();
  return number != processed_ &&
         std::all_of(cursors_.begin(), cursors_.end(),
                     [&](const Cursor& cursor) {
                       const Number end = end_of(cursor);
                       return end > number || (end == number && refused_at(cursor, number));
                     }) &&
         committable() == committed_ && !refused_by_processor();
}

// -- All threads --------------------------------------------------------------

/// Returns the number of the published batch that contains a record; `published_` if none does.
std::uint64_t InFlightWindow::find(RecordRange Batch::*range, Number number) const {
  std::uint64_t low = released_;
  for (std::uint64_t high = published_; low < high;) {
    const std::uint64_t middle = low + (high - low) / 2;
    if ((batch(middle).*range).end() <= number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Returns the records of the range that are in the batch of the first one. The range may be
/// inverted, and is then empty: a destination may acknowledge records of a batch whose write fails.
Records InFlightWindow::slice(RecordRange Batch::*range, Number from, Number until) const {
  if (until <= from) return {};
  const std::uint64_t number = find(range, from);
  if (number == published_) return {};
  const RecordRange& found = batch(number).*range;
  return found.records.slice(from - found.first, std::min(until, found.end()) - from);
}

void InFlightWindow::flush() {
  tenon::sync::Lock lock(mutex_);
  add_collected();
}

void InFlightWindow::fail() {
  tenon::sync::Lock lock(mutex_);
  failed_ = true;
  capacity_.notify_one();
}

void InFlightWindow::abandon() {
  tenon::sync::Lock lock(mutex_);
  failed_ = abandoned_ = committing_ended_ = true;
  capacity_.notify_one();
  unprocessed_.notify_one();
  committable_.notify_one();
  for (Cursor& cursor : cursors_) {
    cursor.work.notify_one();
    cursor.acks_due.notify_one();
  }
}

/// Returns what the oldest record waits for; nothing if it waits on purpose. REQUIRED: not all
/// records are committed.
std::optional<InFlightWindow::Obstacle> InFlightWindow::obstacle() const {
  if (collected_ && collected_->read.first <= committed_) return std::nullopt;
  if (batch_of_oldest() >= published_) return Obstacle{Step::processing};
  if (committable() != committed_ || refused_by_processor() || refused_by_destination())
    return Obstacle{Step::committing};
  const Number next = acknowledged_by_all();
  for (std::size_t i = 0; i < cursors_.size(); ++i) {
    const Cursor& cursor = cursors_[i];
    // A destination that refused the record waits for the others.
    if (cursor.refused || end_of(cursor) != next) continue;
    if (cursor.sent > next) return Obstacle{Step::acknowledging, i};
    if (!cursor.pausing) return Obstacle{Step::writing, i};
  }
  return std::nullopt;
}

std::uint64_t InFlightWindow::batch_of_oldest() const {
  std::uint64_t number = released_;
  while (batch(number).read.end() <= committed_) ++number;
  return number;
}

std::optional<InFlightWindow::Oldest> InFlightWindow::oldest() const {
  tenon::sync::Lock lock(mutex_);
  const auto what = committed_ != read_ ? obstacle() : std::nullopt;
  if (!what) return std::nullopt;
  const RecordRange& in = batch(batch_of_oldest()).read;
  return Oldest{in.records[committed_ - in.first].position().own(), what->step, what->destination,
                oldest_since_};
}

Counts InFlightWindow::counts() const {
  tenon::sync::Lock lock(mutex_);
  Number written = processed_;
  for (const Cursor& cursor : cursors_) written = std::min(written, cursor.written);
  return {read_, written, committed_, resolved_refused_};
}

Counts InFlightWindow::committed_counts() const {
  tenon::sync::Lock lock(mutex_);
  return {committed_, committed_processed_, committed_, resolved_refused_};
}

}  // namespace pipeline
