// SPDX-License-Identifier: BSL-1.0
//
// Whether a file holds what it held when the lock was written: asked before anything is loaded.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "package/lock.hpp"

namespace tenon {

/// Why `content` may not be loaded from `file` as that version of a package; nothing where it may.
/// In a file that the lock names, and in any other of the same package and version, may be only
/// what was locked. `lock_file` is for the message. Error: lock-differs, with both hashes.
std::optional<Error> refusal_of_content(const std::vector<LockedPackage>& lock,
                                        const std::filesystem::path& lock_file,
                                        std::string_view name, const Version& version,
                                        std::span<const std::byte> content,
                                        const std::filesystem::path& file);

}  // namespace tenon
