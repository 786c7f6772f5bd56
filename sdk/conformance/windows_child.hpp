// SPDX-License-Identifier: BSL-1.0
//
// Child processes on Windows, which cannot copy a process: the program is run again with the same
// arguments. It makes the same calls of run_in_child, and runs their bodies.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "child.hpp"
#include "passed_output.hpp"
#include "subject.hpp"

namespace tenon::sdk::conformance {

/// The exception of a call of run_in_child that was stopped.
struct Stopped {};

/// Calls of run_in_child by one thread. They share a child process as long as it is as before the
/// first of them: without new threads, handles, mapped files, modules, processes and files, with
/// the same settings, and an undamaged heap. A case that fails ends it. The next call then starts
/// another one. A call outside a series has a child process of its own.
class ChildSeries {
 public:
  /// `number`: the child process finds the same series by it. `print` is called with each line
  /// that is printed, with its end. `stop`: an event (HANDLE) that makes a call throw Stopped after
  /// it has ended the child process; or nullptr.
  explicit ChildSeries(std::size_t number, PassedOutput::Print print = print_error,
                       void* stop = nullptr);
  /// Ends the child process. In the child process, waits for that.
  ~ChildSeries();
  ChildSeries(const ChildSeries&) = delete;
  ChildSeries& operator=(const ChildSeries&) = delete;

  /// Returns the number of the series whose child this process is; nothing if it is none.
  static std::optional<std::size_t> of_this_process();

  /// Runs the next body, see run_in_child.
  Ending run(const Limits& limits, const std::function<Ending()>& body);

 private:
  class Process;

  const std::size_t number_;
  const PassedOutput::Print print_;
  void* const stop_;
  std::size_t next_ = 0;
  std::unique_ptr<Process> process_;  // nullptr: the next call starts one
};

}  // namespace tenon::sdk::conformance
