// SPDX-License-Identifier: BSL-1.0
//
// The parts of addresses in the one form that S3 signs.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::s3 {

/// Names and values as they are meant, not encoded.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// Encodes all but letters, digits and `-._~` as %XX.
std::string encode(std::string_view text);
/// The same for a path, whose slashes stay.
std::string encode_path(std::string_view path);
/// Decodes %XX, and `+` as a space.
std::string decode(std::string_view text);
/// The query of an address without its `?`: encoded, sorted, each name with a `=`.
std::string query_of(const Parameters& parameters);

}  // namespace tenon::s3
