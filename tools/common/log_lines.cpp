// SPDX-License-Identifier: BSL-1.0
#include "common/log_lines.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <iostream>
#include <string>

#include "common/hidden_values.hpp"
#include "platform/program.hpp"

namespace tenon::tools {
namespace {

constexpr const char* names[] = {"trace", "debug", "info", "warning", "error"};

/// Returns a time as the lines of the library have it: 2027-01-31 23:59:59.999
std::string text_of(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch());
  const std::time_t seconds = since.count() / 1000;
  const std::tm parts = platform::local_time(seconds);
  std::array<char, 32> text;
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  const std::string fraction = std::to_string(1000 + since.count() % 1000).substr(1);
  return std::string(text.data(), size) + "." + fraction;
}

}  // namespace

void write_log_line(const tenon::LogLine& line) {
  const std::string text = "[" + text_of(line.time) + "] [tenon] [" +
                           names[static_cast<std::size_t>(line.level)] + "] " +
                           without_hidden_values(line.to_string()) + "\n";
  std::cerr << text << std::flush;
}

}  // namespace tenon::tools
