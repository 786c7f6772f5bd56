// SPDX-License-Identifier: BSL-1.0
//
// Describes the evolution of kinds in words.
#pragma once

#include <string>
#include <vector>

#include "gen/model/model.hpp"

namespace tenon::command {

/// Returns the changes from one version of a kind to the next, eg: "renames start to open",
/// "adds read_batch (by hand on older plugins)", "adds apply.request.mask".
std::vector<std::string> changes_of(const gen::KindStep& step);

}  // namespace tenon::command
