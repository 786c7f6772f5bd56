// SPDX-License-Identifier: BSL-1.0
#include "common/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <system_error>
#include <utility>

#include "base/path_problem.hpp"
#include "platform/replace_file.hpp"

namespace tenon::tools {
namespace {

/// The limit ends the reading of a device such as /dev/zero.
constexpr std::size_t longest_file = 64'000'000;

Diagnostic diagnostic_of(detail::PathProblem error) {
  return {.location = {std::move(error.where)},
          .code = std::move(error.code),
          .found = std::move(error.found),
          .needed = std::move(error.needed),
          .fix = std::move(error.fix)};
}

FileContent content_of(const Descriptor& file) {
  std::string content;
  char chunk[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file.get(), chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {std::nullopt, errno};
    if (count == 0) return {std::move(content)};
    content.append(chunk, static_cast<std::size_t>(count));
    if (content.size() > longest_file) return {std::nullopt, EFBIG};
  }
}

std::optional<std::string> text_of(FileContent content, const std::filesystem::path& path,
                                   Diagnostics& diagnostics) {
  if (content.text) return std::move(content.text);
  Diagnostic refused = cannot_read(path, "reading the file", content.error);
  if (content.error == EFBIG) refused.found = "more than 64 MB";
  diagnostics.add(std::move(refused));
  return std::nullopt;
}

}  // namespace

Diagnostic cannot_read(const std::filesystem::path& path, std::string_view attempt, int number) {
  return diagnostic_of(detail::unreadable(path, {attempt, number}));
}

Diagnostic cannot_write(const std::filesystem::path& path, std::string_view attempt, int number) {
  return diagnostic_of(detail::unwritable(path, {attempt, number}));
}

FileContent read_file(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return {std::nullopt, errno};
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
  if (failed) throw IoError(cannot_write(path, "writing the file", failed.value()));
}

}  // namespace tenon::tools
