// SPDX-License-Identifier: BSL-1.0
#include "transit.hpp"

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

/// The most that is read at once. Larger batches would not be faster, only older.
constexpr std::uint64_t largest_batch = 1000;
constexpr std::uint64_t largest_batch_bytes = std::uint64_t{1} << 20;
/// The most memory that is kept for the next batches.
constexpr std::uint64_t most_kept = std::uint64_t{8} << 20;
constexpr std::size_t first_places = 16;

std::uint64_t size_of(const std::optional<tenon::BytesView>& bytes) {
  return bytes ? bytes->size() : 0;
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

Transit::Transit(std::size_t lanes, const Window& window, bool has_processors)
    : window_(window), has_processors_(has_processors), batches_(first_places), lanes_(lanes) {}

// -- Reading ------------------------------------------------------------------

Transit::Room Transit::await_room() {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return failed_ || is_open(); });
  if (failed_) return {};
  if (!reading_ && !free_.empty()) {
    reading_ = std::move(free_.back());
    free_.pop_back();
    free_bytes_ -= reading_->kept;
  }
  if (!reading_) reading_ = std::make_unique<Batch>();
  return {
      .call = &reading_->call,
      .records = static_cast<std::int32_t>(std::min(window_.records - held(), largest_batch)),
      .bytes = static_cast<std::int64_t>(std::min(window_.bytes - bytes_, largest_batch_bytes))};
}

bool Transit::has_room() const {
  std::lock_guard lock(mutex_);
  return is_open();
}

/// The records in batches that are not released.
Transit::Number Transit::held() const {
  return added_ == released_ ? 0 : read_ - batch(released_).read.first;
}

void Transit::add(Records records) {
  const std::uint64_t bytes = size_of(records);
  std::lock_guard lock(mutex_);
  if (added_ - released_ == batches_.size()) grow();
  reading_->read = {records, read_};
  reading_->bytes = bytes;
  reading_->kept =
      std::max(reading_->kept, sizeof(Batch) + records.size() * sizeof(tenon_record_v2) + bytes);
  Batch& added = *(place(added_++) = std::move(reading_));
  bytes_ += bytes;
  read_ += records.size();
  if (has_processors_) {
    unprocessed_.notify_one();
  } else {
    hand_on(added, records);
  }
}

/// Gives a batch, the next that was added, to the destinations.
void Transit::hand_on(Batch& batch, const Records& processed) {
  batch.processed = {processed, processed_};
  processed_ += processed.size();
  handed_on_++;
  if (processed.empty()) return;
  const tenon::BytesView last = processed[processed.size() - 1].position();
  last_position_.assign(last.begin(), last.end());
  for (Lane& lane : lanes_) lane.work.notify_one();
}

/// Makes room for twice as many batches.
void Transit::grow() {
  std::vector<std::unique_ptr<Batch>> larger(2 * batches_.size());
  for (std::uint64_t i = released_; i < added_; i++)
    larger[i % larger.size()] = std::move(place(i));
  batches_ = std::move(larger);
}

bool Transit::await_settled() {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return failed_ || settled_ == read_; });
  return !failed_;
}

void Transit::end_reading() {
  std::lock_guard lock(mutex_);
  reading_ended_ = true;
  unprocessed_.notify_one();
  if (!has_processors_) end();
}

/// Nothing more comes for the destinations.
void Transit::end() {
  ended_ = true;
  for (Lane& lane : lanes_) {
    lane.work.notify_one();
    lane.owed.notify_one();
  }
}

// -- Processing ---------------------------------------------------------------

std::optional<Transit::Work> Transit::await_read() {
  std::unique_lock lock(mutex_);
  unprocessed_.wait(lock, [&] { return abandoned_ || reading_ended_ || handed_on_ < added_; });
  if (abandoned_ || handed_on_ == added_) return std::nullopt;
  processing_ = place(handed_on_).get();
  return Work{processing_->read.records, processing_->processing};
}

void Transit::add_processed() {
  Batch& batch = *processing_;
  const Records records = batch.processing.records();
  const std::uint64_t bytes = records.size() * sizeof(tenon_record_v2) + size_of(records);
  std::lock_guard lock(mutex_);
  batch.kept += bytes;
  for (const auto& [index, refusal] : batch.processing.refused()) {
    refused_by_processors_.emplace_back(batch.read.first + index, refusal);
  }
  hand_on(batch, records);
  settleable_.notify_one();
}

void Transit::end_processing() {
  std::lock_guard lock(mutex_);
  end();
}

// -- Writing ------------------------------------------------------------------

bool Transit::await_work(std::size_t lane) {
  std::unique_lock lock(mutex_);
  Lane& at = lanes_[lane];
  const auto over = [&] {
    return abandoned_ || at.closed || (at.stopped && at.acknowledged == processed_);
  };
  const auto work = [&] { return !at.lost && (at.sent < processed_ || (ended_ && !at.stopped)); };
  at.work.wait(lock, [&] { return over() || work(); });
  return !over();
}

