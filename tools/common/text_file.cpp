// SPDX-License-Identifier: BSL-1.0
#include "common/text_file.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "platform/replace_file.hpp"

namespace tenon::tools {
namespace {

/// The limit ends the reading of a device such as /dev/zero.
constexpr std::size_t longest_file = 64'000'000;

std::string message(int number) {
  return std::generic_category().message(number);
}

}  // namespace

FileContent read_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return {std::nullopt, message(EISDIR)};
  std::ifstream file(path, std::ios::binary);
  if (!file) return {std::nullopt, message(errno)};
  std::string content;
  char chunk[1 << 16];
  errno = 0;
  while (file.read(chunk, sizeof chunk).gcount() > 0) {
    content.append(chunk, static_cast<std::size_t>(file.gcount()));
    if (content.size() > longest_file) return {std::nullopt, "more than 64 MB"};
  }
  if (file.bad()) return {std::nullopt, message(errno)};
  return {std::move(content), ""};
}

std::optional<std::string> read_text_file(const std::filesystem::path& path,
                                          Diagnostics& diagnostics) {
  FileContent file = read_file(path);
  if (file.text) return std::move(file.text);
  diagnostics.add({.location = {path.string()},
                   .code = "cannot-read",
                   .message = "the file cannot be read",
                   .found = std::move(file.problem),
                   .needed = "a JSON file",
                   .fix = "check the path and the permissions"});
  return std::nullopt;
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  const std::error_code failed = platform::replace_content(path, content).failed;
  if (failed) throw IoError("cannot write " + path.generic_string() + ": " + failed.message());
}

}  // namespace tenon::tools
