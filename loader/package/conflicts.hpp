// SPDX-License-Identifier: BSL-1.0
//
// Why requirements of roots are not met.
#pragma once

#include <vector>

#include "package/propagator.hpp"
#include "package/resolver.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the requirements that keep roots from being met: for each name and requirement the
/// shortest chain from a root. REQUIRED: all versions are admitted.
std::vector<Conflict> find_conflicts(Propagator& propagator, const Problem& problem);

}}}  // namespace tenon::v0_1::detail
