// SPDX-License-Identifier: BSL-1.0
//
// Names of packages in an order in which those who require stand before what they require.
#pragma once

#include <vector>

#include "package/candidates.hpp"

namespace tenon::detail {

/// The names that can be reached from what the roots get and from what is in use, by what any
/// admitted version requires. Names that require each other in circles are one component; a
/// component stands behind all that require one of its names.
std::vector<std::vector<NameId>> components(const Candidates& candidates);

}  // namespace tenon::detail
