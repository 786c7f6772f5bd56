// SPDX-License-Identifier: BSL-1.0
//
// Detects threads and descriptors that a plugin leaks, and settings of the process that it changes.
#pragma once

#include "subject.hpp"

namespace tenon::sdk::conformance {

/// Runs `use` and destroys the host. Fails the case if the process then has threads or descriptors
/// that it did not have before. Threads get `Subject::patience` to end.
void require_nothing_left(Subject& subject, void (*use)(Subject& subject));

/// Runs `use`. Fails the case if it changed a signal handler, the signal mask, the locale, the
/// floating-point modes, the environment, the working directory or the mask for new files.
void require_nothing_changed(Subject& subject, void (*use)(Subject& subject));

}  // namespace tenon::sdk::conformance
