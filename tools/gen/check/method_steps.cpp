// SPDX-License-Identifier: BSL-1.0
#include "gen/check/method_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "gen/check/message_step.hpp"
#include "gen/check/part_pairs.hpp"

namespace tenon::gen {
namespace {

/// A method that was removed before the older version of a step.
struct RemovedMethod {
  const Method* method;
  std::size_t back;  // distance from the newer version of the step to the one that has it
};

using RemovedMethods = std::unordered_map<std::string, RemovedMethod>;

/// Returns the newest method of this name that was removed before the older version; nothing if
/// there is none, or if plugins that have it cannot be adapted.
std::optional<RemovedMethod> find_removed(const Kind& kind, const std::string& name) {
  const std::size_t newest = kind.steps.size();  // the index of the older version
  for (std::size_t at = newest; at-- > 0 && kind.steps[at].adaptable;) {
    const Method* method = kind.versions[at]->find(name);
    if (method == nullptr) continue;
    const auto& removed = kind.steps[at].removed;
    if (std::find(removed.begin(), removed.end(), method) == removed.end()) break;
    return RemovedMethod{method, newest + 1 - at};
  }
  return std::nullopt;
}

/// Returns the removed methods whose names the newer version has again, by name.
RemovedMethods find_returning(const Kind& kind, const KindStep& step) {
  RemovedMethods returning;
  const StepVersion older("", "method", step.from->methods);
  for (const Method& method : step.to->methods) {
    if (older.has(method.name)) continue;
    if (auto removed = find_removed(kind, method.name)) returning.emplace(method.name, *removed);
  }
  return returning;
}

Comparison comparison_of(const ObjectReader& object, const KindStep& step,
                         const RemovedMethods& returning) {
  Comparison comparison{
      .older = {"version " + step.from->label, "method", step.from->methods},
      .newer = {"version " + step.to->label, "method", step.to->methods},
      .entries = object.optional("methods"),
      .location = object.location("methods"),
      .place = "the \"methods\" of the step",
      .keys = {"request", "response", "hook"},
      .flags = {"removed", "hook"},
      .exclusive = {{"added", "hook"}, {"hook", "request"}, {"hook", "response"}},
      .value = "\"unimplemented\"",
      .alternatives =
          R"({"added": {"value": {...}}}, {"added": "hook"} or {"renamed_from": "..."})"};
  for (const auto& [name, method] : returning) comparison.returning.insert(name);
  return comparison;
}

/// Pairs the methods first; then gives each newer method its implementation.
class MethodsReader {
 public:
  MethodsReader(const ObjectReader& object, const Kind& kind, KindStep& step,
                Diagnostics& diagnostics)
      : object_(object),
        step_(step),
        diagnostics_(diagnostics),
        returning_(find_returning(kind, step)),
        pairs_(comparison_of(object, step, returning_), diagnostics) {}

  void read() {
    for (const JsonMember* entry : pairs_.valid_entries()) check_entry(*entry);
    for (const Method& method : step_.to->methods) read_method(method);
    for (const Method& method : step_.from->methods) {
      if (pairs_.ends(method.name)) pairs_.check_removed(method.name);
    }
  }

 private:
  /// Checks the keys that only methods have.
  void check_entry(const JsonMember& entry) {
    const bool is_newer = pairs_.newer().has(entry.key);
    for (const char* key : {"hook", "request", "response"}) {
      if (is_newer || entry.value.find(key) == nullptr) continue;
      return pairs_.add_unused_key(entry, key);
    }
    // A method that is added again is compared with the one that was removed.
    if (returning_.contains(entry.key) && !pairs_.has_key(entry.key, "removed")) return;
    for (const char* key : {"request", "response"}) pairs_.reject(entry, "added", key);
  }

  void read_method(const Method& method) {
    const auto index = pairs_.continued(method.name);
    MethodStep method_step{.method = &method,
                           .older = index ? &step_.from->methods[*index] : nullptr};
    if (method_step.older == nullptr) {
      pairs_.check_new(method.name, method.location);
      read_added(method, method_step);
    } else if (pairs_.has_key(method.name, "hook")) {
      method_step.action = MethodStep::Action::hook;
    } else {
      read_forward("add " + pairs_.to_add(method.name, "hook"), method_step);
    }
    step_.methods.push_back(std::move(method_step));
  }

