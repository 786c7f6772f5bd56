// SPDX-License-Identifier: BSL-1.0
//
// Verification of files against the hashes of a lock, before anything is loaded.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <string_view>
#include <vector>

#include "binary/bundle.hpp"
#include "package/lock.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Adds the hashes of a package's file, and of the libraries that it brings, to `package`. Errors:
/// not-found, cannot-read, those of read_bundle.
Result<void> lock_content(const std::filesystem::path& file, LockedPackage& package);

/// Checks that the files of `bundle` may be loaded as that version of a package. A file that the
/// lock names, and any other file of the same package and version, must have the locked content,
/// and only the libraries that were locked with it may be next to it or where its run path leads
/// (`outside`, see outside_libraries). `lock_file` is for the message. Error: lock-differs, with
/// both hashes.
Result<void> check_locked_content(const std::vector<LockedPackage>& lock,
                                  const std::filesystem::path& lock_file, std::string_view name,
                                  const Version& version, const Bundle& bundle,
                                  const std::vector<Bundle>& outside);

}}}  // namespace tenon::v0_1::detail
