// SPDX-License-Identifier: BSL-1.0
//
// Runs the code of plugins in a child process. A plugin, or a library that it uses, may end the
// process with status 0 at any moment. The parent notices that, because the child reports when it
// has completed its work.
#pragma once

#include <string>

namespace tenon::tools {

/// Continues in a child process, which gets SIGKILL when the parent ends. Returns only there.
///
/// The parent waits, and exits with the status of the child, or by the signal that ended it. If the
/// child exits with status 0 without `completed`, the parent prints a message that begins with
/// `program`, and exits with status 1. Static objects that existed before this call are then not
/// destroyed.
///
/// The child blocks SIGINT, SIGTERM and SIGHUP, and ignores SIGPIPE and SIGXFSZ. The parent passes
/// the first three on as messages, so that each arrives once, even if a terminal sends it to both
/// processes. The same signal within 200 ms of a SIGINT or SIGTERM is part of that request, see
/// StopRequests. At the third request it kills the child. It passes on all other signals, and stops
/// when the terminal stops the child.
///
/// REQUIRED: no other thread has been started. Throws std::system_error if the system cannot start
/// the child.
void continue_in_child(const std::string& program);

/// Reports to the parent, if there is one, that the program ends with `status` because it has
/// completed its work. Returns `status`.
int completed(int status) noexcept;

/// Returns the descriptor from which the child reads the numbers of signals, each as one byte.
int signal_channel() noexcept;

}  // namespace tenon::tools
