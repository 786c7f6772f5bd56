// SPDX-License-Identifier: BSL-1.0
//
// Makes an archive while it is read, so that it never lies anywhere as a whole:
//
//   ArchiveStream archive({.compression = Compression::zstd, .time = now});
//   std::thread upload([&, body = archive.reader()]() mutable {
//     uploaded = store->put_object(bucket, key, std::move(body));
//   });
//   while (...) if (!archive.add(id, json)) break;
//   archive.finish();  // or abandon(error): then put_object fails, and the store keeps nothing
//   upload.join();
//
// The thread that reads compresses. An archive is a tar file (GNU format) and depends only on what
// was added and on ArchiveSettings.
#pragma once

#include "compressor.hpp"

#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>
#include <tenon/stream.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace backup {

struct ArchiveSettings {
  Compression compression = Compression::gzip;
  std::chrono::sys_seconds time{};                 // of all entries
  std::size_t queue_bytes = std::size_t{8} << 20;  // that may wait to be compressed
};

class EntryQueue;

/// `add` and `finish` wait for nobody but the reader, and only until it ends. All functions may be
/// called from any thread.
class ArchiveStream {
 public:
  explicit ArchiveStream(ArchiveSettings settings);
  /// Abandons an archive that was not finished.
  ~ArchiveStream();
  ArchiveStream(const ArchiveStream&) = delete;
  ArchiveStream& operator=(const ArchiveStream&) = delete;

  /// Adds an item. Waits while the queue is full; an item that is larger than the queue waits until
  /// it is empty. Errors: bad-id, and then the archive goes on without the item; the error that
  /// the archive was abandoned with; aborted when the reader ended.
  tenon::Result<void> add(const tenon::ResourceIdV1& id, std::string json);
  /// The same for a file of another kind. REQUIRED: `path` begins with "metadata/" and is no longer
  /// than 253 bytes.
  tenon::Result<void> add(std::string path, std::string content);

  /// Says that nothing follows: the reader comes to its end. Does not wait for that. Errors: as of
  /// `add`.
  tenon::Result<void> finish();
  /// The reader fails with this error from now on, and so does `add`. Nothing happens if the
  /// archive was finished or abandoned before.
  void abandon(tenon::Error error);

  /// Returns what reads the archive. Its end wakes those who wait in `add`. A read that is
  /// cancelled fails; the next one goes on. REQUIRED: not called before.
  tenon::Reader reader();

 private:
  ArchiveSettings settings_;
  std::shared_ptr<EntryQueue> queue_;
};

}  // namespace backup
