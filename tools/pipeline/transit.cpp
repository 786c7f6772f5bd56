// SPDX-License-Identifier: BSL-1.0
#include "transit.hpp"

#include <algorithm>

namespace pipeline {

std::string to_text(const Counts& counts) {
  return "records: read " + std::to_string(counts.read) + ", written " +
         std::to_string(counts.written) + ", acknowledged " + std::to_string(counts.acknowledged);
}

// -- Reading ------------------------------------------------------------------

tenon::Call* Transit::await_room() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failed_ || added_ - released_ < batches_.size(); });
  return failed_ ? nullptr : &batches_[added_ % batches_.size()].call;
}

void Transit::add(Records records) {
  std::lock_guard lock(mutex_);
  Batch& batch = batches_[added_++ % batches_.size()];
  batch.records = records;
  batch.first = read_;
  read_ += records.size();
  const tenon::BytesView last = records[records.size() - 1].position();
  last_position_.assign(last.begin(), last.end());
  changed_.notify_all();
}

bool Transit::await_settled() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failed_ || settled_ == read_; });
  return !failed_;
}

void Transit::end() {
  std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

// -- Writing ------------------------------------------------------------------

bool Transit::await_work(std::size_t lane) {
  std::unique_lock lock(mutex_);
  const Lane& at = lanes_[lane];
  const auto over = [&] { return at.closed || (at.stopped && at.acknowledged == read_); };
  const auto work = [&] { return !at.lost && (at.sent < read_ || (ended_ && !at.stopped)); };
  changed_.wait(lock, [&] { return over() || work(); });
  return !over();
}

Records Transit::offer(std::size_t lane) {
  std::lock_guard lock(mutex_);
  Lane& at = lanes_[lane];
  const Records records = run(at.sent, read_);
  at.offered = at.sent + records.size();
  changed_.notify_all();
  return records;
}

void Transit::sent(std::size_t lane) {
  std::lock_guard lock(mutex_);
  Lane& at = lanes_[lane];
  at.sent = at.offered;
  at.written = std::max(at.written, at.sent);
  changed_.notify_all();
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
  if (read_ == 0) return std::nullopt;
  return tenon::BytesView(last_position_);
}

// -- Collecting ---------------------------------------------------------------

bool Transit::await_offered(std::size_t lane) {
  std::unique_lock lock(mutex_);
  const Lane& at = lanes_[lane];
  const auto owes = [&] { return at.acknowledged < at.offered; };
  const auto over = [&] { return at.closed || (ended_ && at.acknowledged == read_); };
  changed_.wait(lock, [&] { return owes() || over(); });
  return owes();
}

Records Transit::unacknowledged(std::size_t lane) const {
  std::lock_guard lock(mutex_);
  return run(lanes_[lane].acknowledged, lanes_[lane].offered);
}

void Transit::acknowledge(std::size_t lane, std::size_t count) {
  std::lock_guard lock(mutex_);
  lanes_[lane].acknowledged += count;
  changed_.notify_all();
}

void Transit::rewind(std::size_t lane) {
  std::lock_guard lock(mutex_);
  Lane& at = lanes_[lane];
  at.offered = at.sent = at.acknowledged;
  at.lost = at.stopped = false;
  changed_.notify_all();
}

void Transit::close(std::size_t lane) {
  std::lock_guard lock(mutex_);
  Lane& at = lanes_[lane];
  at.closed = true;
  at.offered = at.sent;
  changed_.notify_all();
}

void Transit::finish(std::size_t lane) {
  std::lock_guard lock(mutex_);
  lanes_[lane].threads--;
  changed_.notify_all();
}

// -- Settling -----------------------------------------------------------------

std::optional<Transit::Number> Transit::await_acknowledged() {
  std::unique_lock lock(mutex_);
  const auto finished = [&] {
    return std::all_of(lanes_.begin(), lanes_.end(),
                       [](const Lane& at) { return at.threads == 0; });
  };
  changed_.wait(lock, [&] { return safe() > settled_ || finished(); });
  const Number until = safe();
  if (until == settled_) return std::nullopt;
  return until;
}

Records Transit::unsettled(Number until) const {
  std::lock_guard lock(mutex_);
  return run(settled_, until);
}

tenon::BytesView Transit::position_before(Number number) const {
  std::lock_guard lock(mutex_);
  return run(number - 1, number)[0].position();
}

void Transit::settle(std::size_t count) {
  std::lock_guard lock(mutex_);
  settled_ += count;
  while (released_ < added_) {
    const Batch& oldest = batches_[released_ % batches_.size()];
    if (oldest.first + oldest.records.size() > settled_) break;
    released_++;
  }
  changed_.notify_all();
}

/// Until where every destination acknowledged, and is not reading any more. One that has finished
/// reads nothing, also of a batch that it was not told in time to have been written.
Transit::Number Transit::safe() const {
  Number least = read_;
  for (const Lane& at : lanes_) {
    least = std::min({least, at.acknowledged, at.threads == 0 ? at.acknowledged : at.sent});
  }
  return least;
}

// -- All ----------------------------------------------------------------------

/// The records from a number on, as far as they lie in one batch.
Records Transit::run(Number from, Number until) const {
  for (std::uint64_t i = released_; i < added_; i++) {
    const Batch& batch = batches_[i % batches_.size()];
    const Number end = batch.first + batch.records.size();
    if (from < end) return batch.records.slice(from - batch.first, std::min(until, end) - from);
  }
  return {};
}

void Transit::fail() {
  std::lock_guard lock(mutex_);
  failed_ = true;
  changed_.notify_all();
}

Counts Transit::counts() const {
  std::lock_guard lock(mutex_);
  Number written = read_;
  for (const Lane& at : lanes_) written = std::min(written, at.written);
  return {read_, written, settled_};
}

}  // namespace pipeline
