// SPDX-License-Identifier: BSL-1.0
#include "label_rules.hpp"

#include <tenon/sdk/failure.hpp>

#include <algorithm>
#include <set>
#include <vector>

#include "selection/label_syntax.hpp"

namespace tenon::builtin {
namespace {

using Action = LabelRule::Action;

constexpr std::string_view grammar =
    "\"set VALUE\", \"replace OLD NEW\", \"rename LABEL\" or \"remove\"";

std::vector<std::string> words_of(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  std::vector<std::string> words;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    if (text.empty()) return words;
    const std::string_view word = text.substr(0, text.find_first_of(blanks));
    words.emplace_back(word);
    text.remove_prefix(word.size());
  }
}

LabelRule parse_rule(std::string_view label, std::string_view text) {
  const auto refuse = [&](const auto&... why) {
    return sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"", label, "\" ", why...);
  };
  if (selection::flaw_of_label_key(label)) {
    throw refuse("is not the key of a label; needed: a key such as app.kubernetes.io/name");
  }
  const std::vector<std::string> words = words_of(text);
  const auto is = [&](std::string_view verb, std::size_t operands) {
    return words.size() == operands + 1 && words[0] == verb;
  };
  LabelRule rule;
  if (is("set", 1)) {
    rule = {Action::set, {}, words[1]};
  } else if (is("replace", 2)) {
    rule = {Action::replace, words[1], words[2]};
  } else if (is("rename", 1)) {
    rule = {Action::rename, {}, words[1]};
  } else if (!is("remove", 0)) {
    throw refuse("is \"", text, "\", expected ", grammar);
  }
  const bool renames = rule.action == Action::rename;
  if (renames && (selection::flaw_of_label_key(rule.to) || rule.to == label)) {
    throw refuse("renames the label to \"", rule.to, "\"; needed: the key of another label");
  }
  for (const std::string& word : {rule.from, rule.to}) {
    if (renames || !selection::flaw_of_label_value(word)) continue;
    throw refuse("has \"", word,
                 "\", which is not the value of a label; needed: at most 63 letters, digits, -, _ "
                 "and ., with a letter or digit at both ends");
  }
  return rule;
}

}  // namespace

LabelRules::LabelRules(MapView<std::string> config) {
  for (const auto& [label, rule] : config) rules_.emplace(label, parse_rule(label, rule));
  check_targets();
}

/// Checks that no two rules produce the same label.
void LabelRules::check_targets() const {
  std::set<std::string_view> targets;
  for (const auto& [label, rule] : rules_) {
    if (rule.action != Action::rename) continue;
    const LabelRule* other = find(rule.to);
    if ((other != nullptr && other->action == Action::set) || !targets.insert(rule.to).second) {
      throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"", label,
                         "\" renames the label to \"", rule.to,
                         "\", which another parameter also produces; fix: remove one of them");
    }
  }
}

const LabelRule* LabelRules::find(std::string_view label) const {
  const auto found = rules_.find(label);
  return found != rules_.end() ? &found->second : nullptr;
}

}  // namespace tenon::builtin
