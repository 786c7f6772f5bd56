// SPDX-License-Identifier: BSL-1.0
//
// Runs a function in a child process, so that it may crash, hang or exit.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "subject.hpp"

namespace tenon::sdk::conformance {

/// Runs `body` in a child process, in a new empty directory that is removed afterwards, without the
/// environment variables that may hold secrets, and with at most 2 GiB of memory for data. What it
/// prints is passed on to standard error, escaped; 64 KiB at most. Processes that it leaves behind
/// are killed, also those that began a session of their own. Returns the result of `body`; `failed`
/// with the reason if the child crashes, exits, or still runs after `timeout`. Throws
/// std::system_error if a process or a directory cannot be created. If the child ends in a function
/// that is named by NamedFunction, the reason names it.
Ending run_in_child(std::chrono::milliseconds timeout, const std::function<Ending()>& body);

/// Names the function of a plugin that runs as long as this object exists, for run_in_child. At
/// most one exists. Does nothing in other processes.
class NamedFunction {
 public:
  explicit NamedFunction(std::string_view name) noexcept;
  ~NamedFunction();
  NamedFunction(const NamedFunction&) = delete;
  NamedFunction& operator=(const NamedFunction&) = delete;
};

}  // namespace tenon::sdk::conformance
