// SPDX-License-Identifier: BSL-1.0
#include "common/console.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

#include "base/plain_text.hpp"
#include "common/hidden_values.hpp"
#include "platform/program.hpp"

namespace tenon::tools {
namespace {

/// Returns the message with escaped control characters, and with its continuation lines indented.
std::string cleaned(std::string_view message) {
  std::string text;
  for (std::size_t begin = 0; begin <= message.size();) {
    const auto end = std::min(message.find('\n', begin), message.size());
    const std::string_view line = message.substr(begin, end - begin);
    if (begin != 0) text += line.starts_with(' ') ? "\n" : "\n   ";
    text += tenon::escaped_for_display(line);
    begin = end + 1;
  }
  return text;
}

}  // namespace

Console::Console(std::string program)
    : program_(std::move(program)), on_terminal_(platform::is_terminal(2)) {}

void Console::say(std::string_view message) {
  // One write per message, because another process may write to the same file.
  const std::string text = program_ + ": " + cleaned(without_hidden_values(message)) + "\n";
  sync::Lock lock(mutex_);
  if (!progress_.empty()) write_line("");
  std::cerr << text;
  if (!progress_.empty()) write_line(progress_);
}

void Console::show(std::string line) {
  sync::Lock lock(mutex_);
  progress_ = std::move(line);
  write_line(progress_);
}

void Console::clear() {
  sync::Lock lock(mutex_);
  if (!progress_.empty()) write_line("");
  progress_.clear();
}

/// Overwrites the current line.
void Console::write_line(std::string_view line) {
  std::cerr << '\r' << line << "\x1b[K" << std::flush;
}

}  // namespace tenon::tools
