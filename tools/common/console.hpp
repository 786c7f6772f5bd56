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

  /// Whether there is somebody to show progress to.
  bool on_terminal() const noexcept { return on_terminal_; }
  /// Shows one line of progress, which replaces the previous one.
  void show(std::string line);
  /// Takes the line of progress away.
  void clear();

 private:
  void write_line(std::string_view line);

  const std::string program_;
  const bool on_terminal_;
  std::mutex mutex_;
  std::string progress_;  // what stands there now
};

}  // namespace tenon::tools
