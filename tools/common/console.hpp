// SPDX-License-Identifier: BSL-1.0
//
// Writes messages to standard error, with one line of progress below them on a terminal.
#pragma once

#include <tenon/mutex.hpp>

#include <string>
#include <string_view>

namespace tenon::tools {

/// Thread-safe.
class Console {
 public:
  /// `program` is the prefix of each message.
  explicit Console(std::string program);

  /// Writes a message with the name of the program before it. Characters that could forge a message
  /// or move the cursor are written as \xNN. Hidden values are replaced; see hidden_values.hpp.
  void say(std::string_view message);

  /// Returns whether standard error is a terminal. Progress is shown only there.
  bool on_terminal() const noexcept { return on_terminal_; }
  /// Shows a line of progress in place of the previous one.
  void show(std::string line);
  /// Removes the line of progress.
  void clear();

 private:
  void write_line(std::string_view line) TENON_REQUIRES(mutex_);

  const std::string program_;
  const bool on_terminal_;
  sync::Mutex mutex_;
  std::string progress_ TENON_GUARDED_BY(mutex_);  // the current line; empty: none
};

}  // namespace tenon::tools
