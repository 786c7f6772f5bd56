// SPDX-License-Identifier: BSL-1.0
//
// Patterns for names:
//
//   *       any text, including dots and the empty text
//   ?       any character
//   [a-z0]  one of these characters; [!a-z] any other character
//   \c      the character c
#pragma once

#include <tenon/result.hpp>

#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::selection {

/// A compiled pattern. Names in Kubernetes are ASCII, so one character is one byte. Immutable and
/// thread-safe.
class Glob {
 public:
  /// The maximum length of a pattern in bytes. It bounds the time of a match, which compares each
  /// byte of a text at most this many times.
  static constexpr std::size_t longest_pattern = 1024;

  /// Compiles a pattern. Error: bad-pattern, with the column (counted from 1) of the flaw. Empty
  /// patterns are refused because they match no name; `{` and `}` without a `\`, because they
  /// denote alternatives in other syntaxes.
  static Result<Glob> compile(std::string_view pattern);

  /// Returns whether the pattern matches the whole text. Case-sensitive.
  bool matches(std::string_view text) const;

  /// Returns the only text that the pattern matches, if it contains no `*`, `?` or `[`.
  const std::optional<std::string>& literal() const noexcept { return literal_; }

 private:
  friend class GlobReader;

  struct Step {
    bool any_text = false;  // `*`; otherwise the step matches one of the characters
    std::bitset<256> characters = {};

    bool matches(char c) const { return characters.test(static_cast<unsigned char>(c)); }
  };

  std::vector<Step> steps_;
  std::optional<std::string> literal_ = std::string();
};

}  // namespace tenon::selection
