// SPDX-License-Identifier: BSL-1.0
//
// Runs the cases of several modules at the same time, those of each module in a process of its own.
#pragma once

#include <tenon/sdk/conformance.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace tenon::command {

/// The work of the processes, and what the caller learns of it, one call at a time.
struct VerifyWork {
  /// The number of modules.
  std::size_t count = 0;
  /// Runs the cases of one module, in a child process. Calls `done` after each.
  std::function<void(std::size_t module,
                     const std::function<void(const sdk::conformance::Result&)>& done)>
      run;
  /// A case has ended.
  std::function<void(std::size_t module, sdk::conformance::Verdict verdict, std::string reason)>
      case_ended;
  /// The process of a module has ended before its cases.
  std::function<void(std::size_t module, const std::string& reason)> module_broke;
  /// All cases of a module have ended.
  std::function<void(std::size_t module)> module_ended;
  /// A plugin has printed a line, without its end. It has no control characters.
  std::function<void(std::size_t module, std::string_view line)> printed;
};

/// Runs the work, with a process for each processor of the machine. If the process gets SIGINT or
/// SIGTERM, ends all children and returns the number of the signal; otherwise 0. An
/// exception of `run` ends all with std::runtime_error. REQUIRED: no other thread has been started,
/// and there are no other child processes. On Windows it starts threads, and does not return in a
/// child process, see run_in_child.
int run_in_processes(const VerifyWork& work);

/// Ends this process as the signal does.
void end_by(int number);

}  // namespace tenon::command
