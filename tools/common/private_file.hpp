// SPDX-License-Identifier: BSL-1.0
//
// Files that hold secrets, or whose content decides which data is read or removed.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <string>

#include "common/descriptor.hpp"

namespace tenon::tools {

/// What other users may do with a file.
enum class Others { nothing, read };

/// Opens a regular file of the effective user with which other users can do no more than `others`
/// says, and whose name is not a symbolic link. Never waits, whatever the path names. `flags` are
/// those of open(2); with O_CREAT, a missing file is created with the mode 0600. `what` names the
/// file in messages: "the position". Returns a descriptor of -1 if there is no file. Errors:
/// untrusted-file; cannot-read, or with O_CREAT cannot-write, if the file cannot be opened.
tenon::Result<Descriptor> open_private_file(const std::filesystem::path& path, int flags,
                                            Others others, const std::string& what);

}  // namespace tenon::tools
