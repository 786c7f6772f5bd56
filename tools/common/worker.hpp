// SPDX-License-Identifier: BSL-1.0
//
// Watches over the code of plugins. A plugin, or a library that it uses, may end the process with
// status 0 at any moment.
#pragma once

#include <memory>
#include <optional>

namespace tenon::tools {

/// Continues under supervision.
///
/// On POSIX it continues in a child process, which gets SIGKILL when the parent ends, and returns
/// only there. The parent waits, and exits with the status of the child, or by the signal that
/// ended it. If the child exits with status 0 without `completed`, the parent prints a message that
/// begins with `program`, and exits with status 1. Static objects that existed before this call are
/// then not destroyed. The child blocks SIGINT, SIGTERM and SIGHUP, and ignores SIGPIPE and
/// SIGXFSZ. The parent passes the first three on as messages, so that each arrives once, even if a
/// terminal sends it to both processes. The same signal within 200 ms of a SIGINT or SIGTERM is
/// part of that request, see StopRequests. At the third request it kills the child. It passes on
/// all other signals, and stops when the terminal stops the child.
///
/// On Windows it continues in the same process. Ctrl+C arrives as SIGINT, Ctrl+Break as SIGBREAK,
/// the end of the console or of the session as SIGTERM. At the third one the process ends. If exit
/// is called before `completed`, whatever its status, the process prints the message, and its
/// status is 1; _exit, ExitProcess and TerminateProcess are not noticed.
///
/// REQUIRED: no other thread has been started. Throws std::system_error if the system cannot start
/// the child.
void supervise(const char* program);

/// Reports that the program ends with `status` because it has completed its work. Returns `status`.
int completed(int status) noexcept;

/// The signals to a supervised program. The earliest comes first; the next reader gets those that
/// this one has not read.
class SignalReader {
 public:
  /// Throws std::system_error.
  SignalReader();
  ~SignalReader();
  SignalReader(const SignalReader&) = delete;
  SignalReader& operator=(const SignalReader&) = delete;

  /// Waits for the next signal. Returns its number; nothing after `end`.
  std::optional<int> next();
  /// Ends `next`, from another thread.
  void end() noexcept;

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace tenon::tools
