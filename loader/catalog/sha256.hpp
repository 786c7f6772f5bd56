// SPDX-License-Identifier: BSL-1.0
//
// The hash that identifies the content of files, also against deliberate changes.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace tenon::inline v0_1::detail {

/// Returns a SHA-256 as 64 lowercase hexadecimal digits. Both functions are thread-safe.
std::string sha256(std::span<const std::byte> content);

/// Returns the hash of a file, which is read in pieces. Errors: not-found, cannot-read.
Result<std::string> sha256_of_file(const std::filesystem::path& path);

}  // namespace tenon::inline v0_1::detail
