// SPDX-License-Identifier: BSL-1.0
//
// Regular expressions of validations. Patterns are part of manifests, which may be hostile. A match
// therefore takes a time that is linear in the value and in the pattern, and a stack that depends
// on neither. Characters are bytes.
//
//   x  \.                 the character itself; characters that have a meaning need a backslash
//   \n \t \r \f \v \x7f   control characters, or a character by its code
//   .                     any character except \n and \r
//   \d \w \s  \D \W \S    a digit, a letter or digit or _, white space; any other character
//   [a-z\d_]  [^a-z]      one of these characters; any other character
//   (x)  (?:x)  x|y       a group; one of two alternatives
//   x*  x+  x?            any number of times, at least once, at most once
//   x{2}  x{2,}  x{2,5}   this number of times; `?` after a repetition has no effect
//   ^  $  \b  \B          the beginning, the end, the edge of a word, any other place
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::config {

/// A compiled pattern. Immutable and thread-safe.
class Pattern {
 public:
  /// The maximum length of a pattern in bytes, of groups in each other, and of the steps to which a
  /// pattern is compiled: about one for each character, for each time that it may be repeated.
  static constexpr std::size_t longest_text = 1024;
  static constexpr std::size_t deepest_groups = 64;
  static constexpr std::size_t most_steps = 2048;

  /// Compiles a pattern. Returns nothing and sets `flaw` if it is not valid or exceeds a limit, eg:
  /// "the group at byte 3 has no )".
  static std::optional<Pattern> compile(std::string_view text, std::string& flaw);

  /// Returns whether the pattern matches a part of the value.
  bool matches_part_of(std::string_view value) const;

 private:
  friend class PatternReader;
  class Search;

  struct Step {
    enum class Sort : std::uint8_t { characters, fork, jump, begin, end, edge, no_edge };

    Sort sort = Sort::characters;
    std::ptrdiff_t distance = 0;  // to the next step of a jump, and to the second one of a fork
    std::bitset<256> characters = {};
  };

  std::vector<Step> steps_;  // the end of the last one is the end of a match
};

}  // namespace tenon::config
