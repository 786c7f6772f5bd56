// SPDX-License-Identifier: BSL-1.0
//
// Patterns of names:
//
//   *       any text, dots included, also none
//   ?       one character
//   [a-z0]  one of these characters; [!a-z] one other than these
//   \c      the character c itself
#pragma once

#include <tenon/result.hpp>

#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::selection {

/// A compiled pattern. Names of Kubernetes are ASCII, so one character is one byte. Const functions
/// may be called from any thread.
class Glob {
 public:
  /// The longest pattern, in bytes. It bounds the time of a match: a text is compared at most this
  /// often at each byte.
  static constexpr std::size_t longest_pattern = 1024;

  /// Compiles a pattern. Error: bad-pattern, with the column (counted from 1) of the flaw. Empty
  /// patterns are refused, since they match no name; so are `{` and `}` without a `\`, which mean
  /// alternatives elsewhere.
  static Result<Glob> compile(std::string_view pattern);

  /// Returns whether the pattern matches the whole text. Upper case differs from lower case.
  bool matches(std::string_view text) const;

  /// Returns the only text that a pattern without `*`, `?` and `[` matches; otherwise nothing.
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
