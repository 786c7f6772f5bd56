// SPDX-License-Identifier: BSL-1.0
//
// Applies label rules to labels and selectors.
#include <tenon/sdk/failure.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

#include "label_rules.hpp"
#include "resource.hpp"

namespace tenon::builtin {
namespace {

using Action = LabelRule::Action;
using boost::json::array;
using boost::json::object;
using boost::json::value;

std::string_view text_of(const value& text) {
  return text.is_string() ? std::string_view(text.get_string()) : std::string_view();
}

value text_value(std::string_view text) {
  return value(boost::json::string(text));
}

/// Collects new members of an object. Two of them must not have the same key.
class Members {
 public:
  explicit Members(std::string_view where) : where_(where) {}

  void add(std::string_view key, value member) {
    const auto [at, added] = members_.emplace(key, std::move(member));
    if (!added) {
      throw sdk::Failure(TENON_FAILED_PRECONDITION, "cannot rename a label to \"", key,
                         "\": ", where_, " has that label as well; fix: configure \"", key,
                         "\" to be removed or renamed");
    }
  }
  object take() { return std::move(members_); }

 private:
  std::string_view where_;
  object members_;
};

bool changes_value(const LabelRule& rule, std::string_view value) {
  if (rule.action == Action::rename || value == rule.to) return false;
  return rule.action == Action::set || value == rule.from;
}

bool contains(const array& values, std::string_view text) {
  return std::any_of(values.begin(), values.end(),
                     [&](const value& one) { return text_of(one) == text; });
}

/// Returns whether the rule can change labels so that they stop meeting a requirement.
bool may_lose(const LabelRule& rule, std::string_view operation, const array* values) {
  if (rule.action == Action::set) return operation == "NotIn" || operation == "DoesNotExist";
  return operation == "NotIn" && values != nullptr && contains(*values, rule.to) &&
         !contains(*values, rule.from);
}

bool replace_in(array& values, const LabelRule& rule) {
  bool any = false;
  for (value& one : values) {
    if (text_of(one) != rule.from || rule.from == rule.to) continue;
    one = text_value(rule.to);
    any = true;
  }
  return any;
}

bool set_only(array& values, std::string_view to) {
  if (values.empty()) return false;  // Exists has no values
  array only = {text_value(to)};
  if (values == only) return false;
  values = std::move(only);
  return true;
}

sdk::Failure empty_selector(std::string_view where) {
  return sdk::Failure(TENON_FAILED_PRECONDITION, "cannot remove the last label that a selector of ",
                      where,
                      " requires: it would select other resources than before; fix: rename "
                      "the label or give it another value");
}

}  // namespace

bool LabelRules::removes(std::string_view label) const {
  const LabelRule* rule = find(label);
  return rule != nullptr && rule->action == Action::remove;
}

bool LabelRules::change_labels(object& labels, std::string_view where) const {
  Members changed(where);
  bool any = false;
  for (auto& [key, label] : labels) {
    const LabelRule* rule = find(key);
    if (rule != nullptr && rule->action == Action::remove) {
      any = true;
      continue;
    }
    std::string_view new_key = key;
    if (rule != nullptr && rule->action == Action::rename) {
      new_key = rule->to;
      any = true;
    }
    if (rule != nullptr && changes_value(*rule, text_of(label))) {
      label = text_value(rule->to);
      any = true;
    }
    changed.add(new_key, std::move(label));
  }
  labels = changed.take();
  return any;
}

bool LabelRules::add_labels(object& labels) const {
  bool any = false;
  for (const auto& [label, rule] : rules_) {
    if (rule.action == Action::set && labels.emplace(label, text_value(rule.to)).second) any = true;
  }
  return any;
}

bool LabelRules::change_plain_selector(object& selector, std::string_view where) const {
  if (selector.empty()) return false;
  const bool any = change_labels(selector, where);
  if (selector.empty()) throw empty_selector(where);
  return any;
}

bool LabelRules::change_expression(object& expression, std::string_view where) const {
  const LabelRule* rule = find(text_in(&expression, "key"));
  if (rule == nullptr) return false;
  if (rule->action == Action::rename) {
    expression["key"] = text_value(rule->to);
    return true;
  }
  const std::string_view operation = text_in(&expression, "operator");
  value* values = expression.if_contains("values");
  array* list = values != nullptr ? values->if_array() : nullptr;
  if (may_lose(*rule, operation, list)) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, "cannot change the label \"",
                       text_in(&expression, "key"), "\" to \"", rule->to, "\": a selector of ",
                       where, " requires it ", operation,
                       ", and might stop matching; fix: give the label another value");
  }
  if (list == nullptr) return false;
  return rule->action == Action::replace ? replace_in(*list, *rule) : set_only(*list, rule->to);
}

bool LabelRules::change_expressions(array& expressions, std::string_view where) const {
  bool any = false;
  array changed;
  for (value& expression : expressions) {
    object* one = expression.if_object();
    if (one != nullptr && removes(text_in(one, "key"))) {
      any = true;
      continue;
    }
    if (one != nullptr && change_expression(*one, where)) any = true;
    changed.push_back(std::move(expression));
  }
  expressions = std::move(changed);
  return any;
}

bool LabelRules::change_selector(object& selector, std::string_view where) const {
  value* expressions = selector.if_contains("matchExpressions");
  object* labels = object_in(&selector, "matchLabels");
  const auto requirements = [&] {
    return (labels != nullptr ? labels->size() : 0) +
           (expressions != nullptr && expressions->is_array() ? expressions->get_array().size()
                                                              : 0);
  };
  if (requirements() == 0) return false;
  const bool changed = labels != nullptr && change_labels(*labels, where);
  const bool others = expressions != nullptr && expressions->is_array() &&
                      change_expressions(expressions->get_array(), where);
  if (requirements() == 0) throw empty_selector(where);
  return changed || others;
}

}  // namespace tenon::builtin
