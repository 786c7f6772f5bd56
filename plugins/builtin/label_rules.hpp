// SPDX-License-Identifier: BSL-1.0
//
// What is to become of labels, and what follows for selectors: those that matched a resource before
// match it afterwards.
#pragma once

#include <tenon/sdk/config.hpp>

#include <boost/json/object.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace tenon::builtin {

/// What is to become of one label.
struct LabelRule {
  enum class Action {
    set,      // gives it the value `to`
    replace,  // gives it the value `to` where it has the value `from`
    rename,   // gives it the key `to`
    remove,
  };

  Action action = Action::remove;
  std::string from = {};
  std::string to = {};
};

class LabelRules {
 public:
  LabelRules() = default;
  /// Reads one rule for each label. Throws sdk::Failure that names the key.
  explicit LabelRules(MapView<std::string> config);

  bool empty() const noexcept { return rules_.empty(); }

  // Each of these changes its argument in place and returns whether anything changed. `where` says
  // for messages what it is part of. They throw sdk::Failure where the rules cannot be followed.

  /// Labels of a resource or of a template. `set` changes labels that are there.
  bool change_labels(boost::json::object& labels, std::string_view where) const;
  /// Adds what `set` sets and the labels lack.
  bool add_labels(boost::json::object& labels) const;
  /// A selector that is a map of labels, as that of a Service.
  bool change_plain_selector(boost::json::object& selector, std::string_view where) const;
  /// A selector with `matchLabels` and `matchExpressions`.
  bool change_selector(boost::json::object& selector, std::string_view where) const;

 private:
  using Rules = std::map<std::string, LabelRule, std::less<>>;

  const LabelRule* find(std::string_view label) const;
  void check_targets() const;
  bool change_expression(boost::json::object& expression, std::string_view where) const;
  bool change_expressions(boost::json::array& expressions, std::string_view where) const;
  bool removes(std::string_view label) const;

  Rules rules_;
};

}  // namespace tenon::builtin
