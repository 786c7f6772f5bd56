// SPDX-License-Identifier: BSL-1.0
//
// Whole files with text.
#pragma once

#include "common/findings.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace tenon::reading {

/// Returns the content of a file, or nothing, and adds a finding, if it cannot be read.
std::optional<std::string> read_text_file(const std::filesystem::path& path, Findings& findings);

}  // namespace tenon::reading
