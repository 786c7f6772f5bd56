// SPDX-License-Identifier: BSL-1.0
//
// The hash by which two contents of one file are told apart, also by somebody who means harm.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace tenon {

/// SHA-256 as 64 small hexadecimal digits. From any thread, both.
std::string sha256(std::span<const std::byte> content);

/// Of a whole file, which is read piece by piece. Errors: not-found, cannot-read.
Result<std::string> sha256_of_file(const std::filesystem::path& path);

}  // namespace tenon
