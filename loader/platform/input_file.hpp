// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>

#include "platform/native_handle.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

/// A file of any type that is read from its beginning to its end.
class InputFile {
 public:
  /// Opens the file. On failure, `error` returns the reason.
  explicit InputFile(const std::filesystem::path& path) noexcept;
  /// Owns an open file.
  explicit InputFile(NativeHandle handle) noexcept : handle_(handle) {}
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  /// Reads what comes next. Returns the number of bytes, 0 at the end; nothing on failure.
  std::optional<std::size_t> read(std::span<char> into) noexcept;

  /// Returns the value of errno of the first failure; 0 if there was none.
  int error() const noexcept { return error_; }

 private:
  NativeHandle handle_;
  int error_ = 0;
};

}}}  // namespace tenon::v0_1::platform
