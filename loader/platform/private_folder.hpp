// SPDX-License-Identifier: BSL-1.0
//
// A folder for the files of one process, which another process removes when this one was killed.
//
// The folder holds a file `lock`, which its maker keeps locked (flock) for as long as it lives; the
// system releases the lock however the process ends. The file gets its name when it is locked
// already, so a `lock` that can be locked belongs to nobody. The lock of a child of fork would be
// the same one and would outlive the parent: the child closes it, and removes nothing.
//
// The folder itself is locked too, as systemd-tmpfiles leaves locked folders alone.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>

namespace tenon::platform {

/// Thread-safe.
class PrivateFolder {
 public:
  /// Makes a folder `tenon-XXXXXX` in `parent`, which must exist, readable by its owner alone.
  /// Errors: not-found, cannot-write.
  static Result<std::shared_ptr<PrivateFolder>> create(const std::filesystem::path& parent);
  /// Removes the folder with its files, unless a parent of this process made it.
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  /// Absolute.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// Whether this process made it, and not one that it was forked from.
  bool is_own() const noexcept;
  /// Whether new files may be put into it: it is this process's own, and nobody has removed it or
  /// its lock.
  bool is_usable() const noexcept;

 private:
  PrivateFolder() = default;
  bool lock();

  std::filesystem::path path_;
  std::filesystem::path lock_path_;
  unsigned forks_ = 0;  // of the process when it was made
  int folder_ = -1;
  int lock_ = -1;  // none where the file system has no locks
};

/// Removes the folders in `parent` that processes of this user made as a PrivateFolder and left
/// when they were killed; returns how many. Never others: not those of other users, not those
/// without a lock, not what a symbolic link leads to. Looks at 1,000 folders and removes 100 at
/// most, so that a long list costs no more than some milliseconds; the rest is left to later calls.
std::size_t remove_abandoned_folders(const std::filesystem::path& parent) noexcept;

}  // namespace tenon::platform