  void read_added(const Method& method, MethodStep& method_step) {
    const JsonValue* added = pairs_.value_of(method.name, "added");
    if (added == nullptr) return;
    if (added->object() != nullptr) {
      read_fixed_result(*added, method_step);
    } else {
      const std::string word =
          read_word(*added, "'added'", {"unimplemented", "registered_name", "hook"}, diagnostics_);
      method_step.action = word == "hook"              ? MethodStep::Action::hook
                           : word == "registered_name" ? MethodStep::Action::registered_name
                                                       : MethodStep::Action::unimplemented;
      if (word == "registered_name") check_registered_name(method, *added);
    }
    if (!pairs_.has_key(method.name, "removed")) read_reintroduced(method);
  }

  /// Reads fixed values, or the message of a failure.
  void read_fixed_result(const JsonValue& added, MethodStep& method_step) {
    const ObjectReader object(added, "a fixed result", {"value", "unimplemented"}, diagnostics_);
    if (object.optional("unimplemented") != nullptr) {
      method_step.action = MethodStep::Action::unimplemented;
      method_step.message = object.text("unimplemented");
      if (object.optional("value") == nullptr) return;
      add_contradiction(object.location("value"), "a method that fails cannot return a value",
                        "remove \"value\" or \"unimplemented\"", diagnostics_);
    } else if (const JsonValue* value = object.required("value")) {
      method_step.action = MethodStep::Action::fixed;
      method_step.response = read_fixed(*method_step.method, *value, diagnostics_);
    }
  }

  void check_registered_name(const Method& method, const JsonValue& added) {
    const std::vector<Field>& response = method.response;
    if (response.size() == 1 && response.front().type.shape == Shape::string) return;
    std::string found;
    for (const Field& field : response) found += (found.empty() ? "" : ", ") + to_text(field.type);
    diagnostics_.add({.location = added.location,
                      .code = "wrong-value",
                      .message = "'" + method.name + "' cannot return the registered name",
                      .found = "a response of " + (found.empty() ? "no fields" : found),
                      .needed = "a response of one field, of type string",
                      .fix = "write {\"added\": \"hook\"}"});
  }

  /// A method that was removed and added again is forwarded to plugins that are old enough to have
  /// it.
  void read_reintroduced(const Method& method) {
    const auto found = returning_.find(method.name);
    if (found == returning_.end()) return;
    const RemovedMethod& removed = found->second;
    MethodStep method_step{.method = &method, .older = removed.method, .back = removed.back};
    read_forward("add " + pairs_.to_add(method.name, "removed") +
                     " if it differs from that of older plugins",
                 method_step);
    step_.reintroduced.push_back(std::move(method_step));
  }

  /// `otherwise` is the remedy if the method cannot be forwarded.
  void read_forward(const std::string& otherwise, MethodStep& method_step) {
    const Method& method = *method_step.method;
    const Method& older = *method_step.older;
    const std::string from =
        "version " + std::to_string(step_.to->number - static_cast<int>(method_step.back));
    const ForwardedMethod forwarded{older,
                                    method,
                                    from,
                                    pairs_.newer().words,
                                    pairs_.value_of(method.name, "request"),
                                    pairs_.value_of(method.name, "response"),
                                    object_.location("methods"),
                                    otherwise};
    method_step.request = read_request(forwarded, diagnostics_);
    method_step.response = read_response(forwarded, diagnostics_);
    // The plugin may rely on serial calls or on the main thread.
    if (method.threading < older.threading) {
      add_unexplained(method.location,
                      "the threading rules of '" + method.name + "' in " + pairs_.newer().words +
                          " are weaker than those of " + from,
                      otherwise, diagnostics_);
    }
  }

  const ObjectReader& object_;
  KindStep& step_;
  Diagnostics& diagnostics_;
  RemovedMethods returning_;
  PartPairs pairs_;
};

}  // namespace

void read_method_steps(const ObjectReader& object, const Kind& kind, KindStep& step,
                       Diagnostics& diagnostics) {
  const bool is_valid = object.optional("methods") == nullptr || object.optional_object("methods");
  if (is_valid) MethodsReader(object, kind, step, diagnostics).read();
}

}  // namespace tenon::gen
