// SPDX-License-Identifier: BSL-1.0
//
// Watches files for changes.
#pragma once

#include <tenon/result.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Watches files by their paths, which need not exist: directories may be removed and created
/// again, and symbolic links on the path may change. Thread-safe.
///
/// A file has changed when new content is complete under its path: its writer has closed it,
/// renamed it, or linked it. A file is not reported while it is being written, nor when it is
/// deleted. Not noticed are changes by other machines or through another hard link, and files that
/// are linked while they have no other name (O_TMPFILE), or whose other name is removed at once.
class FileWatch {
 public:
  /// Creates a watch without files. Errors: cannot-watch if the system has no watches left.
  static Result<FileWatch> open();

  FileWatch(FileWatch&& other) noexcept;
  FileWatch& operator=(FileWatch&& other) noexcept;
  ~FileWatch();

  /// Starts watching a file, unless it is watched already. Errors: cannot-watch.
  Result<void> add(const std::filesystem::path& file);
  /// Stops watching the files for which `unwanted` returns true. It must not call this object.
  void remove_if(const std::function<bool(const std::filesystem::path&)>& unwanted);

  /// Returns the nanoseconds after which `changed` may return files although no event says so; -1:
  /// it does not. A directory on the path of some file cannot be watched, eg: because it lacks read
  /// permission, or `lose_all` was called, or the system does not report when a file is complete.
  std::int64_t retry_after() const;
  /// Makes the next call of `changed` check all files. Called if the last one threw
  /// std::bad_alloc, or if the files that it returned were not processed.
  void lose_all() noexcept;

  /// Returns an event for wait_events that is signalled while `changed` may return files.
  std::intptr_t event() const noexcept;
  /// Returns the files that have changed since the last call: each once, under the path that was
  /// added, sorted. Does not wait. May return a file that did not change, but never misses one.
  std::vector<std::filesystem::path> changed();

 private:
  struct System;
  explicit FileWatch(std::unique_ptr<System> system) noexcept;

  std::unique_ptr<System> system_;
};

}}}  // namespace tenon::v0_1::platform
