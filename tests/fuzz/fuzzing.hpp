// SPDX-License-Identifier: BSL-1.0
//
// Helpers of the fuzz targets: assertions, and temporary files.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace tenon::fuzzing {

/// Aborts if a property does not hold, so that the fuzzer keeps the input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Removes the first line from a text, and returns it without its newline.
inline std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// A temporary directory of this process. The destructor removes it.
class Directory {
 public:
  Directory() { std::filesystem::create_directories(path_); }
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file, and the directories above it.
  std::filesystem::path write(std::string_view name, std::string_view content) const {
    auto path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    return path;
  }
  /// Removes the content of the directory.
  void clear() const {
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      std::filesystem::remove_all(entry);
    }
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("tenon-fuzz." + std::to_string(::getpid()));
};

}  // namespace tenon::fuzzing
