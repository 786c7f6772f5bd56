// SPDX-License-Identifier: BSL-1.0
//
// Standard error: messages, and on a terminal one line of progress below them.
#pragma once

#include "transit.hpp"

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

namespace pipeline {

/// Thread-safe.
class Console {
 public:
  Console();

  /// Writes a message, with the name of the program before it, without what could forge a message
  /// or move the cursor.
  void say(std::string_view message);

  /// Whether there is somebody to show progress to.
  bool on_terminal() const noexcept { return on_terminal_; }
  /// Shows how far a run is that began some time ago.
  void show(const Counts& counts, std::chrono::duration<double> since);
  /// Takes the line of progress away.
  void clear();

 private:
  void write_line(std::string_view line);

  const bool on_terminal_;
  std::mutex mutex_;
  std::string progress_;  // what stands there now
};

}  // namespace pipeline
