// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <filesystem>
#include <string_view>

#include "platform/file.hpp"
#include "platform/native_handle.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

/// A temporary file that nobody else can open, and that disappears when the process ends, even
/// after a crash. It is written from its beginning to its end, then read.
class NamelessFile {
 public:
  /// Creates the file on the file system of a directory. On failure, `error` returns the reason.
  explicit NamelessFile(const std::filesystem::path& directory);
  NamelessFile(NamelessFile&& other) noexcept;
  NamelessFile& operator=(NamelessFile&&) = delete;
  ~NamelessFile();

  /// Appends to the file. Does nothing after a failure.
  void append(std::string_view content) noexcept;

  /// Returns the value of errno of the first failure; 0 if there was none.
  int error() const noexcept { return error_; }

  /// Returns the file to read it. `path`: for messages. REQUIRED: there was no failure.
  File to_read(const std::filesystem::path& path) &&;

 private:
  NativeHandle handle_;
  int error_ = 0;
};

}}}  // namespace tenon::v0_1::platform
