// SPDX-License-Identifier: BSL-1.0
//
// Files that are replaced as a whole, by the library and by the tools.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace tenon::platform {

/// Who may use a file that did not exist before.
enum class NewFile {
  as_usual,   // what the umask of the process leaves
  owner_only  // this user alone
};

struct Replaced {
  std::error_code failed;
  /// How many other names (hard links) still lead to the old content.
  std::uint64_t other_names = 0;
};

/// Puts `content` in the place of the file: whoever reads sees the old file or the new one, also
/// after a loss of power. Owner, group, permissions and access control list are kept; where that is
/// not possible nothing changes. Of a symbolic link the file that it leads to is replaced. What is
/// no regular file is neither opened nor replaced. Written to a file with a random name in the same
/// folder.
Replaced replace_content(const std::filesystem::path& path, std::string_view content,
                         NewFile rights = NewFile::as_usual);

}  // namespace tenon::platform
