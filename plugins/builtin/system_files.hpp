// SPDX-License-Identifier: BSL-1.0
//
// Functions on files that differ between systems. Paths are texts in UTF-8.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

namespace tenon::builtin {

/// Opens a file to read its bytes. Returns nullptr, with the reason in errno, on failure.
std::FILE* open_to_read(const std::string& path);

/// Moves to an offset. Returns false, with the reason in errno, on failure.
bool seek(std::FILE* file, std::int64_t offset);

/// Reads a line with its newline, as getline(3) does: `text` is null, or allocated by malloc with
/// this capacity. Returns the number of bytes; -1 at the end of the file, on failure, and if there
/// is no memory.
std::int64_t read_line(char** text, std::size_t* capacity, std::FILE* file);

/// Returns the number that identifies an open file on its file system, its inode on POSIX. Returns
/// nothing, with the reason in errno, on failure.
std::optional<std::uint64_t> inode_of(std::FILE* file);

/// What is known of a regular file.
struct RegularFile {
  std::uint64_t inode;
  std::int64_t modified;  // in nanoseconds
};
/// Returns nothing if the path is not that of a regular file. Follows no link.
std::optional<RegularFile> regular_file(const std::filesystem::path& path);

}  // namespace tenon::builtin
