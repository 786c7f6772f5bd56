// SPDX-License-Identifier: BSL-1.0
#include "common/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
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

FileContent content_of(const Descriptor& file) {
  std::string content;
  char chunk[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file.get(), chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {std::nullopt, message(errno)};
    if (count == 0) return {std::move(content), ""};
    content.append(chunk, static_cast<std::size_t>(count));
    if (content.size() > longest_file) return {std::nullopt, "more than 64 MB"};
  }
}

std::optional<std::string> text_of(FileContent content, const std::filesystem::path& path,
                                   Diagnostics& diagnostics) {
  if (content.text) return std::move(content.text);
  diagnostics.add({.location = {path.string()},
                   .code = "cannot-read",
                   .message = "the file cannot be read",
                   .found = std::move(content.problem),
                   .needed = "a JSON file",
                   .fix = "check the path and the permissions"});
  return std::nullopt;
}

}  // namespace

FileContent read_file(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return {std::nullopt, message(errno)};
  return content_of(file);
}

std::optional<std::string> read_text_file(const std::filesystem::path& path,
                                          Diagnostics& diagnostics) {
  return text_of(read_file(path), path, diagnostics);
}

std::optional<std::string> read_text_file(const Descriptor& file, const std::filesystem::path& path,
                                          Diagnostics& diagnostics) {
  return text_of(content_of(file), path, diagnostics);
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  const std::error_code failed = platform::replace_content(path, content).failed;
  if (failed) throw IoError("cannot write " + path.generic_string() + ": " + failed.message());
}

}  // namespace tenon::tools
