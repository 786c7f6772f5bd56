// SPDX-License-Identifier: BSL-1.0
#include "selection/pattern_list.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "selection/written_text.hpp"

namespace tenon::selection {

Result<PatternList> PatternList::compile(const std::vector<std::string>& patterns,
                                         std::string_view name) {
  PatternList list;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    auto glob = Glob::compile(patterns[i]);
    if (!glob) {
      return error_at(std::string(name) + "[" + std::to_string(i) + "]", glob.error());
    }
    if (glob->literal()) {
      list.names_.insert(*glob->literal());
    } else {
      list.globs_.push_back(std::move(*glob));
    }
  }
  return list;
}

bool PatternList::matches(const std::string& text) const {
  return names_.count(text) != 0 ||
         std::any_of(globs_.begin(), globs_.end(),
                     [&](const Glob& glob) { return glob.matches(text); });
}

}  // namespace tenon::selection
