// SPDX-License-Identifier: BSL-1.0
#include "console.hpp"

#include <unistd.h>

#include <iostream>

namespace pipeline {

Console::Console() : on_terminal_(::isatty(STDERR_FILENO) == 1) {}

void Console::say(std::string_view message) {
  std::lock_guard lock(mutex_);
  if (!progress_.empty()) write_line("");
  std::cerr << "tenon-pipeline: " << message << "\n";
  if (!progress_.empty()) write_line(progress_);
}

void Console::show(const Counts& counts, std::chrono::duration<double> since) {
  const double rate = since.count() > 0 ? static_cast<double>(counts.read) / since.count() : 0;
  std::lock_guard lock(mutex_);
  progress_ = "records: read " + std::to_string(counts.read) + ", written " +
              std::to_string(counts.written) + ", acknowledged " +
              std::to_string(counts.acknowledged) + " (" +
              std::to_string(static_cast<std::uint64_t>(rate)) + "/s)";
  write_line(progress_);
}

void Console::clear() {
  std::lock_guard lock(mutex_);
  if (!progress_.empty()) write_line("");
  progress_.clear();
}

/// Over what stands on the line of the cursor.
void Console::write_line(std::string_view line) {
  std::cerr << '\r' << line << "\x1b[K" << std::flush;
}

}  // namespace pipeline
