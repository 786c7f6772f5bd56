// SPDX-License-Identifier: BSL-1.0
//
// Files of the user that a process can make again, in a directory of their own. Thread-safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Returns the directory: $XDG_CACHE_HOME/tenon, otherwise ~/.cache/tenon. Empty if neither the
/// variable nor $HOME is set, and in a process with the privileges of another user.
std::filesystem::path cache_directory();

/// Returns the content of a file that no other user could have written: a regular file, no link, of
/// the effective user, to which others may not write, in a directory as check_user_directory
/// demands it. Nothing otherwise, if it has more than `limit` bytes, and if it cannot be read.
std::optional<std::vector<std::byte>> read_cache_file(const std::filesystem::path& file,
                                                      std::size_t limit);

/// Replaces such a file, and creates its directory. Readers see the old or the new content, except
/// that a power failure may damage it. Returns false if the file was not written.
bool write_cache_file(const std::filesystem::path& file, std::string_view content);

}}}  // namespace tenon::v0_1::platform
