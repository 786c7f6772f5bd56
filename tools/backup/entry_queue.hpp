// SPDX-License-Identifier: BSL-1.0
//
// The entries of an archive on their way from those who add them to the one who reads it.
#pragma once

#include <tenon/call.hpp>
#include <tenon/result.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace backup {

struct ArchiveEntry {
  std::string path;
  std::string content;

  std::size_t bytes() const noexcept { return path.size() + content.size(); }
};

/// Thread-safe. Whichever side ends wakes the other one.
class EntryQueue {
 public:
  explicit EntryQueue(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // -- For those who add -------------------------------------------------------

  /// Waits for room. Errors: why the archive cannot go on.
  tenon::Result<void> put(ArchiveEntry entry);
  /// Nothing follows.
  tenon::Result<void> finish();
  /// Takes everything out, and both sides fail. Only if it is neither finished nor failed.
  void abandon(tenon::Error error);

  // -- For the one who reads ---------------------------------------------------

  /// Returns the next entry; nothing at the end, or, unless it `may_wait`, if there is none yet.
  /// Errors: the one of `abandon`; cancelled and deadline-exceeded of the call.
  tenon::Result<std::optional<ArchiveEntry>> take(tenon::Call& call, bool may_wait);
  /// Whether the last entry was taken.
  bool drained() const;
  /// Nothing more is taken. `error`: why those who add fail from now on.
  void close(tenon::Error error);

 private:
  bool has_room(std::size_t bytes) const {
    return entries_.empty() || bytes_ + bytes <= most_bytes_;
  }
  tenon::Result<void> wait_for_entry(std::unique_lock<std::mutex>& lock, tenon::Call& call);

  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ArchiveEntry> entries_;
  std::size_t bytes_ = 0;  // of the entries
  bool finished_ = false;
  std::optional<tenon::Error> failure_;
};

}  // namespace backup
