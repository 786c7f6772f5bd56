// SPDX-License-Identifier: BSL-1.0
//
// A folder for the temporary files of one process. If the process is killed, another process
// removes the folder.
//
// The folder contains a file `lock`, which its owner keeps locked (flock); the system releases the
// lock however the process ends. The file is renamed to `lock` after it is locked, so a `lock` that
// can be locked has no owner. A forked child shares the lock and would keep it after the parent has
// exited, so the child closes it, and removes nothing.
//
// The folder itself is locked as well, because systemd-tmpfiles does not clean locked folders.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>

namespace tenon::inline v0_1::platform {

/// A folder that is removed with its owner, at the latest when the process exits. Thread-safe.
class PrivateFolder {
 public:
  /// Creates a folder `tenon-XXXXXX` in `parent`, which must exist. Only the user has access.
  /// Errors: not-found, cannot-write.
  static Result<std::shared_ptr<PrivateFolder>> create(const std::filesystem::path& parent);
  /// Removes the folder with its files, unless the parent of this process created it.
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  /// Returns the absolute path.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// Returns whether this process created it, and not one that it was forked from.
  bool is_own() const noexcept;
  /// Returns whether files can be created in it: it is this process's own, and neither the folder
  /// nor its lock was removed.
  bool is_usable() const noexcept;
  /// Removes the folder with its files, also those of images that are mapped.
  void remove() noexcept;

 private:
  PrivateFolder() = default;
  bool lock();

  std::filesystem::path path_;
  std::filesystem::path lock_path_;
  unsigned forks_ = 0;  // fork count of the process at creation
  int folder_ = -1;
  int lock_ = -1;  // -1 if the file system has no locks
};

/// Removes private folders in `parent` that killed processes of this user left; returns how many.
/// Folders of other users, folders without a lock, and symbolic links are not touched. Checks at
/// most 1,000 folders and removes at most 100, which takes a few milliseconds; later calls remove
/// the rest.
std::size_t remove_abandoned_folders(const std::filesystem::path& parent) noexcept;

}  // namespace tenon::inline v0_1::platform
