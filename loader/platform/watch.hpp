// SPDX-License-Identifier: BSL-1.0
//
// Tells which of a set of files were replaced.
#pragma once

#include <tenon/result.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace tenon::platform {

/// Watches files by their paths, which need not exist: a folder may go away and come back, a link
/// on the way may be pointed elsewhere. Thread-safe.
///
/// A file has changed when a new content stands complete under its path: whoever wrote it has
/// closed it, renamed it, or made a link to it. So a file is not told of while it is being written,
/// nor because it was deleted. Not seen is what happens to files on other machines, and a file that
/// was written without a name and linked afterwards.
class FileWatch {
 public:
  /// Errors: cannot-watch where the system has no watches left.
  static Result<FileWatch> open();

  FileWatch(FileWatch&& other) noexcept;
  FileWatch& operator=(FileWatch&& other) noexcept;
  ~FileWatch();

  /// From now on `changed` tells of the file. Nothing happens when it is watched already.
  /// Errors: cannot-watch.
  Result<void> add(const std::filesystem::path& file);
  /// From now on it does not.
  void remove(const std::filesystem::path& file);

  /// Signalled while `changed` may have something to tell: for wait_events.
  std::intptr_t event() const noexcept;
  /// The files that changed since it was asked last, each once, as they were added, sorted. Does
  /// not wait. May name a file once too often, never too seldom.
  std::vector<std::filesystem::path> changed();

 private:
  struct System;
  explicit FileWatch(std::unique_ptr<System> system) noexcept;

  std::unique_ptr<System> system_;
};

}  // namespace tenon::platform
