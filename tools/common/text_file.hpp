// SPDX-License-Identifier: BSL-1.0
//
// Reads text files.
#pragma once

#include "common/diagnostics.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace tenon::tools {

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

}  // namespace tenon::tools
