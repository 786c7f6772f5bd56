// SPDX-License-Identifier: BSL-1.0
//
// The state of a file, and who may change it, by one system call.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

struct FileStatus {
  FileIdentity identity;
  FileAccess access;
};

/// Returns the status of the file or directory at `path`; nothing if there is none.
std::optional<FileStatus> status_of(const std::filesystem::path::value_type* path) noexcept;

/// An open directory. The system does not resolve its path again for each entry.
class OpenDirectory {
 public:
  explicit OpenDirectory(const std::filesystem::path::value_type* path);
  ~OpenDirectory();
  OpenDirectory(const OpenDirectory&) = delete;
  OpenDirectory& operator=(const OpenDirectory&) = delete;

  /// Appends the entries as read_directory does. Returns an error also if the directory was not
  /// opened. REQUIRED: called once.
  std::error_code read(std::vector<DirectoryEntry>& entries);
  /// Returns the access to the directory itself; nothing if it was not opened.
  std::optional<FileAccess> access() const noexcept;
  /// Returns the status of an entry, as the other status_of. Thread-safe.
  std::optional<FileStatus> status_of(const DirectoryEntry& entry) const noexcept;

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;  // nullptr: it was not opened
  std::error_code failed_;
};

/// Returns whether users who are not trusted may change a file or directory of these rights itself.
/// Errs on the safe side: see exposure.hpp for a whole check.
bool may_be_exposed(const FileAccess& access);

}}}  // namespace tenon::v0_1::platform
