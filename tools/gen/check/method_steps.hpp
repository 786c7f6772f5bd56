// SPDX-License-Identifier: BSL-1.0
//
// Reads the changes of methods between two neighbouring versions of a kind.
#pragma once

#include "gen/common.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// Reads the methods of an adaptable step from its object in evolution.json. Reports unexplained
/// differences, and entries that explain nothing or are contradictory. `kind` already has the
/// earlier steps.
void read_method_steps(const ObjectReader& object, const Kind& kind, KindStep& step,
                       Diagnostics& diagnostics);

}  // namespace tenon::gen
