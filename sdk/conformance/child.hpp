// SPDX-License-Identifier: BSL-1.0
//
// Runs a function in a child process, so that it may crash, hang or end the process.
#pragma once

#include "subject.hpp"

#include <chrono>
#include <functional>

namespace tenon::sdk::conformance {

/// Runs `body` in a child, whose current directory is an empty one that is removed afterwards.
/// Returns what `body` returns; failed with the reason if the child crashes, ends in another way or
/// still runs after `timeout`. Throws std::system_error if the system refuses something.
Ending run_in_child(std::chrono::milliseconds timeout, const std::function<Ending()>& body);

}  // namespace tenon::sdk::conformance
