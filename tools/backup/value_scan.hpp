// SPDX-License-Identifier: BSL-1.0
//
// Finds the end of a JSON value without building it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace backup {

/// Scans a value in pieces. Checks only texts and brackets; a parser checks the rest.
class ValueScan {
 public:
  enum class Step : std::uint8_t {
    inside,  // the value continues
    ended,   // the value ends after the bytes that were taken
    broken,  // the byte after the taken ones is not allowed there
  };
  struct Taken {
    std::size_t size;  // of the bytes that belong to the value
    Step step;
  };

  /// Starts a value: the next byte is its first one.
  void begin() {
    depth_ = 0;
    in_text_ = escaped_ = is_word_ = false;
  }
  Taken take(std::string_view piece);

 private:
  /// Wrong closing brackets below this level are not detected. A parser refuses such values anyway.
  static constexpr std::size_t watched_levels = 512;

  enum class Verdict : std::uint8_t { inside, ends_here, ends_before, broken };

  Verdict take(char c);
  Verdict take_in_text(char c);
  Verdict open(char closing);
  Verdict close(char c);

  std::array<char, watched_levels> closing_{};  // the closing bracket of each open level
  std::size_t depth_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
  bool is_word_ = false;  // a number, true, false, null
};

}  // namespace backup
