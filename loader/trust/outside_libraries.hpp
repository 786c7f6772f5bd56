// SPDX-License-Identifier: BSL-1.0
//
// Libraries that run paths lead to, outside of a bundle and of the directories of the system. A
// package manager looks after the latter; nobody may look after the others.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <vector>

#include "binary/bundle.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the bundles of such libraries, and of those that they need in turn, each once: the first
/// file of a bundle is the library. Their contents are not kept. Errors: those of inspect_bundle.
Result<std::vector<Bundle>> outside_libraries(const Bundle& bundle);

}}}  // namespace tenon::v0_1::detail
