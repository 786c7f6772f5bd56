// SPDX-License-Identifier: BSL-1.0
//
// Standard error: messages, and on a terminal one line of progress below them.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

namespace tenon::tools {

/// Thread-safe.
class Console {
 public:
  /// `program`: the name that messages begin with.
  explicit Console(std::string program);

  /// Writes a message, with the name of the program before it, without what could forge a message
  /// or move the cursor.
  void say(std::string_view message);

  /// Returns whether standard error is a terminal, where progress is shown.
  bool on_terminal() const noexcept { return on_terminal_; }
  /// Shows one line of progress, which replaces the previous one.
  void show(std::string line);
  /// Removes the line of progress.
  void clear();

 private:
  void write_line(std::string_view line);

  const std::string program_;
  const bool on_terminal_;
  std::mutex mutex_;
  std::string progress_;  // the line that is shown
};

}  // namespace tenon::tools
