// SPDX-License-Identifier: BSL-1.0
//
// Creates the next version of a kind or document type.
#pragma once

#include <string>
#include <vector>

#include "gen/common.hpp"

namespace tenon::gen {

/// Copies the newest version in a directory as a draft with the next number, and adds an empty step
/// to evolution.json. Returns the paths of the written files. A directory with problems is not
/// changed. Throws IoError.
std::vector<std::string> create_next_version(const std::string& directory,
                                             Diagnostics& diagnostics);

}  // namespace tenon::gen
