// SPDX-License-Identifier: BSL-1.0
//
// Reads and replaces text files.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/descriptor.hpp"
#include "common/diagnostics.hpp"

namespace tenon::tools {

/// A directory does not exist, or a file cannot be read or written.
class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct FileContent {
  std::optional<std::string> text;
  std::string problem;  // without a text: why the file cannot be read
};

/// Reads a file of at most 64 MB.
FileContent read_file(const std::filesystem::path& path);

/// Returns the content of a file of at most 64 MB. Returns nothing, and adds a diagnostic, if it
/// cannot be read.
std::optional<std::string> read_text_file(const std::filesystem::path& path,
                                          Diagnostics& diagnostics);

/// The same for an open file; `path` is for diagnostics.
std::optional<std::string> read_text_file(const Descriptor& file, const std::filesystem::path& path,
                                          Diagnostics& diagnostics);

/// Writes a file atomically: if this fails, an existing file keeps its content. Throws IoError.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace tenon::tools
