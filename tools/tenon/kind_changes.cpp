// SPDX-License-Identifier: BSL-1.0
#include "kind_changes.hpp"

#include <algorithm>

namespace tenon::command {
namespace {

using Changes = std::vector<std::string>;

/// Returns what a plugin of an older version does in place of a method that it lacks.
std::string substitute(const gen::MethodStep& step) {
  using enum gen::MethodStep::Action;
  switch (step.action) {
    case fixed:
      return step.response.empty() ? "older plugins do nothing"
                                   : "older plugins return fixed values";
    case registered_name:
      return "older plugins return their name";
    case unimplemented:
      return "older plugins return unimplemented";
    default:
      return "by hand on older plugins";
  }
}

bool is_in(const std::vector<gen::MethodStep>& steps, const gen::Method& method) {
  return std::ranges::any_of(steps, [&](const auto& step) { return step.method == &method; });
}

/// Adds the change of a field that both versions have.
void add_change(const gen::Field& older, const gen::Field& newer, const std::string& part,
                Changes& changes) {
  if (older.name != newer.name) {
    changes.push_back("renames " + part + older.name + " to " + newer.name);
  }
  const std::string from = gen::to_text(older.type);
  const std::string to = gen::to_text(newer.type);
  if (from != to) changes.push_back("changes " + part + newer.name + " from " + from + " to " + to);
}

/// Adds the changes of a request or response. `fills` says how an adapter fills the fields of one
/// version from `sources`, the fields of the other.
void add_fields(const std::vector<gen::FieldFill>& fills, const std::vector<gen::Field>& sources,
                const std::string& part, bool target_is_newer, Changes& changes) {
  const std::string alone = target_is_newer ? "adds " : "removes ";
  const std::string unused = target_is_newer ? "removes " : "adds ";
  for (const gen::FieldFill& fill : fills) {
    if (fill.source == nullptr) {
      changes.push_back(alone + part + fill.target->name);
    } else if (target_is_newer) {
      add_change(*fill.source, *fill.target, part, changes);
    } else {
      add_change(*fill.target, *fill.source, part, changes);
    }
  }
  for (const gen::Field& source : sources) {
    const auto uses = [&](const gen::FieldFill& fill) { return fill.source == &source; };
    if (std::ranges::none_of(fills, uses)) changes.push_back(unused + part + source.name);
  }
}

void add_method(const gen::KindStep& step, const gen::MethodStep& method, Changes& changes) {
  const std::string& name = method.method->name;
  if (method.older == nullptr) {
    const std::string verb = is_in(step.reintroduced, *method.method) ? "brings back " : "adds ";
    changes.push_back(verb + name + " (" + substitute(method) + ")");
    return;
  }
  if (method.older->name != name)
    changes.push_back("renames " + method.older->name + " to " + name);
  if (method.action == gen::MethodStep::Action::hook) {
    changes.push_back("changes " + name + " (by hand on older plugins)");
    return;
  }
  add_fields(method.request, method.method->request, name + ".request.", false, changes);
  add_fields(method.response, method.older->response, name + ".response.", true, changes);
}

/// Adds the names of methods that only one version has. No entries say which of them were renamed.
void add_names(const gen::KindStep& step, Changes& changes) {
  for (const gen::Method& method : step.to->methods) {
    if (step.from->find(method.name) == nullptr) changes.push_back("adds " + method.name);
  }
  for (const gen::Method& method : step.from->methods) {
    if (step.to->find(method.name) == nullptr) changes.push_back("removes " + method.name);
  }
  changes.push_back("older plugins cannot be used: " + step.reason);
}

}  // namespace

std::vector<std::string> changes_of(const gen::KindStep& step) {
  Changes changes;
  if (!step.adaptable) {
    add_names(step, changes);
    return changes;
  }
  for (const gen::MethodStep& method : step.methods) add_method(step, method, changes);
  for (const gen::Method* method : step.removed) changes.push_back("removes " + method->name);
  return changes;
}

}  // namespace tenon::command
