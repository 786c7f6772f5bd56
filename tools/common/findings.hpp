// SPDX-License-Identifier: BSL-1.0
//
// What is wrong with files that people write. A run collects everything before it gives up, so that
// a person repairs a file once and not once for each mistake.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::reading {

/// Where something stands in a file. Line and column count from 1, a column is one character;
/// line 0 means the whole file.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One thing that is wrong. What does not apply is left out.
struct Finding {
  Place place;
  std::string code{};    // stable word, eg: "unknown-key"
  std::string what{};    // one sentence without a full stop
  std::string found{};   // what is there
  std::string needed{};  // what should be there
  std::string fix{};     // what to do about it
};

/// `file:line:column: error[code]: what` and a line each for found, needed and fix.
std::string to_text(const Finding& finding);

/// Everything that is wrong, in the order in which a person reads the files.
class Findings {
 public:
  void add(Finding finding);
  bool empty() const noexcept { return all_.empty(); }
  /// Sorted by place; valid until the next `add`.
  const std::vector<Finding>& all() const;

 private:
  mutable std::vector<Finding> all_;  // sorted when somebody asks
  mutable bool sorted_ = true;
};

/// "did you mean 'apply'?" when a known word is near `word`, else nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

/// `did_you_mean`, or else `otherwise`.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known,
                         std::string_view otherwise);

/// "'a', 'b' and 'c'"; of many words the first ones and how many more there are.
std::string enumerate(const std::vector<std::string>& words);

}  // namespace tenon::reading
