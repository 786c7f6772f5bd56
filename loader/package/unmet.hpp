// SPDX-License-Identifier: BSL-1.0
//
// Why roots do not get what they need.
#pragma once

#include <vector>

#include "package/candidates.hpp"
#include "package/resolver.hpp"

namespace tenon::detail {

/// All that stands in the way of roots: of each name and requirement the shortest chain to it.
/// REQUIRED: all versions are admitted.
std::vector<Unmet> unmet_needs(Candidates& candidates, const Question& question);

}  // namespace tenon::detail
