// SPDX-License-Identifier: BSL-1.0
//
// Rewrites a file chunk by chunk, but only if its content changes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "platform/replace_file.hpp"

namespace tenon::command {

/// In bytes. Files are read and written in chunks of this size.
inline constexpr std::size_t chunk_size = 1 << 18;

/// Replaces the content of a file line by line. Writes nothing as long as the lines are the same as
/// in the file. Holds at most one chunk or one line in memory.
class FileRewriter {
 public:
  explicit FileRewriter(const std::filesystem::path& path);

  void write(std::string_view line);

  /// Replaces the old content by the new one. Returns nothing if they are the same.
  std::optional<platform::ReplaceResult> commit();

 private:
  void flush();
  bool matches_next(std::string_view text);
  void begin_replacement();

  std::filesystem::path path_;
  std::ifstream old_;
  std::string text_;              // not yet compared or written
  std::string compared_;          // a member so that its memory is reused
  std::uintmax_t unchanged_ = 0;  // bytes at the beginning that do not change
  std::optional<platform::Replacement> replacement_;
};

}  // namespace tenon::command
