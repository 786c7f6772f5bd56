// SPDX-License-Identifier: BSL-1.0
//
// Reads and replaces text files.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "common/diagnostics.hpp"
#include "platform/input_file.hpp"

namespace tenon::tools {

/// A file or directory cannot be read or written. Its text is that of `diagnostic`.
class IoError : public std::runtime_error {
 public:
  explicit IoError(Diagnostic what)
      : std::runtime_error(to_text(what)), diagnostic(std::move(what)) {}

  Diagnostic diagnostic;
};

/// Return the problem of a path that cannot be read or written. `number` is a value of errno.
Diagnostic cannot_read(const std::filesystem::path& path, std::string_view attempt, int number);
Diagnostic cannot_write(const std::filesystem::path& path, std::string_view attempt, int number);

struct FileContent {
  std::optional<std::string> text;
  int error = 0;  // without a text: a value of errno; EFBIG: it has more than 64 MB
};

/// Reads a file of at most 64 MB.
FileContent read_file(const std::filesystem::path& path);

/// Returns the content of a file of at most 64 MB. Returns nothing, and adds a diagnostic, if it
/// cannot be read.
std::optional<std::string> read_text_file(const std::filesystem::path& path,
                                          Diagnostics& diagnostics);

/// The same for an open file; `path` is for diagnostics.
std::optional<std::string> read_text_file(platform::InputFile& file,
                                          const std::filesystem::path& path,
                                          Diagnostics& diagnostics);

/// Writes a file atomically: if this fails, an existing file keeps its content. Throws IoError.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace tenon::tools
