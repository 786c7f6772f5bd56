// SPDX-License-Identifier: BSL-1.0
//
// Files that hold secrets, or whose content decides which data is read or removed.
#pragma once

#include <tenon/result.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

#include "platform/input_file.hpp"
#include "platform/native_handle.hpp"

namespace tenon::tools {

/// What other users may do with a file.
enum class Others : std::uint8_t { nothing, read };

/// What `PrivateFile::open` does if there is no file.
enum class IfAbsent : std::uint8_t { create, open_nothing };

/// A regular file of the effective user, or no file.
class PrivateFile {
 public:
  /// Opens a file with which other users can do no more than `others` says, and whose name is not a
  /// symbolic link. Never waits, whatever the path names. A file that is created has the mode 0600.
  /// On Windows, a file has the access that its directory gives, and is not checked for it. `what`
  /// names the file in messages: "the position". Errors: untrusted-file; cannot-read, or with
  /// IfAbsent::create cannot-write, if the file cannot be opened.
  static Result<PrivateFile> open(const std::filesystem::path& path, IfAbsent if_absent,
                                  Others others, const std::string& what);

  PrivateFile(PrivateFile&& other) noexcept;
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;
  ~PrivateFile();

  /// Returns whether there is a file.
  explicit operator bool() const noexcept { return handle_ != platform::no_handle; }

  /// Locks the file until it is closed. A process that was killed keeps its locks for a moment, so
  /// this tries again for 2 s. Returns false if another process has locked the file, or removed it
  /// since it was opened.
  bool lock() const;

  /// Returns the file for reading from its beginning. REQUIRED: called at most once.
  platform::InputFile reader() const;

  /// Lets `platform::replace_content` replace the file. It stays locked under its other names (hard
  /// links), except on Windows, which replaces no open file: there it is closed.
  void allow_replacement() noexcept;

 private:
  explicit PrivateFile(platform::NativeHandle handle) noexcept : handle_(handle) {}

  platform::NativeHandle handle_;
};

}  // namespace tenon::tools
