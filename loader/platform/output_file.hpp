// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "platform/native_handle.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

/// A file that is written from its beginning to its end.
class OutputFile {
 public:
  /// Creates the file, or empties it. Errors: cannot-write.
  static Result<OutputFile> create(const std::filesystem::path& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// Appends to the file. Errors: cannot-write.
  Result<void> write(std::string_view content);

 private:
  friend OutputFile reserve_standard_output();
  OutputFile(std::string path, NativeHandle handle) noexcept
      : path_(std::move(path)), handle_(handle) {}

  std::string path_;
  NativeHandle handle_;
};

}}}  // namespace tenon::v0_1::platform
