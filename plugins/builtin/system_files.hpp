// SPDX-License-Identifier: BSL-1.0
//
// Functions on files that differ between systems. Paths are texts in UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

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

/// What is known of an open file.
struct FileState {
  std::uint64_t inode;
  std::uint64_t size;
  std::int64_t modified;  // in nanoseconds since 1970
};

// The functions on open files take the number of a file, and set errno on failure.

/// Returns nothing on failure.
std::optional<FileState> state_of(int file);
/// Returns the number of bytes, 0 at the end of the file; nothing on failure.
std::optional<std::size_t> read_some(int file, void* into, std::size_t size);
/// Returns false on failure.
bool write_all(int file, const void* data, std::size_t size);
/// Waits until the content is on the disk. Returns false on failure.
bool sync_file(int file);

/// Returns why this system does not allow a name of a file in UTF-8, for example "ends with a dot",
/// or an empty text if it allows it.
std::string system_name_problem(std::string_view name);

}  // namespace tenon::builtin
