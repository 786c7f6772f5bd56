// SPDX-License-Identifier: BSL-1.0
//
// Begins a new version of a kind or document type.
#pragma once

#include "gen/model/reading.hpp"

#include <string>
#include <vector>

namespace tenon::gen {

/// Copies the newest version in a folder as a draft with the next number, and adds the step to it,
/// without changes, to evolution.json. Answers the paths of the files that it wrote. A folder with
/// findings is left as it is. Throws EnvironmentError.
std::vector<std::string> begin_next_version(const std::string& folder, Findings& findings);

}  // namespace tenon::gen
