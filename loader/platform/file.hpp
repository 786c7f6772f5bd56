// SPDX-License-Identifier: BSL-1.0
//
// File operations. Every error has the code not-found (the file does not exist), cannot-read or
// cannot-write, the path, and the message of the system. Symbolic links are followed. Functions are
// thread-safe; a File is used by one thread at a time.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "platform/native_handle.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

/// The native text of a path. A path itself is a list of its parts, each with a text of its own.
using PathText = std::filesystem::path::string_type;

/// Identifies one state of a file. Times are nanoseconds since 1970.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified = 0;
  std::int64_t changed = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// Who may change a file or directory.
struct FileAccess {
  std::uint32_t owner = 0;  // number of the user
  std::uint32_t group = 0;
  std::uint32_t mode = 0;  // permissions, with the bits set-user-ID, set-group-ID and sticky
  bool is_directory = false;
};

/// A regular file, open for reading. Pipes, devices and directories are refused without opening
/// them.
class File {
 public:
  /// `is_regular`: its directory has just listed it as a regular file, so its type is checked only
  /// after it is opened.
  static Result<File> open(const std::filesystem::path& path, bool is_regular = false);

  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  /// Returns the path, for messages.
  const std::string& path() const { return path_; }

  /// Returns the identity that the file had when it was opened.
  const FileIdentity& identity() const { return identity_; }
  /// Returns the access that the file had when it was opened.
  const FileAccess& access() const { return access_; }

  /// Returns whether nothing was written to the file since it was opened. A file that another one
  /// replaced is unchanged.
  bool is_unchanged() const noexcept;

  /// Reads bytes at `offset`. Returns the number of bytes, which is smaller than `into` only at the
  /// end of the file.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) const;

  /// Returns the error cannot-read if the file has more than `limit` bytes.
  Result<void> check_size(std::size_t limit) const;

  /// Reads the whole file. More than `limit` bytes is an error.
  Result<std::vector<std::byte>> read_all(std::size_t limit) const;

 private:
  friend class NamelessFile;
  File(std::string path, NativeHandle handle, const FileIdentity& identity,
       const FileAccess& access);

  std::string path_;
  NativeHandle handle_;
  FileIdentity identity_;
  FileAccess access_;
};

/// Returns the identity of the file or directory at `path`.
Result<FileIdentity> identity_of(const std::filesystem::path& path);

/// An entry of a directory.
struct DirectoryEntry {
  std::string name;
  bool is_directory;  // or a symbolic link to one
  bool may_be_link;   // false: it is not a symbolic link
  bool is_regular;    // false: it may be one, or a symbolic link to one
};
/// Appends the entries of a directory, in no order. Returns an error if not all could be read. The
/// iterators of the standard library end the process if memory runs out, so they are not used.
std::error_code read_directory(const std::filesystem::path& directory,
                               std::vector<DirectoryEntry>& entries);

/// Replaces the content of a file; see replace_content.
Result<void> replace_file(const std::filesystem::path& path, std::span<const std::byte> content);

/// Returns whether code may be loaded from files in a directory.
bool may_execute(const std::filesystem::path& directory);

/// Returns a directory for small short-lived files in which every user may create directories: it
/// is kept in memory, code may be executed from it, and at most half of it is used. Empty if the
/// system has none.
std::filesystem::path memory_directory();

/// Removes a file or an empty directory, if it exists.
Result<void> remove(const std::filesystem::path& path);

}}}  // namespace tenon::v0_1::platform
