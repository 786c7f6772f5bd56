// SPDX-License-Identifier: BSL-1.0
//
// Reads a file line by line and knows where in it the next line begins.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace tenon::builtin {

class Lines {
 public:
  /// Opens the file. Throws sdk::Failure.
  explicit Lines(std::string path);
  ~Lines();
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  /// Goes to where a line begins; `line` is how many lines stand before it. Throws sdk::Failure.
  void seek(std::int64_t offset, std::int64_t line);
  /// The next line without its newline, valid until the next call; false at the end of the file.
  /// Throws sdk::Failure.
  bool next(std::string_view& line);

  const std::string& path() const noexcept { return path_; }
  /// Where the next line begins, in bytes.
  std::int64_t offset() const noexcept { return offset_; }
  /// How many lines were read, those before the place of `seek` included.
  std::int64_t line() const noexcept { return line_; }
  /// Whether the last line that was read ended with a newline.
  bool ended() const noexcept { return ended_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  char* text_ = nullptr;  // of getline
  std::size_t room_ = 0;
  std::int64_t offset_ = 0;
  std::int64_t line_ = 0;
  bool ended_ = true;
};

/// A line without the return that stands before the newline in files of some systems.
inline std::string_view without_return(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace tenon::builtin
