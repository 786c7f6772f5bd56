// SPDX-License-Identifier: BSL-1.0
//
// Label selectors in the syntax of Kubernetes: requirements separated by commas. Labels match if
// they meet all requirements. In addition, the word `or` separates alternatives, of which labels
// must match one: `app=web,tier=front or app=db`.
//
//   k=v  k==v       the label k has the value v
//   k!=v            k has another value or is absent
//   k in (v,w)      k has one of these values
//   k notin (v,w)   k has none of these values or is absent
//   k               k is present
//   !k              k is absent
//   k>1  k<2        k is present and its value is an integer greater than 1, less than 2
//
// Blanks between tokens are ignored. A value may be empty.
#pragma once

#include <tenon/result.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::selection {

using Labels = std::map<std::string, std::string, std::less<>>;

/// A compiled label selector. Immutable and thread-safe.
class LabelSelector {
 public:
  /// Constructs a selector that matches everything.
  LabelSelector() = default;

  /// Compiles a selector. An empty selector matches everything. Error: bad-label-selector, with the
  /// column (in bytes, counted from 1) of the flaw.
  static Result<LabelSelector> parse(std::string_view text);

  /// Returns whether the labels meet every requirement of an alternative.
  bool matches(const Labels& labels) const;

  /// Returns whether there is no requirement.
  bool empty() const noexcept { return alternatives_.empty(); }

 private:
  friend class LabelSelectorReader;
  enum class Operator { in, not_in, exists, absent, above, below };

  struct Requirement {
    std::string key;
    Operator op = Operator::exists;
    std::vector<std::string> values{};  // sorted; for `in` and `not_in`
    std::int64_t bound = 0;             // for `above` and `below`

    bool matches(const Labels& labels) const;
    bool matches(const std::string& value) const;
  };

  std::vector<std::vector<Requirement>> alternatives_;
};

}  // namespace tenon::selection
