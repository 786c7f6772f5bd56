// SPDX-License-Identifier: BSL-1.0
//
// The queue of entries between the threads that add to an archive and the thread that reads it.
#pragma once

#include <tenon/call.hpp>
#include <tenon/mutex.hpp>
#include <tenon/result.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace backup {

struct ArchiveEntry {
  std::string path;
  std::string content;

  std::size_t bytes() const noexcept { return path.size() + content.size(); }
};

/// Thread-safe. When one side ends, the other one is woken.
class EntryQueue {
 public:
  EntryQueue(std::size_t max_bytes, std::chrono::nanoseconds stall_timeout)
      : max_bytes_(max_bytes), stall_timeout_(stall_timeout) {}

  // -- For writers ----------------------------------------------------------------

  /// Adds an entry. Waits for room. Errors: the one of `abandon` or `close`; deadline-exceeded for
  /// this and all later calls, if nothing was read for `stall_timeout`.
  tenon::Result<void> put(ArchiveEntry entry);
  /// Marks the end of the entries.
  tenon::Result<void> finish();
  /// Removes all entries. Both sides fail with `error`. Does nothing after `finish` or a failure.
  void abandon(tenon::Error error);
  bool abandoned() const;
  /// Returns whether `put` failed because nothing was read.
  bool stalled() const;
  /// Returns whether `put` fails, for any reason.
  bool failed() const;

  // -- For the reader ---------------------------------------------------

  /// Returns the next entry, or nothing at the end. Unless `may_wait`, also returns nothing if
  /// there is no entry yet. Errors: the one of `abandon`; cancelled and deadline-exceeded of the
  /// call.
  tenon::Result<std::optional<ArchiveEntry>> take(tenon::Call& call, bool may_wait);
  /// Returns whether the last entry was taken.
  bool drained() const;
  /// Ends the reader. Later calls of `put` fail with `error`.
  void close(tenon::Error error);
  void note_read() noexcept { ++reads_; }
  /// Returns the number of reads.
  std::uint64_t reads() const noexcept { return reads_; }
  /// Ends the archive, which has this hash.
  void note_end(std::string sha256) noexcept {
    sha256_ = std::move(sha256);
    ended_ = true;
  }
  /// Returns whether the reader has read the whole archive.
  bool ended() const noexcept { return ended_; }
  /// Returns the hash of the archive. REQUIRED: ended().
  const std::string& sha256() const noexcept { return sha256_; }

 private:
  bool has_room(std::size_t bytes) const TENON_REQUIRES(mutex_) {
    return entries_.empty() || bytes_ + bytes <= max_bytes_;
  }
  void fail(tenon::Error error) TENON_REQUIRES(mutex_);
  tenon::Result<void> wait_for_entry(tenon::sync::Lock<tenon::sync::Mutex>& lock, tenon::Call& call)
      TENON_REQUIRES(mutex_);

  const std::size_t max_bytes_;
  const std::chrono::nanoseconds stall_timeout_;
  std::atomic<std::uint64_t> reads_{0};
  std::string sha256_;  // written once, before `ended_`
  std::atomic<bool> ended_{false};
  mutable tenon::sync::Mutex mutex_;
  tenon::sync::ConditionVariable changed_;
  std::deque<ArchiveEntry> entries_ TENON_GUARDED_BY(mutex_);
  std::size_t bytes_ TENON_GUARDED_BY(mutex_) = 0;  // of the entries
  bool finished_ TENON_GUARDED_BY(mutex_) = false;
  bool abandoned_ TENON_GUARDED_BY(mutex_) = false;
  bool stalled_ TENON_GUARDED_BY(mutex_) = false;
  std::optional<tenon::Error> failure_ TENON_GUARDED_BY(mutex_);
};

}  // namespace backup