Records Transit::offer(std::size_t lane) {
  std::lock_guard lock(mutex_);
  Lane& at = lanes_[lane];
  const Records records = run(&Batch::processed, at.sent, processed_);
  at.offered = at.sent + records.size();
  at.owed.notify_one();
  return records;
}

void Transit::sent(std::size_t lane) {
  std::lock_guard lock(mutex_);
  Lane& at = lanes_[lane];
  at.sent = at.offered;
  at.written = std::max(at.written, at.sent);
  settleable_.notify_one();
}

void Transit::lost(std::size_t lane) {
  std::lock_guard lock(mutex_);
  lanes_[lane].lost = true;
}

void Transit::stopped(std::size_t lane) {
  std::lock_guard lock(mutex_);
  lanes_[lane].stopped = true;
}

std::optional<tenon::BytesView> Transit::last_position() const {
  std::lock_guard lock(mutex_);
  if (processed_ == 0) return std::nullopt;
  return tenon::BytesView(last_position_);
}

// -- Collecting ---------------------------------------------------------------

bool Transit::await_offered(std::size_t lane) {
  std::unique_lock lock(mutex_);
  Lane& at = lanes_[lane];
  const auto owes = [&] { return at.acknowledged < at.offered; };
  const auto over = [&] {
    return abandoned_ || at.closed || (ended_ && at.acknowledged == processed_);
  };
  at.owed.wait(lock, [&] { return owes() || over(); });
  return owes() && !abandoned_;
}

Records Transit::unacknowledged(std::size_t lane) const {
  std::lock_guard lock(mutex_);
  return run(&Batch::processed, lanes_[lane].acknowledged, lanes_[lane].offered);
}

void Transit::acknowledge(std::size_t lane, std::size_t count) {
  std::lock_guard lock(mutex_);
  Lane& at = lanes_[lane];
  at.acknowledged += count;
  if (at.stopped) at.work.notify_one();
  settleable_.notify_one();
}

bool Transit::refuse(std::size_t lane, tenon::Destination::AckError error) {
  std::unique_lock lock(mutex_);
  Lane& at = lanes_[lane];
  const Number number = at.acknowledged++;
  at.refused = std::move(error);
  at.work.notify_one();
  settleable_.notify_one();
  // One that has finished without this record acknowledges it no more.
  const auto never = [&] {
    return settling_ended_ || std::any_of(lanes_.begin(), lanes_.end(), [&](const Lane& other) {
             return other.threads == 0 && other.acknowledged <= number;
           });
  };
  at.owed.wait(lock, [&] { return !at.refused || never(); });
  return !at.refused;
}

void Transit::rewind(std::size_t lane) {
  std::lock_guard lock(mutex_);
  Lane& at = lanes_[lane];
  at.offered = at.sent = at.acknowledged;
  at.lost = at.stopped = false;
  at.work.notify_one();
}

void Transit::close(std::size_t lane) {
  std::lock_guard lock(mutex_);
  Lane& at = lanes_[lane];
  at.closed = true;
  at.offered = at.sent;
  at.work.notify_one();
  at.owed.notify_one();
}

void Transit::finish(std::size_t lane) {
  std::lock_guard lock(mutex_);
  lanes_[lane].threads--;
  settleable_.notify_one();
  for (Lane& other : lanes_) other.owed.notify_one();
}

// -- Settling -----------------------------------------------------------------

std::optional<Transit::Number> Transit::await_acknowledged() {
  std::unique_lock lock(mutex_);
  const auto finished = [&] {
    return std::all_of(lanes_.begin(), lanes_.end(),
                       [](const Lane& at) { return at.threads == 0; });
  };
  const auto any = [&] {
    return settleable() > settled_ || refused_by_processor() || refused_by_destination();
  };
  settleable_.wait(lock, [&] { return abandoned_ || any() || finished(); });
  if (abandoned_ || !any()) return std::nullopt;
  return settleable();
}

std::optional<Transit::Refused> Transit::refused() const {
  std::lock_guard lock(mutex_);
  if (refused_by_processor()) {
    return Refused{settled_,
                   run(&Batch::read, settled_, settled_ + 1)[0],
                   {refused_by_processors_.front().second}};
  }
  if (!refused_by_destination()) return std::nullopt;
  const Number number = first_refused();
  Refused refused{settled_, run(&Batch::processed, number, number + 1)[0], {}};
  for (std::size_t i = 0; i < lanes_.size(); i++) {
    if (!refused_at(lanes_[i], number)) continue;
    refused.refusals.push_back({Refusal::By::destination, i, *lanes_[i].refused});
  }
  return refused;
}

