// SPDX-License-Identifier: BSL-1.0
//
// Makes an archive while it is read, so that it is never stored as a whole:
//
//   ArchiveStream archive({.compression = Compression::zstd, .time = now});
//   std::thread upload([&, body = archive.reader()]() mutable {
//     uploaded = store->put_object(bucket, key, std::move(body));
//   });
//   while (...) if (!archive.add(id, json)) break;
//   archive.finish();  // or abandon(error): then put_object fails, and the store keeps nothing
//   upload.join();
//
// The thread that reads also compresses. An archive is a tar file (GNU format). It depends only on
// its entries and on ArchiveSettings.
#pragma once

#include "compressor.hpp"

#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>
#include <tenon/stream.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace backup {

struct ArchiveSettings {
  Compression compression = Compression::gzip;
  std::chrono::sys_seconds time{};                 // of all entries
  std::size_t queue_bytes = std::size_t{8} << 20;  // limit of entries that wait to be compressed
  /// The time that `add` waits for a reader that reads nothing.
  std::chrono::nanoseconds patience = std::chrono::hours(1);
};

class EntryQueue;

/// `add` waits only for the reader, and only until it ends or is too slow. All functions may
/// be called from any thread.
class ArchiveStream {
 public:
  explicit ArchiveStream(ArchiveSettings settings);
  /// Abandons an archive that was not finished.
  ~ArchiveStream();
  ArchiveStream(const ArchiveStream&) = delete;
  ArchiveStream& operator=(const ArchiveStream&) = delete;

  /// Adds an item. Waits while the queue is full; an item that is larger than the queue waits until
  /// it is empty. Errors: bad-id, and then the archive continues without the item; the error that
  /// the archive was abandoned with; aborted when the reader ended; deadline-exceeded, from now on,
  /// when the reader reads nothing for too long.
  tenon::Result<void> add(const tenon::ResourceIdV1& id, std::string json);
  /// The same for a file of another kind. REQUIRED: `path` begins with "metadata/" and is no longer
  /// than 253 bytes.
  tenon::Result<void> add(std::string path, std::string content);

  /// Marks the end of the archive, which ends the reader. Does not wait for that. Errors: those of
  /// `add`.
  tenon::Result<void> finish();
  /// Makes the reader and `add` fail with this error from now on. Does nothing if the archive was
  /// finished or abandoned before.
  void abandon(tenon::Error error);
  bool abandoned() const;
  /// Returns whether `add` waited too long.
  bool stalled() const;
  /// Returns whether `add` fails, for any reason.
  bool failed() const;
  /// Returns how often the archive was read.
  std::uint64_t reads() const;

  /// Returns the reader of the archive. Destroying it wakes the threads that wait in `add`. A
  /// cancelled read fails, and the next one continues. REQUIRED: not called before.
  tenon::Reader reader();

 private:
  ArchiveSettings settings_;
  std::shared_ptr<EntryQueue> queue_;
};

}  // namespace backup
