// SPDX-License-Identifier: BSL-1.0
//
// Replacing a file piece by piece, if its content changes at all.
#pragma once

#include "platform/replace_file.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::command {

/// Files are read, and results written, in pieces of this size.
inline constexpr std::size_t piece = 1 << 18;

/// Replaces the content of a file, line by line. Writes nothing as long as the lines are those of
/// the file, and holds no more than a piece or a line in memory.
class Rewriting {
 public:
  explicit Rewriting(const std::filesystem::path& path);

  void write(std::string_view line);

  /// Puts the new content in the place of the old one; nothing where they are the same.
  std::optional<platform::ReplaceResult> commit();

 private:
  void flush();
  bool is_next(std::string_view text);
  void begin();

  std::filesystem::path path_;
  std::ifstream old_;
  std::string text_;         // not yet compared or written
  std::string compared_;     // kept for its memory
  std::uintmax_t same_ = 0;  // bytes that are as they were
  std::optional<platform::Replacement> fresh_;
};

}  // namespace tenon::command
