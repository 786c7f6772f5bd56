// SPDX-License-Identifier: BSL-1.0
//
// Passes on what a plugin prints.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon::sdk::conformance {

/// Prints output of a plugin to standard error, escaped, so that it cannot control the terminal,
/// and at most 64 KiB.
class PassedOutput {
 public:
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

  std::string line_;
  std::size_t passed_ = 0;
};

}  // namespace tenon::sdk::conformance
