// SPDX-License-Identifier: BSL-1.0
//
// Finds threads and descriptors that a plugin does not release.
#pragma once

#include "subject.hpp"

namespace tenon::sdk::conformance {

/// Fails the case unless the process has the same threads and descriptors after `use` and the end
/// of the host as before. Threads that are ending get some time.
void require_nothing_left(Subject& subject, void (*use)(Subject& subject));

}  // namespace tenon::sdk::conformance
