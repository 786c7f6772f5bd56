// SPDX-License-Identifier: BSL-1.0
//
// Finds the end of a JSON value without building it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace backup {

/// Takes a value byte by byte. Sees texts and brackets; the rest is for a parser to check.
class ValueScan {
 public:
  enum class Step : std::uint8_t {
    inside,       // the value goes on
    ends_here,    // the byte is its last one
    ends_before,  // the byte does not belong to it
    broken,       // the byte cannot stand here
  };

  /// The next byte is the first one of a value.
  void begin() {
    depth_ = 0;
    in_text_ = escaped_ = is_word_ = false;
  }
  Step take(char c);

 private:
  /// Below this level a wrong closing bracket is not seen. A parser refuses such values anyway.
  static constexpr std::size_t watched_levels = 512;

  Step open(char closing);
  Step close(char c);
  Step take_in_text(char c);

  std::array<char, watched_levels> closing_{};  // what closes each open level
  std::size_t depth_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
  bool is_word_ = false;  // a number, true, false, null
};

}  // namespace backup
