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

MethodEntries::MethodEntries(const Kind& kind, const KindStep& step, Findings& findings)
    : kind_(kind),
      step_(step),
      findings_(findings),
      older_(parts_of(*step.from)),
      newer_(parts_of(*step.to)) {}

void MethodEntries::read(const JsonValue& entries) {
  for (const JsonMember& member : *entries.object()) entries_.emplace(member.key, &member.value);
  for (const JsonMember& member : *entries.object()) {
    read_rename(member, older_, newer_, "remove \"renamed_from\" here", renamed_, findings_);
  }
  for (const JsonMember& member : *entries.object()) check_entry(member);
}

const JsonValue* MethodEntries::said(const std::string& method, const char* key) const {
  const auto entry = entries_.find(method);
  return entry != entries_.end() ? entry->second->find(key) : nullptr;
}

const Method* MethodEntries::continued(const Method& method) const {
  if (const JsonValue* from = said(method.name, "renamed_from")) {
    return from->text() != nullptr ? step_.from->find(*from->text()) : nullptr;
  }
  return gives_name(method.name) ? nullptr : step_.from->find(method.name);
}

const std::string* MethodEntries::renamed(const std::string& older) const {
  const auto found = renamed_.find(older);
  return found != renamed_.end() ? &found->second : nullptr;
}

bool MethodEntries::gives_name(const std::string& name) const {
  const JsonValue* from = said(name, "renamed_from");
  const bool taken = from != nullptr && from->text() != nullptr && *from->text() != name;
  return renamed_.contains(name) || taken || (says(name, "added") && says(name, "removed"));
}

std::optional<EndedMethod> MethodEntries::ended(const std::string& name) const {
  if (older_.has(name)) return std::nullopt;
  const std::size_t newest = kind_.steps.size();  // the index of the older version
  for (std::size_t at = newest; at-- > 0 && kind_.steps[at].adaptable;) {
    const Method* method = kind_.versions[at]->find(name);
    if (method == nullptr) continue;
    const auto& removed = kind_.steps[at].removed;
    if (std::find(removed.begin(), removed.end(), method) == removed.end()) break;
    return EndedMethod{method, newest + 1 - at};
  }
  return std::nullopt;
}

void MethodEntries::check_entry(const JsonMember& member) {
  const ObjectReader entry(member.value, "a change of a method",
                           {"added", "removed", "renamed_from", "request", "response", "hook"},
                           findings_);
  if (member.value.object() == nullptr) return;
  entry.mark("hook");
  const bool removed = entry.mark("removed");
  if (member.value.object()->empty()) {
    add_unused(member.place, "this says nothing about '" + member.key + "'", "remove it",
               findings_);
  } else if (!newer_.has(member.key) && !removed) {
    add_unknown_part(member.key, member.place, newer_, findings_);
  } else {
    if (removed) check_removed(member);
    if (says(member.key, "added")) check_added(member);
    if (says(member.key, "hook")) {
      refuse_beside(member, "hook", {"request", "response"});
    }
  }
}

void MethodEntries::check_removed(const JsonMember& member) {
  const std::string& name = member.key;
  const std::string* its_name = renamed(name);
  const bool replaced = says(name, "added") || says(name, "renamed_from");
  if (its_name != nullptr) {
    add_contradiction(member.place,
                      "'" + name + "' was not removed: it was renamed to '" + *its_name + "'",
                      "remove \"removed\" here", findings_);
  } else if (!older_.has(name) && !replaced) {
    add_unknown_part(name, member.place, older_, findings_);
  } else if (!older_.has(name) && (says(name, "renamed_from") || !ended(name))) {
    add_unused(member.place, "'" + name + "' is in no older version", "remove \"removed\" here",
               findings_);
  } else if (older_.has(name) && newer_.has(name) && !replaced) {
    add_unused(member.place, newer_.words + " still has '" + name + "'", "remove \"removed\" here",
               findings_);
  } else if (!newer_.has(name)) {
    refuse_beside(member, "removed", {"added", "renamed_from", "hook", "request", "response"});
  }
}

void MethodEntries::check_added(const JsonMember& member) {
  const std::string& name = member.key;
  if (!newer_.has(name)) return;
  if (says(name, "renamed_from")) {
    add_contradiction(member.place, "'" + name + "' cannot be added and renamed at once",
                      "keep one: \"added\" or \"renamed_from\"", findings_);
  } else if (older_.has(name) && !gives_name(name)) {
    add_unused(member.place, older_.words + " has '" + name + "' already", "remove \"added\" here",
               findings_);
  } else {
    refuse_beside(member, "added", {"hook"});
    if (!ended(name) || says(name, "removed")) {
      refuse_beside(member, "added", {"request", "response"});
    }
  }
}

/// That the entry has none of the keys, since another one says all.
void MethodEntries::refuse_beside(const JsonMember& member, const std::string& key,
                                  std::initializer_list<const char*> others) {
  for (const std::string other : others) {
    if (member.value.find(other) == nullptr) continue;
    add_contradiction(member.place,
                      "\"" + key + "\" says everything about '" + member.key + "': \"" + other +
                          "\" explains nothing",
                      "remove \"" + other + "\" here", findings_);
  }
}

}  // namespace tenon::gen
