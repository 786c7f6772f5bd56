// SPDX-License-Identifier: BSL-1.0
//
// Detects threads and descriptors that a plugin leaks.
#pragma once

#include "subject.hpp"

namespace tenon::sdk::conformance {

/// Runs `use` and destroys the host. Fails the case if the process then has threads or descriptors
/// that it did not have before. Threads get `Subject::patience` to end.
void require_nothing_left(Subject& subject, void (*use)(Subject& subject));

}  // namespace tenon::sdk::conformance
