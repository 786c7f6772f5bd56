// SPDX-License-Identifier: BSL-1.0
//
// Which of tenon's own specs belong to a program.
#pragma once

#include "gen/load.hpp"

namespace tenon::gen {

/// Leaves in the model what it needs of the standard specs. Throws UsageError where `wanted` names
/// a kind or version that they do not have.
void keep_wanted(const std::vector<StandardKind>& wanted, Model& model);

}  // namespace tenon::gen
