// SPDX-License-Identifier: BSL-1.0
//
// Whether files hold what they held when the lock was written: asked before anything is loaded.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "binary/bundle.hpp"
#include "package/lock.hpp"

namespace tenon {

/// Locks the content of a package's file, and of the libraries that lie beside it. Errors:
/// not-found, cannot-read, those of read_bundle.
Result<void> lock_content(const std::filesystem::path& file, LockedPackage& package);

/// Why the files of `bundle` may not be loaded as that version of a package; nothing where they
/// may. In a file that the lock names, and in any other of the same package and version, may be
/// only what was locked, and beside it only the libraries that were locked with it. `lock_file` is
/// for the message. Error: lock-differs, with both hashes.
std::optional<Error> refusal_of_content(const std::vector<LockedPackage>& lock,
                                        const std::filesystem::path& lock_file,
                                        std::string_view name, const Version& version,
                                        const Bundle& bundle);

}  // namespace tenon
