// SPDX-License-Identifier: BSL-1.0
//
// Encodes and decodes parts of URLs in the form that S3 signs.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::s3 {

/// Names and values of a query, not encoded.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// Encodes all bytes except letters, digits and `-._~` as %XX.
std::string encode(std::string_view text);
/// Encodes a path: like `encode`, but keeps slashes.
std::string encode_path(std::string_view path);
/// Decodes %XX, and `+` as a space.
std::string decode(std::string_view text);
/// Returns the query of a URL without its `?`: encoded, sorted, each name with a `=`.
std::string query_of(const Parameters& parameters);

}  // namespace tenon::s3
