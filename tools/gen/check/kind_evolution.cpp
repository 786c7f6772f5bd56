// SPDX-License-Identifier: BSL-1.0
#include "gen/check/kind_evolution.hpp"

#include "gen/check/evolution_steps.hpp"
#include "gen/check/message_step.hpp"
#include "gen/check/method_entries.hpp"

#include <algorithm>
#include <optional>

namespace tenon::gen {
namespace {

/// Reads one step. Methods are paired first; then each newer method gets its implementation.
class StepReader {
 public:
  StepReader(const ObjectReader& object, const Kind& kind, KindStep& step, Diagnostics& diagnostics)
      : object_(object),
        step_(step),
        diagnostics_(diagnostics),
        entries_(kind, step, diagnostics) {}

  void read() {
    step_.notes = object_.optional_text("notes");
    step_.adaptable = object_.boolean("adaptable", true);
    step_.reason = object_.optional_text("reason");
    if (!check_adaptable()) return;
    object_.optional_object("methods");
    const JsonValue* methods = object_.optional("methods");
    if (methods != nullptr && methods->object() == nullptr) return;
    if (methods != nullptr) entries_.read(*methods);
    for (const Method& method : step_.to->methods) read_method(method);
    for (const Method& method : step_.from->methods) check_removed(method);
  }

 private:
  /// Returns whether to compare methods.
  bool check_adaptable() {
    if (step_.adaptable) {
      if (!step_.reason.empty()) {
        add_unused(object_.location("reason"), "an adaptable step cannot have a reason",
                   "remove it, or add \"adaptable\": false", diagnostics_);
      }
      return true;
    }
    if (step_.reason.empty()) {
      diagnostics_.add({.location = object_.location("adaptable"),
                        .code = "missing-key",
                        .message = "a step that is not adaptable needs a reason",
                        .needed = "\"reason\", which is shown to users of older plugins",
                        .fix = "add \"reason\": \"...\""});
    }
    if (object_.optional("methods") != nullptr) {
      add_contradiction(object_.location("methods"),
                        "a step that is not adaptable cannot have methods",
                        "remove \"methods\", or \"adaptable\" and \"reason\"", diagnostics_);
    }
    return false;
  }

  void read_method(const Method& method) {
    MethodStep method_step{.method = &method, .older = entries_.continued(method)};
    if (method_step.older == nullptr) {
      if (!entries_.has_key(method.name, "renamed_from")) read_added(method, method_step);
    } else if (entries_.has_key(method.name, "hook")) {
      method_step.action = MethodStep::Action::hook;
    } else {
      read_forward(hook_for(method), method_step);
    }
    step_.methods.push_back(std::move(method_step));
  }

  /// Returns the remedy that lets a hand-written step implement a method.
  std::string hook_for(const Method& method) const {
    if (entries_.contains(method.name)) {
      return "add \"hook\": true to the entry of '" + method.name + "'";
    }
    return "add \"" + method.name + "\": {\"hook\": true} to the \"methods\" of the step";
  }

  void read_added(const Method& method, MethodStep& method_step) {
    const JsonValue* added = entries_.value_of(method.name, "added");
    if (added == nullptr) return add_new(method);
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
    if (!entries_.has_key(method.name, "removed")) read_reintroduced(method);
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

  void add_new(const Method& method) {
    const std::string added = "add \"" + method.name +
                              "\": {\"added\": \"unimplemented\"} to the \"methods\" of the step";
    if (const std::string* renamed = entries_.renamed(method.name)) {
      add_unexplained(
          method.location,
          "'" + method.name + "' is a different method in " + entries_.newer().words +
              ": that of " + entries_.older().words + " was renamed to '" + *renamed + "'",
          added + ", or {\"added\": {\"value\": {...}}} or {\"added\": \"hook\"}", diagnostics_);
    } else {
      add_unexplained(method.location,
                      "'" + method.name + "' is new in " + entries_.newer().words +
                          ", and its behaviour for older plugins is not described",
                      added +
                          ", or {\"added\": {\"value\": {...}}}, {\"added\": \"hook\"} or "
                          "{\"renamed_from\": \"...\"}",
                      diagnostics_);
    }
  }

  /// A method that was removed and added again is forwarded to plugins that are old enough to have
  /// it.
  void read_reintroduced(const Method& method) {
    const std::optional<RemovedMethod> found = entries_.find_removed(method.name);
    if (!found) return;
    MethodStep method_step{.method = &method, .older = found->method, .back = found->back};
    read_forward("add \"removed\": true to the entry of '" + method.name +
                     "' if it differs from that of older plugins",
                 method_step);
    step_.reintroduced.push_back(std::move(method_step));
  }

  /// `otherwise` is the remedy if the method cannot be forwarded.
  void read_forward(const std::string& otherwise, MethodStep& method_step) {
    const Method& method = *method_step.method;
    const Method& older = *method_step.older;
    const std::string from =
        "version " + std::to_string(step_.to->number - static_cast<int>(method_step.back));
    const std::string to = entries_.newer().words;
    method_step.request = read_fills({older.request, method.request, from, to, "request",
                                      method.name, "removed", "added", otherwise, method.location},
                                     entries_.value_of(method.name, "request"), diagnostics_);
    method_step.response = read_fills({method.response, older.response, to, from, "response",
                                       method.name, "added", "removed", otherwise, method.location},
                                      entries_.value_of(method.name, "response"), diagnostics_);
    // The plugin may rely on serial calls or on the main thread.
    if (method.threading < older.threading) {
      add_unexplained(method.location,
                      "the threading rules of '" + method.name + "' in " + to +
                          " are weaker than those of " + from,
                      otherwise, diagnostics_);
    }
  }

  void check_removed(const Method& method) {
    const std::string& name = method.name;
    const bool has_name = entries_.newer().has(name);
    const bool continues =
        entries_.renamed(name) != nullptr || (has_name && !entries_.loses_name(name));
    if (continues || entries_.has_key(name, "removed")) return;
    const std::string remedy =
        has_name ? "add \"removed\": true to the entry of '" + name + "'"
                 : "add \"" + name + "\": {\"removed\": true} to the \"methods\" of the step";
    add_unexplained(
        object_.location("methods"),
        "'" + name + "' of " + entries_.older().words + " is missing in " + entries_.newer().words,
        remedy + ", or add \"renamed_from\" to the method that replaces it", diagnostics_);
  }

  const ObjectReader& object_;
  KindStep& step_;
  Diagnostics& diagnostics_;
  MethodEntries entries_;
};

}  // namespace

void read_kind_steps(const SpecFolder& folder, Kind& kind, Diagnostics& diagnostics) {
  const auto steps =
      find_steps(folder, "kind", kind.id, {"adaptable", "reason", "methods"}, diagnostics);
  for (std::size_t i = 0; i + 1 < kind.versions.size(); i++) {
    KindStep step{.from = kind.versions[i].get(), .to = kind.versions[i + 1].get()};
    const auto object = steps.find({step.to->number});
    if (object != steps.end()) StepReader(object->second, kind, step, diagnostics).read();
    for (const Method& method : step.from->methods) {
      if (!step.adaptable) break;
      const auto answers = [&method](const MethodStep& method_step) {
        return method_step.older == &method;
      };
      if (std::none_of(step.methods.begin(), step.methods.end(), answers)) {
        step.removed.push_back(&method);
      }
    }
    kind.steps.push_back(std::move(step));
  }
}

}  // namespace tenon::gen
