// SPDX-License-Identifier: BSL-1.0
//
// tenon/file_hash.hpp: the hash by which lock files and records identify the file of a module.
#pragma once

#include <tenon/detail/export.hpp>
#include <tenon/result.hpp>

#include <filesystem>
#include <string>

namespace tenon { inline namespace v0_1 {

/// Returns the SHA-256 of a file as 64 lowercase hexadecimal digits. Reads the file in pieces.
/// Thread-safe. Errors: not-found, cannot-read.
TENON_API Result<std::string> sha256_of_file(const std::filesystem::path& path);

}}  // namespace tenon::v0_1
