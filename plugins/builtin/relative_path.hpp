// SPDX-License-Identifier: BSL-1.0
//
// Checks texts from outside that name something below a folder: keys of objects, ids of volumes. A
// text that could lead out of the folder is refused before it reaches the file system.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::builtin {

/// The longest path, in bytes. Object stores elsewhere have the same limit for keys.
constexpr std::size_t longest_path = 1024;
/// The longest part of a path, in bytes: the longest file name of common file systems.
constexpr std::size_t longest_part = 255;

/// Returns why a text cannot name a file below a folder, eg: "has an empty part"; empty: it can.
/// A valid text has parts of 1 to `longest_part` bytes, which are not "." or "..", between single
/// slashes. It is UTF-8 without NUL.
std::string problem_of_path(std::string_view path);

/// Throws TENON_INVALID_ARGUMENT for a text with a problem; `what` names it, eg: "key".
void check_path(std::string_view what, std::string_view path);

/// The same for a name of one part, eg: of a bucket. It must not begin with a dot, so that no name
/// refers to `.tenon-partial` (partial.hpp).
void check_name(std::string_view what, std::string_view name);

/// Returns the parts between the slashes. None is empty if the path has no problem.
std::vector<std::string> parts_of(std::string_view path);

/// Returns whether a text is UTF-8. Texts of the ABI are, but file names need not be.
bool is_utf8(std::string_view text);

inline bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

}  // namespace tenon::builtin
