// SPDX-License-Identifier: BSL-1.0
#include "common/text_file.hpp"

#include <cerrno>
#include <cstddef>
#include <system_error>
#include <utility>

#include "base/path_problem.hpp"
#include "platform/input_file.hpp"
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

FileContent content_of(platform::InputFile& file) {
  std::string content;
  char chunk[1 << 16];
  while (const auto count = file.read(chunk)) {
    if (*count == 0) return {std::move(content)};
    content.append(chunk, *count);
    if (content.size() > longest_file) return {std::nullopt, EFBIG};
  }
  return {std::nullopt, file.error()};
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
  platform::InputFile file(path);
  return content_of(file);
}

std::optional<std::string> read_text_file(const std::filesystem::path& path,
                                          Diagnostics& diagnostics) {
  return text_of(read_file(path), path, diagnostics);
}

std::optional<std::string> read_text_file(platform::InputFile& file,
                                          const std::filesystem::path& path,
                                          Diagnostics& diagnostics) {
  return text_of(content_of(file), path, diagnostics);
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  const std::error_code failed = platform::replace_content(path, content).failed;
  if (failed) throw IoError(cannot_write(path, "writing the file", failed.value()));
}

}  // namespace tenon::tools
