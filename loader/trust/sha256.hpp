// SPDX-License-Identifier: BSL-1.0
//
// The hash that identifies content, also against deliberate changes. For files, see
// tenon/file_hash.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns a SHA-256 as 64 lowercase hexadecimal digits. Thread-safe.
std::string sha256(std::span<const std::byte> content);

}}}  // namespace tenon::v0_1::detail
