// SPDX-License-Identifier: BSL-1.0
//
// One list of patterns of a selector.
#pragma once

#include "selection/glob.hpp"

#include <tenon/result.hpp>

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace tenon::selection {

/// Compiled patterns. Plain names are looked up, so that there may be many of them. Const functions
/// may be called from any thread.
class PatternList {
 public:
  /// Compiles a list. Error: bad-pattern, whose `where` is the place in the list `name`.
  static Result<PatternList> compile(const std::vector<std::string>& patterns,
                                     std::string_view name);

  bool empty() const noexcept { return names_.empty() && globs_.empty(); }
  bool matches(const std::string& text) const;

 private:
  std::unordered_set<std::string> names_;
  std::vector<Glob> globs_;
};

}  // namespace tenon::selection
