// SPDX-License-Identifier: BSL-1.0
//
// Finds the files that the rotation of logs makes: `in.log` is renamed or copied to `in.log.1`,
// `in.log-20270131` or another name, and written again from its beginning.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tenon::builtin {

/// Returns the files in the directory of `path` whose names are that of `path`, a dot or a hyphen,
/// and digits with punctuation; the one that was written to last is the last one.
std::vector<std::string> rotated_files(const std::string& path);

/// Returns a file with this inode in the directory of `path`, if there is one.
std::optional<std::string> file_of_inode(const std::string& path, std::uint64_t inode);

}  // namespace tenon::builtin
