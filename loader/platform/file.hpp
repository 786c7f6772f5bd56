// SPDX-License-Identifier: BSL-1.0
//
// The few things the loader does with files. Every error has the code not-found (there is no such
// file), cannot-read or cannot-write, the path, and the system's own words. Paths are followed
// through symbolic links. Thread-safe as the file system is; a File belongs to one thread at a
// time.
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

namespace tenon::platform {

/// What tells one state of a file from another. Times are nanoseconds since 1970.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified = 0;
  std::int64_t changed = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// A regular file, open for reading. Pipes, devices and folders are refused without being
/// opened.
class File {
 public:
  static Result<File> open(const std::filesystem::path& path);

  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  /// As text, for messages.
  const std::string& path() const { return path_; }

  /// As it was when the file was opened.
  const FileIdentity& identity() const { return identity_; }

  /// Fills `into` with what stands at `offset`; fewer bytes only at the end of the file.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) const;

  /// Error: cannot-read, if the file has more than `limit` bytes.
  Result<void> check_size(std::size_t limit) const;

  /// Everything, from the start. More than `limit` bytes is an error.
  Result<std::vector<std::byte>> read_all(std::size_t limit) const;

 private:
  File(std::string path, int descriptor, const FileIdentity& identity);

  std::string path_;
  int descriptor_;
  FileIdentity identity_;
};

/// The identity of whatever stands at `path`.
Result<FileIdentity> identity_of(const std::filesystem::path& path);

/// An entry of a folder.
struct FolderEntry {
  std::string name;
  bool is_folder;    // or a symbolic link to one
  bool may_be_link;  // false: it surely is no symbolic link
};
/// Adds the entries of a folder, in no order. Returns why not all of it could be read. The standard
/// library's iterators end the process where memory runs out.
std::error_code read_folder(const std::filesystem::path& folder, std::vector<FolderEntry>& entries);

/// Makes a file that must not exist yet, readable and writable by its owner alone.
Result<void> create_file(const std::filesystem::path& path, std::span<const std::byte> content);

/// Gives a file a second path, which must not exist yet, in a folder of the same disk.
Result<void> link_file(const std::filesystem::path& path, const std::filesystem::path& second);

/// See replace_content.
Result<void> replace_file(const std::filesystem::path& path, std::span<const std::byte> content);

/// Whether code may be loaded from files in a folder.
bool may_execute(const std::filesystem::path& folder);

/// A folder for small files that last as long as a process, in which every user may make folders:
/// the system keeps it in memory, code may be executed from it, and at most half of it is in use.
/// Empty where there is none.
std::filesystem::path memory_folder();

/// Removes a file or an empty folder. That there is none is no error.
Result<void> remove(const std::filesystem::path& path);

}  // namespace tenon::platform
