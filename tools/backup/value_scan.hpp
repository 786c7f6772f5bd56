// SPDX-License-Identifier: BSL-1.0
//
// Finds the end of a JSON value without building it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace backup {

/// Scans a value byte by byte. Checks only texts and brackets; a parser checks the rest.
class ValueScan {
 public:
  enum class Step : std::uint8_t {
    inside,       // the value continues
    ends_here,    // the byte is its last one
    ends_before,  // the byte does not belong to it
    broken,       // the byte is not allowed here
  };

  /// Starts a value: the next byte is its first one.
  void begin() {
    depth_ = 0;
    in_text_ = escaped_ = is_word_ = false;
  }
  Step take(char c);

 private:
  /// Wrong closing brackets below this level are not detected. A parser refuses such values anyway.
  static constexpr std::size_t watched_levels = 512;

  Step open(char closing);
  Step close(char c);
  Step take_in_text(char c);

  std::array<char, watched_levels> closing_{};  // the closing bracket of each open level
  std::size_t depth_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
  bool is_word_ = false;  // a number, true, false, null
};

}  // namespace backup
