// SPDX-License-Identifier: BSL-1.0
//
// The files of `tenon verify --config`.
#pragma once

#include <tenon/sdk/conformance.hpp>

#include <string>
#include <vector>

#include "common/diagnostics.hpp"

namespace tenon::command {

/// Reads configurations of plugins. Each must belong to a plugin of one of the cases. Reports what
/// is wrong to `problems`.
std::vector<sdk::conformance::PluginSetup> read_setups(
    const std::vector<std::string>& files, const std::vector<sdk::conformance::Case>& cases,
    tools::Diagnostics& problems);

}  // namespace tenon::command
