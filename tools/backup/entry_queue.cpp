// SPDX-License-Identifier: BSL-1.0
#include "entry_queue.hpp"

#include <chrono>
#include <utility>

namespace backup {
namespace {

using namespace std::chrono_literals;

/// The interval in which a waiting reader checks whether its call was cancelled. A cancellation
/// does not wake it, but new entries do.
constexpr auto cancel_poll_interval = 20ms;

tenon::Error stopped(tenon::CancelReason reason) {
  const bool late = reason == tenon::CancelReason::deadline;
  return tenon::Error({.status = late ? TENON_DEADLINE_EXCEEDED : TENON_CANCELLED,
                       .message = late ? "no entry was added to the archive before the deadline"
                                       : "reading the archive was cancelled"});
}

}  // namespace

tenon::Result<void> EntryQueue::put(ArchiveEntry entry) {
  tenon::sync::Lock lock(mutex_);
  const auto may_continue = [&]() TENON_REQUIRES(mutex_) {
    return failure_ || has_room(entry.bytes());
  };
  for (std::uint64_t seen = reads_; !changed_.wait_for(lock, stall_timeout_, may_continue);) {
    if (std::exchange(seen, reads_) != seen) continue;
    stalled_ = true;
    fail(tenon::Error(
        {.status = TENON_DEADLINE_EXCEEDED, .message = "the archive was not read for too long"}));
  }
  if (failure_) return *failure_;
  bytes_ += entry.bytes();
  entries_.push_back(std::move(entry));
  changed_.notify_all();
  return {};
}

tenon::Result<void> EntryQueue::finish() {
  tenon::sync::Lock lock(mutex_);
  if (failure_) return *failure_;
  finished_ = true;
  changed_.notify_all();
  return {};
}

void EntryQueue::abandon(tenon::Error error) {
  tenon::sync::Lock lock(mutex_);
  if (finished_ || failure_) return;
  abandoned_ = true;
  fail(std::move(error));
}

bool EntryQueue::abandoned() const {
  tenon::sync::Lock lock(mutex_);
  return abandoned_;
}

bool EntryQueue::stalled() const {
  tenon::sync::Lock lock(mutex_);
  return stalled_;
}

bool EntryQueue::failed() const {
  tenon::sync::Lock lock(mutex_);
  return failure_.has_value();
}

void EntryQueue::fail(tenon::Error error) {
  if (!failure_) failure_ = std::move(error);
  entries_.clear();
  bytes_ = 0;
  changed_.notify_all();
}

tenon::Result<void> EntryQueue::wait_for_entry(tenon::sync::Lock<tenon::sync::Mutex>& lock,
                                               tenon::Call& call) {
  while (!failure_ && !finished_ && entries_.empty()) {
    if (const auto reason = call.cancel_reason(); reason != tenon::CancelReason::none) {
      return stopped(reason);
    }
    changed_.wait_for(lock, cancel_poll_interval);
  }
  return {};
}

tenon::Result<std::optional<ArchiveEntry>> EntryQueue::take(tenon::Call& call, bool may_wait) {
  tenon::sync::Lock lock(mutex_);
  if (may_wait) {
    if (auto waited = wait_for_entry(lock, call); !waited) return std::move(waited).error();
  }
  if (failure_) return *failure_;
  if (entries_.empty()) return std::optional<ArchiveEntry>();
  std::optional<ArchiveEntry> entry(std::move(entries_.front()));
  entries_.pop_front();
  bytes_ -= entry->bytes();
  changed_.notify_all();
  return entry;
}

bool EntryQueue::drained() const {
  tenon::sync::Lock lock(mutex_);
  return finished_ && entries_.empty();
}

void EntryQueue::close(tenon::Error error) {
  tenon::sync::Lock lock(mutex_);
  fail(std::move(error));
}

}  // namespace backup
