// SPDX-License-Identifier: BSL-1.0
//
// Writes an archive into an object store while its items are still being produced. The store reads
// the archive, which is compressed on the same thread, on a thread of the Upload.
#pragma once

#include <tenon/call_thread.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "archive_stream.hpp"
#include "store.hpp"

namespace backup {

/// Belongs to one thread.
class Upload {
 public:
  /// Starts the upload, which is cancelled together with the calls of `caller`. Store and caller
  /// must outlive the Upload.
  Upload(Store& store, Caller& caller, std::string key, const ArchiveSettings& settings);
  /// Abandons an upload that was not finished.
  ~Upload();
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  /// Adds an item, or a file of another kind, see ArchiveStream. Errors: those of
  /// ArchiveStream::add.
  tenon::Result<void> add(const tenon::ResourceIdV1& id, std::string json);
  tenon::Result<void> add(std::string path, std::string content);
  /// Returns whether the upload has failed; `finish` returns the reason.
  bool refused() const;
  /// Waits until the whole archive is stored. Errors: those of the store; internal if it reported
  /// success without reading the whole archive; archive-too-large; deadline-exceeded if the store
  /// read nothing for too long; cancelled.
  tenon::Result<void> finish();
  /// Returns the SHA-256 of the archive. REQUIRED: `finish` was successful.
  const std::string& sha256() const;
  /// Cancels the upload; the store keeps nothing. Error: deadline-exceeded if the store does not
  /// return.
  tenon::Result<void> abandon();

 private:
  struct State;

  bool await_store();
  tenon::Error stalled() const;
  tenon::Error incomplete() const;
  tenon::Error abandon_call();

  Caller& caller_;
  Store& store_;
  const std::string key_;
  const std::chrono::nanoseconds stall_timeout_;
  tenon::CallThread thread_;
  const std::shared_ptr<State> state_;  // shared with the thread
  const std::function<void()> cancel_;
  bool under_way_ = true;
  bool stalled_ = false;
};

}  // namespace backup
