// SPDX-License-Identifier: BSL-1.0
//
// A directory for the temporary files of one process. If the process is killed, another process
// removes the directory.
//
// The directory contains a file `lock` with a fixed text, which its owner keeps locked (flock); the
// system releases the lock however the process ends. The file is renamed to `lock` after it is
// locked, so a `lock` that can be locked has no owner. A directory without that text is not one of
// these and is left alone. A forked child shares the lock and would keep it after the parent has
// exited, so the child closes it, and removes nothing.
//
// The directory itself is locked as well, because systemd-tmpfiles does not clean locked
// directories.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "platform/native_handle.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

/// A directory that is removed with its owner, at the latest when the process exits. Thread-safe.
class PrivateDirectory {
 public:
  /// Returns whether a directory stays when the process exits; called on the thread that calls
  /// exit().
  using StaysAtExit = bool (*)();

  /// Creates a directory `tenon-XXXXXX` in `parent`, which must exist. Only the user has access.
  /// `stays_at_exit`: nullptr if it never does.
  /// Errors: not-found, cannot-write; untrusted-owner, if others could exchange the directory: they
  /// may write to `parent` and it lacks the sticky bit, or the process is privileged and `parent`
  /// or a directory above it is another user's.
  static Result<std::shared_ptr<PrivateDirectory>> create(const std::filesystem::path& parent,
                                                          StaysAtExit stays_at_exit = nullptr);
  /// Removes the directory with its files, unless the parent of this process created it.
  ~PrivateDirectory();
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;

  /// Returns the absolute path.
  const std::filesystem::path& path() const noexcept { return path_; }

  /// Creates a file in the open directory, wherever its path leads now. The name must not exist
  /// yet; only the user can read and write the file.
  Result<void> create_file(const std::string& name, std::span<const std::byte> content) const;
  /// Creates a hard link to a file in the directory. `second` must not exist yet.
  Result<void> link_file(const std::string& name, const std::string& second) const;
  /// Removes a file of the directory.
  void remove_file(const std::string& name) const noexcept;
  /// Returns whether this process created it, and not one that it was forked from.
  bool is_own() const noexcept;
  /// Returns whether files can be created in it: it is this process's own, and neither the
  /// directory nor its lock was removed.
  bool is_usable() const noexcept;
  /// Removes the directory with its files, also those of images that are mapped.
  void remove() noexcept;
  /// Removes it when the process exits, unless it stays.
  void end_at_exit() noexcept;

 private:
  PrivateDirectory() = default;
  bool open();
  bool lock();

  std::filesystem::path path_;
  std::filesystem::path lock_path_;
  StaysAtExit stays_at_exit_ = nullptr;
  unsigned forks_ = 0;  // fork count of the process at creation
  NativeHandle directory_ = no_handle;
  NativeHandle lock_ = no_handle;  // none if the file system has no locks
};

/// Removes private directories in `parent` that killed processes of this user left; returns how
/// many. Directories of other users, directories with another name or without the text in the lock,
/// and symbolic links are not touched. Checks at most 1,000 directories and removes at most 100,
/// which takes a few milliseconds; later calls remove the rest.
std::size_t remove_abandoned_directories(const std::filesystem::path& parent) noexcept;

/// Calls `keep` with the path of each file in the private directories in `parent` that processes of
/// this user left when they were killed, and removes the file if it returns false. Removes
/// directories without files. Checks at most 1,000 directories. Several processes may do so at
/// once.
void visit_abandoned_files(const std::filesystem::path& parent,
                           const std::function<bool(const std::filesystem::path&)>& keep);

/// Checks a directory for files of the user: it does not exist yet, or it belongs to the effective
/// user, and no other user has access. In a privileged process, no other user may change the
/// directories above it either. Error: untrusted-owner.
Result<void> check_user_directory(const std::filesystem::path& directory);
/// Creates such a directory and those above it, unless it exists. Errors: untrusted-owner,
/// cannot-write.
Result<void> make_user_directory(const std::filesystem::path& directory);

}}}  // namespace tenon::v0_1::platform
