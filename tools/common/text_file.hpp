// SPDX-License-Identifier: BSL-1.0
//
// Reads text files.
#pragma once

#include "common/diagnostics.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace tenon::tools {

/// Returns the content of a file. Returns nothing, and adds a diagnostic, if it cannot be read.
std::optional<std::string> read_text_file(const std::filesystem::path& path,
                                          Diagnostics& diagnostics);

}  // namespace tenon::tools
