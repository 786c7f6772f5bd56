// SPDX-License-Identifier: BSL-1.0
//
// Runs a function in a child process, so that it may crash, hang or exit.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "subject.hpp"

namespace tenon::sdk::conformance {

/// The limits of a child process.
struct Limits {
  /// Of its run. It may use as much time of processors, and a second more.
  std::chrono::milliseconds timeout;
  /// Whether it may start processes.
  bool processes = true;
  /// If true, output after the first 64 KiB is dropped. If false, it fails the case.
  bool much_output = true;
  /// Whether it may use the network. Only as far as the system can take that away, see
  /// `can_leave_network`.
  bool network = true;
};

/// Runs `body` in a child process, in a new empty directory that is removed afterwards, without the
/// environment variables that may hold secrets, without standard input and a terminal, in a process
/// group of its own, with the default handlers of signals, and with at most 2 GiB of memory for
/// data. What it prints is passed on to standard error, escaped; 64 KiB at most.
/// Processes that it leaves behind are killed, also those that began a session of their own.
/// Returns the result of `body`; `failed` with the reason if the child crashes, exits, exceeds a
/// limit or damages its heap. Throws std::system_error if a process or a directory cannot be
/// created. If the child ends in a function that is named by NamedFunction, the reason names it.
///
/// Windows cannot copy a process: there, the program is run again with the same arguments, and
/// `body` runs when it comes to this function. All that precedes it must do the same again; what it
/// prints is dropped. Several calls may share a child process, see windows_child.hpp. The time of
/// processors and the network are not limited. A process that `body` may not start fails the case
/// when the function that is named by NamedFunction, or `body`, returns.
Ending run_in_child(const Limits& limits, const std::function<Ending()>& body);

/// Returns a number that is drawn once: it is the same in the child processes of this one.
std::uint64_t random_seed();

/// Kills all child processes of this one, also those that their parents left to it if it is a
/// subreaper.
void end_children();

/// Removes the directories of the children of a process that was killed.
void remove_directories(pid_t process);

/// Returns whether a child process is stopped, see waitpid.
bool is_stopped(pid_t child) noexcept;

/// Returns the name of a signal, eg: "SIGKILL".
std::string signal_name(int number);

/// Names the function of a plugin that runs as long as this object exists, for run_in_child. At
/// most one exists. The destructor makes the allocator check the heap. Does nothing in other
/// processes.
class NamedFunction {
 public:
  explicit NamedFunction(std::string_view name) noexcept;
  ~NamedFunction();
  NamedFunction(const NamedFunction&) = delete;
  NamedFunction& operator=(const NamedFunction&) = delete;
};

}  // namespace tenon::sdk::conformance
