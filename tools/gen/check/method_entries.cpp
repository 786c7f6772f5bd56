// SPDX-License-Identifier: BSL-1.0
#include "gen/check/method_entries.hpp"

#include <algorithm>

namespace tenon::gen {
namespace {

StepVersion parts_of(const KindVersion& version) {
  StepVersion parts("version " + version.label, "method");
  for (const Method& method : version.methods) parts.add(method.name);
  return parts;
}

}  // namespace

MethodEntries::MethodEntries(const Kind& kind, const KindStep& step, Diagnostics& diagnostics)
    : kind_(kind),
      step_(step),
      diagnostics_(diagnostics),
      older_(parts_of(*step.from)),
      newer_(parts_of(*step.to)) {}

void MethodEntries::read(const JsonValue& entries) {
  for (const JsonMember& member : *entries.object()) entries_.emplace(member.key, &member.value);
  for (const JsonMember& member : *entries.object()) {
    read_rename(member, older_, newer_, "remove \"renamed_from\" here", renamed_, diagnostics_);
  }
  for (const JsonMember& member : *entries.object()) check_entry(member);
}

const JsonValue* MethodEntries::value_of(const std::string& method, const char* key) const {
  const auto entry = entries_.find(method);
  return entry != entries_.end() ? entry->second->find(key) : nullptr;
}

const Method* MethodEntries::continued(const Method& method) const {
  if (const JsonValue* from = value_of(method.name, "renamed_from")) {
    return from->text() != nullptr ? step_.from->find(*from->text()) : nullptr;
  }
  return loses_name(method.name) ? nullptr : step_.from->find(method.name);
}

const std::string* MethodEntries::renamed(const std::string& older) const {
  const auto found = renamed_.find(older);
  return found != renamed_.end() ? &found->second : nullptr;
}

bool MethodEntries::loses_name(const std::string& name) const {
  const JsonValue* from = value_of(name, "renamed_from");
  const bool taken = from != nullptr && from->text() != nullptr && *from->text() != name;
  return renamed_.contains(name) || taken || (has_key(name, "added") && has_key(name, "removed"));
}

std::optional<RemovedMethod> MethodEntries::find_removed(const std::string& name) const {
  if (older_.has(name)) return std::nullopt;
  const std::size_t newest = kind_.steps.size();  // the index of the older version
  for (std::size_t at = newest; at-- > 0 && kind_.steps[at].adaptable;) {
    const Method* method = kind_.versions[at]->find(name);
    if (method == nullptr) continue;
    const auto& removed = kind_.steps[at].removed;
    if (std::find(removed.begin(), removed.end(), method) == removed.end()) break;
    return RemovedMethod{method, newest + 1 - at};
  }
  return std::nullopt;
}

void MethodEntries::check_entry(const JsonMember& member) {
  const ObjectReader entry(member.value, "a change of a method",
                           {"added", "removed", "renamed_from", "request", "response", "hook"},
                           diagnostics_);
  if (member.value.object() == nullptr) return;
  entry.flag("hook");
  const bool removed = entry.flag("removed");
  if (member.value.object()->empty()) {
    add_unused(member.location, "the entry of '" + member.key + "' is empty", "remove it",
               diagnostics_);
  } else if (!newer_.has(member.key) && !removed) {
    add_unknown_part(member.key, member.location, newer_, diagnostics_);
  } else {
    if (removed) check_removed(member);
    if (has_key(member.key, "added")) check_added(member);
    if (has_key(member.key, "hook")) {
      reject_combination(member, "hook", {"request", "response"});
    }
  }
}

void MethodEntries::check_removed(const JsonMember& member) {
  const std::string& name = member.key;
  const std::string* its_name = renamed(name);
  const bool replaced = has_key(name, "added") || has_key(name, "renamed_from");
  if (its_name != nullptr) {
    add_contradiction(member.location,
                      "'" + name + "' was not removed: it was renamed to '" + *its_name + "'",
                      "remove \"removed\" here", diagnostics_);
  } else if (!older_.has(name) && !replaced) {
    add_unknown_part(name, member.location, older_, diagnostics_);
  } else if (!older_.has(name) && (has_key(name, "renamed_from") || !find_removed(name))) {
    add_unused(member.location, "'" + name + "' is not in any older version",
               "remove \"removed\" here", diagnostics_);
  } else if (older_.has(name) && newer_.has(name) && !replaced) {
    add_unused(member.location, newer_.words + " still has '" + name + "'",
               "remove \"removed\" here", diagnostics_);
  } else if (!newer_.has(name)) {
    reject_combination(member, "removed", {"added", "renamed_from", "hook", "request", "response"});
  }
}

void MethodEntries::check_added(const JsonMember& member) {
  const std::string& name = member.key;
  if (!newer_.has(name)) return;
  if (has_key(name, "renamed_from")) {
    add_contradiction(member.location, "'" + name + "' cannot be both added and renamed",
                      "keep one: \"added\" or \"renamed_from\"", diagnostics_);
  } else if (older_.has(name) && !loses_name(name)) {
    add_unused(member.location, older_.words + " already has '" + name + "'",
               "remove \"added\" here", diagnostics_);
  } else {
    reject_combination(member, "added", {"hook"});
    if (!find_removed(name) || has_key(name, "removed")) {
      reject_combination(member, "added", {"request", "response"});
    }
  }
}

/// Reports the keys of the entry that cannot be combined with `key`.
void MethodEntries::reject_combination(const JsonMember& member, const std::string& key,
                                       std::initializer_list<const char*> others) {
  for (const std::string other : others) {
    if (member.value.find(other) == nullptr) continue;
    add_contradiction(member.location,
                      "'" + member.key + "' cannot have both \"" + key + "\" and \"" + other + "\"",
                      "remove \"" + other + "\" here", diagnostics_);
  }
}

}  // namespace tenon::gen
