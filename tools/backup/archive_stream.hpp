// SPDX-License-Identifier: BSL-1.0
//
// Creates an archive while it is read, so that it is never stored as a whole:
//
//   ArchiveStream archive({.compression = Compression::zstd, .time = now});
//   std::thread upload([&, body = archive.reader()]() mutable {
//     uploaded = store->put_object(bucket, key, std::move(body));
//   });
//   while (...) if (!archive.add(id, json)) break;
//   archive.finish();  // after abandon(error), put_object fails, and the store keeps nothing
//   upload.join();
//
// The reading thread also compresses. An archive is a tar file (GNU format). It depends only on
// its entries and on ArchiveSettings.
#pragma once

#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>
#include <tenon/stream.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "archive_limits.hpp"
#include "compressor.hpp"

namespace backup {

struct ArchiveSettings {
  Compression compression = Compression::zstd;
  std::chrono::sys_seconds time{};                 // of all entries
  std::size_t queue_bytes = std::size_t{8} << 20;  // limit of entries waiting for compression
  /// The time after which `add` fails if the reader reads nothing.
  std::chrono::nanoseconds stall_timeout = std::chrono::hours(1);
  ArchiveLimits limits{};
};

class EntryQueue;

/// Only `add` waits, until there is room, or the reader ends or stalls. All functions may be called
/// from any thread.
class ArchiveStream {
 public:
  explicit ArchiveStream(ArchiveSettings settings);
  /// Abandons an unfinished archive.
  ~ArchiveStream();
  ArchiveStream(const ArchiveStream&) = delete;
  ArchiveStream& operator=(const ArchiveStream&) = delete;

  /// Adds an item. Waits while the queue is full, or until it is empty if the item is larger than
  /// the queue. Errors: bad-id and item-too-large, after which the archive continues without the
  /// item; archive-too-large, which abandons the archive; the error of `abandon`; aborted after the
  /// reader ended; deadline-exceeded for this and all later calls, after the reader has read
  /// nothing for `stall_timeout`.
  tenon::Result<void> add(const tenon::ResourceIdV1& id, std::string json);
  /// Adds another file. REQUIRED: `path` begins with "metadata/" and has at most 253 bytes.
  tenon::Result<void> add(std::string path, std::string content);

  /// Marks the end of the archive. Does not wait for the reader. Errors: those of `add`.
  tenon::Result<void> finish();
  /// Makes the reader and later calls of `add` fail with this error. Does nothing after `finish` or
  /// `abandon`.
  void abandon(tenon::Error error);
  bool abandoned() const;
  /// Returns whether `add` failed because the reader stalled.
  bool stalled() const;
  /// Returns whether `add` fails, for any reason.
  bool failed() const;
  /// Returns the number of reads so far.
  std::uint64_t reads() const;
  /// Returns whether the whole archive was read.
  bool ended() const;
  /// Returns the SHA-256 of the archive as hexadecimal digits. REQUIRED: ended().
  const std::string& sha256() const;

  /// Returns the reader of the archive. Its destruction wakes the threads that wait in `add`. After
  /// a cancelled read, the next read continues. REQUIRED: called at most once.
  tenon::Reader reader();

 private:
  tenon::Result<void> put(std::string path, std::string content);

  ArchiveSettings settings_;
  ArchiveMeter meter_;
  std::shared_ptr<EntryQueue> queue_;
};

}  // namespace backup
