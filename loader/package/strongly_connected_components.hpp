// SPDX-License-Identifier: BSL-1.0
//
// Package names in an order in which requirers come before the names that they require.
#pragma once

#include <vector>

#include "package/propagator.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the names that are reachable from the roots and from `Problem::used` through the
/// requirements of any admitted version. Names that require each other in cycles are one component.
/// A component comes after all components that require one of its names.
std::vector<std::vector<NameId>> strongly_connected_components(const Propagator& propagator);

}}}  // namespace tenon::v0_1::detail
