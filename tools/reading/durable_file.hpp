// SPDX-License-Identifier: BSL-1.0
//
// Files that are replaced as a whole.
#pragma once

#include <filesystem>
#include <string_view>

namespace tenon::reading {

/// Puts `text` in the place of the file: in between, and after a loss of power, there is the old
/// file or the new one. It keeps the rights of the old one; a new one belongs to this user alone.
/// Written to a file beside it whose name ends in ".new"; one that an interrupted run left is
/// overwritten, and for one that another run is writing this one waits. Answers 0, or the error of
/// the system.
int replace_file(const std::filesystem::path& path, std::string_view text);

}  // namespace tenon::reading
