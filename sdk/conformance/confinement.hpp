// SPDX-License-Identifier: BSL-1.0
//
// Takes from a process what the code of a plugin does not need.
#pragma once

namespace tenon::sdk::conformance {

/// Moves this process to a new network namespace, which has no network. Returns false if the system
/// does not allow that. REQUIRED: no other thread has been started.
bool leave_network() noexcept;

/// Returns whether `leave_network` would succeed. Tries it in a child process.
bool can_leave_network() noexcept;

/// Makes the system end this process with SIGSYS when it starts another process. It may start
/// threads. Returns false if the system cannot do that.
bool forbid_processes() noexcept;

}  // namespace tenon::sdk::conformance
