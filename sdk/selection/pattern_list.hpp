// SPDX-License-Identifier: BSL-1.0
//
// A list of patterns in a selector.
#pragma once

#include <tenon/result.hpp>

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "selection/glob.hpp"

namespace tenon::selection {

/// A list of compiled patterns. Plain names are stored in a hash set, so a list may contain many of
/// them. Immutable and thread-safe.
class PatternList {
 public:
  /// Compiles a list. Error: bad-pattern. Its `where` begins with `name` and the index.
  static Result<PatternList> compile(const std::vector<std::string>& patterns,
                                     std::string_view name);

  /// Returns whether the list has no patterns.
  bool empty() const noexcept { return names_.empty() && globs_.empty(); }
  /// Returns whether a pattern matches the whole text.
  bool matches(const std::string& text) const;

 private:
  std::unordered_set<std::string> names_;
  std::vector<Glob> globs_;
};

}  // namespace tenon::selection
