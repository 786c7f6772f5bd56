// SPDX-License-Identifier: BSL-1.0
//
// Passes on what a plugin prints.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace tenon::sdk::conformance {

/// Writes to standard error.
void print_error(const std::string& text);

/// Prints output of a plugin, escaped, so that it cannot control the terminal, and at most 64 KiB.
class PassedOutput {
 public:
  /// Gets each line with its end.
  using Print = std::function<void(const std::string& line)>;

  explicit PassedOutput(Print print = print_error) : print_(std::move(print)) {}

  /// Prints the lines that are complete.
  void add(std::string_view bytes);
  /// Prints the rest.
  void end();
  /// Returns whether it was more than 64 KiB.
  bool is_too_much() const noexcept { return passed_ > most_output; }

 private:
  static constexpr std::size_t most_output = 64 << 10;
  static constexpr std::size_t longest_line = 4096;

  void print();

  const Print print_;
  std::string line_;
  std::size_t passed_ = 0;
};

}  // namespace tenon::sdk::conformance
