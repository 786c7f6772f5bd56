// SPDX-License-Identifier: BSL-1.0
//
// Rules that change labels. Selectors are changed as well, so that a selector that matched a
// resource before still matches it afterwards.
#pragma once

#include <tenon/sdk/config.hpp>

#include <boost/json/object.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace tenon::builtin {

/// The change of one label.
struct LabelRule {
  enum class Action {
    set,      // gives it the value `to`
    replace,  // gives it the value `to` if it has the value `from`
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
  /// Reads one rule for each label. Throws sdk::Failure, which names the key.
  explicit LabelRules(MapView<std::string> config);

  bool empty() const noexcept { return rules_.empty(); }

  // Each of these changes its argument in place and returns whether anything changed. `where` names
  // the resource in messages. They throw sdk::Failure if the rules cannot be applied.

  /// Changes the labels of a resource or of a template. `set` changes only labels that are present.
  bool change_labels(boost::json::object& labels, std::string_view where) const;
  /// Adds the labels of `set` rules that are absent.
  bool add_labels(boost::json::object& labels) const;
  /// Changes a selector that is a map of labels, such as that of a Service.
  bool change_plain_selector(boost::json::object& selector, std::string_view where) const;
  /// Changes a selector with `matchLabels` and `matchExpressions`.
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
