// SPDX-License-Identifier: BSL-1.0
//
// Rules that change labels. They also change selectors, so that a selector matches the same
// resources before and after.
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
    set,      // sets the value to `to`
    replace,  // sets the value to `to` if it is `from`
    rename,   // changes the key to `to`
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

  // These functions change their argument in place and return whether anything changed. `where`
  // names the resource in messages. They throw sdk::Failure if the rules cannot be applied.

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
