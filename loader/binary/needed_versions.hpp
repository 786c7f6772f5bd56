// SPDX-License-Identifier: BSL-1.0
//
// Finds the versions of system libraries that the files of a bundle need.
#pragma once

#include <tenon/system_version.hpp>

#include <vector>

#include "binary/bundle.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the highest version of each system library that a file of the bundle needs, in the order
/// of the table in the source. Versions that the dynamic loader treats as optional do not count.
/// REQUIRED: the bundle has its contents.
std::vector<SystemVersion> needed_versions(const Bundle& bundle);

}}}  // namespace tenon::v0_1::detail
