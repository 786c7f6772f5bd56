// SPDX-License-Identifier: BSL-1.0
//
// Checks untrusted texts that name entries below a directory: keys of objects, ids of volumes. A
// text that could lead out of the directory is refused before it reaches the file system.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::builtin {

/// Maximum size of a path in bytes. Other object stores have the same limit for keys.
constexpr std::size_t max_path_size = 1024;
/// Maximum size of a part of a path in bytes: the limit of common file systems for file names.
constexpr std::size_t max_part_size = 255;

/// Returns why a text cannot name a file below a directory, for example "has an empty part", or an
/// empty text if it can. A valid text has parts of 1 to `max_part_size` bytes, which are not "." or
/// "..", between single slashes. It is UTF-8 without NUL.
std::string problem_of_path(std::string_view path);

/// Throws TENON_INVALID_ARGUMENT for a text with a problem; `what` names it, for example "key".
void check_path(std::string_view what, std::string_view path);

/// Like check_path, for a name of one part, such as that of a bucket. It must not begin with a dot,
/// so that no name refers to `.tenon-partial` (partial.hpp).
void check_name(std::string_view what, std::string_view name);

/// Returns the parts between the slashes. None is empty if problem_of_path is empty.
std::vector<std::string> parts_of(std::string_view path);

inline bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

}  // namespace tenon::builtin