void Transit::pass_refused() {
  std::lock_guard lock(mutex_);
  passed_refused_++;
  if (refused_by_processor()) return refused_by_processors_.pop_front();
  const Number number = first_refused();
  for (Lane& lane : lanes_) {
    if (!refused_at(lane, number)) continue;
    lane.refused.reset();
    lane.owed.notify_one();
  }
}

Records Transit::unsettled(Number until) const {
  std::lock_guard lock(mutex_);
  return run(&Batch::read, settled_, until);
}

tenon::BytesView Transit::position_before(Number number) const {
  std::lock_guard lock(mutex_);
  return run(&Batch::read, number - 1, number)[0].position();
}

void Transit::settle(std::size_t count) {
  std::lock_guard lock(mutex_);
  const Batch& last = batch(find(&Batch::read, settled_));
  settled_ += count;
  const auto settled = static_cast<std::size_t>(settled_ - last.read.first);
  settled_processed_ =
      last.processed.first + (has_processors_ ? last.processing.count_of(settled) : settled);
  while (released_ < handed_on_ && batch(released_).read.end() <= settled_) {
    release(std::move(place(released_++)));
  }
  room_.notify_one();
}

void Transit::end_settling() {
  std::lock_guard lock(mutex_);
  settling_ended_ = true;
  for (Lane& lane : lanes_) lane.owed.notify_one();
}

/// Keeps a batch for the next read, unless enough memory is kept already.
void Transit::release(std::unique_ptr<Batch> batch) {
  bytes_ -= batch->bytes;
  if (free_bytes_ + batch->kept > most_kept) return;
  free_bytes_ += batch->kept;
  free_.push_back(std::move(batch));
}

/// Until where every destination acknowledged, and is not reading any more. One that has finished
/// reads nothing, also of a batch that it was not told in time to have been written.
Transit::Number Transit::safe() const {
  Number least = processed_;
  for (const Lane& at : lanes_) {
    least = std::min({least, at.acknowledged, at.threads == 0 ? at.acknowledged : at.sent});
  }
  return least;
}

/// The first processed record that a destination refused; if there is none, that after the last.
Transit::Number Transit::first_refused() const {
  Number first = processed_;
  for (const Lane& at : lanes_) {
    if (at.refused) first = std::min(first, at.acknowledged - 1);
  }
  return first;
}

/// Until where the records that were read became nothing but the first `processed` records.
Transit::Number Transit::complete(Number processed) const {
  if (!has_processors_) return processed;
  const std::uint64_t found = find(&Batch::processed, processed);
  if (found == handed_on_) return found == released_ ? settled_ : batch(found - 1).read.end();
  const Batch& in = batch(found);
  return in.read.first +
         in.processing.origin(static_cast<std::size_t>(processed - in.processed.first));
}

/// Until where records may be settled together.
Transit::Number Transit::settleable() const {
  const Number until = complete(std::min(safe(), first_refused()));
  return refused_by_processors_.empty() ? until
                                        : std::min(until, refused_by_processors_.front().first);
}

/// Whether a processor refused the next record to settle.
bool Transit::refused_by_processor() const {
  return !refused_by_processors_.empty() && refused_by_processors_.front().first == settled_;
}

/// Whether destinations refused the next processed record, and the others acknowledged it.
bool Transit::refused_by_destination() const {
  return first_refused() < safe() && settleable() == settled_ && !refused_by_processor();
}

// -- All ----------------------------------------------------------------------

/// The number of the batch that has a record, of those that were handed on; the next batch if none
/// has.
std::uint64_t Transit::find(Run Batch::*run, Number number) const {
  std::uint64_t low = released_;
  for (std::uint64_t high = handed_on_; low < high;) {
    const std::uint64_t middle = low + (high - low) / 2;
    if ((batch(middle).*run).end() <= number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The records from a number on, as far as they lie in one batch.
Records Transit::run(Run Batch::*run, Number from, Number until) const {
  const std::uint64_t number = find(run, from);
  if (number == handed_on_) return {};
  const Run& found = batch(number).*run;
  return found.records.slice(from - found.first, std::min(until, found.end()) - from);
}

void Transit::fail() {
  std::lock_guard lock(mutex_);
  failed_ = true;
  room_.notify_one();
}

void Transit::abandon() {
  std::lock_guard lock(mutex_);
  failed_ = abandoned_ = settling_ended_ = true;
  room_.notify_one();
  unprocessed_.notify_one();
  settleable_.notify_one();
  for (Lane& lane : lanes_) {
    lane.work.notify_one();
    lane.owed.notify_one();
  }
}

Counts Transit::counts() const {
  std::lock_guard lock(mutex_);
  Number written = processed_;
  for (const Lane& at : lanes_) written = std::min(written, at.written);
  return {read_, written, settled_, passed_refused_};
}

Counts Transit::settled_counts() const {
  std::lock_guard lock(mutex_);
  return {settled_, settled_processed_, settled_, passed_refused_};
}

}  // namespace pipeline
