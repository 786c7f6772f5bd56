// SPDX-License-Identifier: BSL-1.0
#include "common/text_file.hpp"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace tenon::tools {

std::optional<std::string> read_text_file(const std::filesystem::path& path,
                                          Diagnostics& diagnostics) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  std::ifstream file(path, std::ios::binary);
  if (file && !folder) {
    std::ostringstream content;
    content << file.rdbuf();
    return std::move(content).str();
  }
  diagnostics.add({.location = {path.string()},
                   .code = "cannot-read",
                   .message = "the file cannot be read",
                   .found = std::generic_category().message(folder ? EISDIR : errno),
                   .needed = "a file with one JSON object",
                   .fix = "give the path of such a file"});
  return std::nullopt;
}

}  // namespace tenon::tools
