// SPDX-License-Identifier: BSL-1.0
//
// The order in which items are restored.
#pragma once

#include <cstddef>
#include <vector>

#include "items.hpp"

namespace backup {

/// Returns the indices of all items: definitions of resources, namespaces, storage, configuration
/// and accounts first, then pods and controllers of pods, then everything else.
std::vector<std::size_t> restore_order(const Items& items);

}  // namespace backup
