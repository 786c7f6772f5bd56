// SPDX-License-Identifier: BSL-1.0
//
// The state of a file, and who may change it, by one system call.
#pragma once

#include <filesystem>
#include <optional>

#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

struct FileStatus {
  FileIdentity identity;
  FileAccess access;
};

/// Returns the status of the file or directory at `path`; nothing if there is none.
std::optional<FileStatus> status_of(const std::filesystem::path::value_type* path) noexcept;

}}}  // namespace tenon::v0_1::platform
