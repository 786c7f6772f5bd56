// SPDX-License-Identifier: BSL-1.0
//
// Reads a file line by line, and knows the offset of the next line and a checksum of the lines
// before it.
#pragma once

#include <tenon/sdk/content_checksum.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace tenon::builtin {

/// Some programs begin a file in UTF-8 with it.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

class Lines {
 public:
  /// Opens the file. Throws sdk::Failure.
  explicit Lines(std::string path);
  ~Lines();
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  /// Returns the checksum of the file before an offset. Call `seek` before `next`. Throws
  /// sdk::Failure.
  sdk::ContentChecksum checksum_before(std::int64_t offset);
  /// Moves to the beginning of a line; `line` is the number of lines before it. Throws
  /// sdk::Failure.
  void seek(std::int64_t offset, std::int64_t line);
  /// Reads the next line without its newline, and the first line without a byte order mark. Valid
  /// until the next call. Returns false at the end of the file. Throws sdk::Failure.
  bool next(std::string_view& line);

  const std::string& path() const noexcept { return path_; }
  /// Returns the offset of the next line in bytes.
  std::int64_t offset() const noexcept { return offset_; }
  /// Returns the checksum of the file before that offset.
  std::uint64_t checksum() const { return checksum_.value(); }
  /// Returns the inode of the file. Throws sdk::Failure.
  std::uint64_t inode() const;
  /// Returns the number of lines before the next one, including those skipped by `seek`.
  std::int64_t line() const noexcept { return line_; }
  /// Returns whether the last line that was read ended with a newline.
  bool ends_with_newline() const noexcept { return ends_with_newline_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  void move_to(std::int64_t offset);
  bool skip_end_of_line();

  std::string path_;
  std::unique_ptr<char[]> buffer_;  // of the file
  std::unique_ptr<std::FILE, Close> file_;
  char* text_ = nullptr;  // allocated by read_line
  std::size_t capacity_ = 0;
  std::int64_t offset_ = 0;
  std::int64_t line_ = 0;
  sdk::ContentChecksum checksum_;
  bool ends_with_newline_ = true;
};

/// Returns a line without the carriage return that precedes the newline in files of some systems.
inline std::string_view without_return(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace tenon::builtin
