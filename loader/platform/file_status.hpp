// SPDX-License-Identifier: BSL-1.0
//
// The state of a file, and who may change it, by one system call.
#pragma once

#include <filesystem>
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

/// The same as the other read_directory. Sets `access` to that of the directory, if it was opened.
std::error_code read_directory(const std::filesystem::path& directory,
                               std::vector<DirectoryEntry>& entries,
                               std::optional<FileAccess>& access);

/// Returns whether users who are not trusted may change a file or directory of these rights itself.
/// Errs on the safe side: see exposure.hpp for a whole check.
bool may_be_exposed(const FileAccess& access);

}}}  // namespace tenon::v0_1::platform
