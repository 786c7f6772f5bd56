// SPDX-License-Identifier: BSL-1.0
//
// Writes an archive into an object store while its items are still being made: the store reads, and
// the archive is compressed, on a thread of the Upload.
#pragma once

#include "archive_stream.hpp"
#include "store.hpp"

#include <tenon/call.hpp>
#include <tenon/result.hpp>

#include <string>
#include <thread>

namespace backup {

/// Belongs to one thread.
class Upload {
 public:
  /// Is cancelled together with the calls of `caller`. Both must outlive the Upload.
  Upload(Store& store, Caller& caller, std::string key, const ArchiveSettings& settings);
  /// Abandons an upload that was not finished.
  ~Upload();
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  /// Returns false if the store takes no more; `finish` then returns why.
  bool add(const tenon::ResourceIdV1& id, std::string json);
  /// The same for a file with what is known of the backup, see ArchiveStream.
  bool add(std::string path, std::string content);
  /// Waits until the store has the whole archive. Errors: those of the store; cancelled.
  tenon::Result<void> finish();
  /// Gives up: the store keeps nothing.
  void abandon();

 private:
  void cancel();

  Caller& caller_;
  ArchiveStream archive_;
  tenon::Call call_;
  tenon::Result<void> stored_;
  std::thread thread_;
};

}  // namespace backup
