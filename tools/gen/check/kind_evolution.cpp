// SPDX-License-Identifier: BSL-1.0
#include "gen/check/kind_evolution.hpp"

#include "gen/check/evolution_steps.hpp"
#include "gen/check/message_step.hpp"
#include "gen/check/method_entries.hpp"

#include <algorithm>
#include <optional>

namespace tenon::gen {
namespace {

/// Reads one step. Methods are paired first; then each of the newer version gets its answer.
class StepReader {
 public:
  StepReader(const ObjectReader& object, const Kind& kind, KindStep& step, Findings& findings)
      : object_(object), step_(step), findings_(findings), entries_(kind, step, findings) {}

  void read() {
    step_.notes = object_.optional_text("notes");
    step_.adaptable = object_.flag("adaptable", true);
    step_.reason = object_.optional_text("reason");
    if (!check_adaptable()) return;
    object_.optional_object("methods");
    const JsonValue* methods = object_.optional("methods");
    if (methods != nullptr && methods->object() == nullptr) return;
    if (methods != nullptr) entries_.read(*methods);
    for (const Method& method : step_.to->methods) read_method(method);
    for (const Method& method : step_.from->methods) check_vanished(method);
  }

 private:
  /// Whether methods are to be compared.
  bool check_adaptable() {
    if (step_.adaptable) {
      if (!step_.reason.empty()) {
        add_unused(object_.place("reason"), "an adaptable step has no reason not to be",
                   "remove it, or add \"adaptable\": false", findings_);
      }
      return true;
    }
    if (step_.reason.empty()) {
      findings_.add({.place = object_.place("adaptable"),
                     .code = "missing-key",
                     .what = "the step is not adaptable and does not say why",
                     .needed = "\"reason\": what people read whose plugin is not found",
                     .fix = "add \"reason\": \"...\""});
    }
    if (object_.optional("methods") != nullptr) {
      add_contradiction(object_.place("methods"),
                        "a step that is not adaptable says how methods are adapted",
                        "remove \"methods\", or \"adaptable\" and \"reason\"", findings_);
    }
    return false;
  }

  void read_method(const Method& method) {
    MethodStep answer{.method = &method, .older = entries_.continued(method)};
    if (answer.older == nullptr) {
      if (!entries_.says(method.name, "renamed_from")) read_added(method, answer);
    } else if (entries_.says(method.name, "hook")) {
      answer.answer = MethodStep::Answer::hook;
    } else {
      read_forward(hook_for(method), answer);
    }
    step_.methods.push_back(std::move(answer));
  }

  /// What lets a hand-written step answer a method.
  std::string hook_for(const Method& method) const {
    if (entries_.contains(method.name)) {
      return "add \"hook\": true to the entry of '" + method.name + "'";
    }
    return "add \"" + method.name + "\": {\"hook\": true} to the \"methods\" of the step";
  }

  void read_added(const Method& method, MethodStep& answer) {
    const JsonValue* added = entries_.said(method.name, "added");
    if (added == nullptr) return add_new(method);
    if (added->object() != nullptr) {
      read_answer(*added, answer);
    } else {
      const std::string word =
          read_word(*added, "'added'", {"unimplemented", "registered_name", "hook"}, findings_);
      answer.answer = word == "hook"              ? MethodStep::Answer::hook
                      : word == "registered_name" ? MethodStep::Answer::registered_name
                                                  : MethodStep::Answer::unimplemented;
      if (word == "registered_name") check_named(method, *added);
    }
    if (!entries_.says(method.name, "removed")) read_returned(method);
  }

  /// What older plugins answer, as values or as the message of a failure.
  void read_answer(const JsonValue& added, MethodStep& answer) {
    const ObjectReader object(added, "a fixed answer", {"value", "unimplemented"}, findings_);
    if (object.optional("unimplemented") != nullptr) {
      answer.answer = MethodStep::Answer::unimplemented;
      answer.message = object.text("unimplemented");
      if (object.optional("value") == nullptr) return;
      add_contradiction(object.place("value"), "a method that fails answers a value",
                        "remove \"value\" or \"unimplemented\"", findings_);
    } else if (const JsonValue* value = object.required("value")) {
      answer.answer = MethodStep::Answer::fixed;
      answer.response = read_fixed(*answer.method, *value, findings_);
    }
  }

  void check_named(const Method& method, const JsonValue& added) {
    const std::vector<Field>& response = method.response;
    if (response.size() == 1 && response.front().type.shape == Shape::string) return;
    std::string found;
    for (const Field& field : response) found += (found.empty() ? "" : ", ") + to_text(field.type);
    findings_.add({.place = added.place,
                   .code = "wrong-value",
                   .what = "'" + method.name + "' cannot answer the registered name",
                   .found = "a response of " + (found.empty() ? "no fields" : found),
                   .needed = "a response of one field, of type string",
                   .fix = "write {\"added\": \"hook\"}"});
  }

  void add_new(const Method& method) {
    const std::string added = "add \"" + method.name +
                              "\": {\"added\": \"unimplemented\"} to the \"methods\" of the step";
    if (const std::string* renamed = entries_.renamed(method.name)) {
      add_unexplained(
          method.place,
          "'" + method.name + "' is another method in " + entries_.newer().words + ": that of " +
              entries_.older().words + " was renamed to '" + *renamed + "'",
          added + ", or {\"added\": {\"value\": {...}}} or {\"added\": \"hook\"}", findings_);
    } else {
      add_unexplained(method.place,
                      "'" + method.name + "' is new in " + entries_.newer().words +
                          " and nothing says what an older plugin answers",
                      added +
                          ", or {\"added\": {\"value\": {...}}}, {\"added\": \"hook\"} or "
                          "{\"renamed_from\": \"...\"}",
                      findings_);
    }
  }

  /// A method that was gone is called in plugins that are old enough to have it.
  void read_returned(const Method& method) {
    const std::optional<EndedMethod> found = entries_.ended(method.name);
    if (!found) return;
    MethodStep answer{.method = &method, .older = found->method, .back = found->back};
    read_forward("add \"removed\": true to the entry of '" + method.name +
                     "': then it is another method than that of older plugins",
                 answer);
    step_.returned.push_back(std::move(answer));
  }

  /// `otherwise` is the remedy where the method cannot be forwarded.
  void read_forward(const std::string& otherwise, MethodStep& answer) {
    const Method& method = *answer.method;
    const Method& older = *answer.older;
    const std::string from =
        "version " + std::to_string(step_.to->number - static_cast<int>(answer.back));
    const std::string to = entries_.newer().words;
    answer.request = read_fills({older.request, method.request, from, to, "request", method.name,
                                 "removed", "added", otherwise, method.place},
                                entries_.said(method.name, "request"), findings_);
    answer.response = read_fills({method.response, older.response, to, from, "response",
                                  method.name, "added", "removed", otherwise, method.place},
                                 entries_.said(method.name, "response"), findings_);
    // A plugin that wants its calls one by one, or on one thread, must not get them otherwise.
    if (method.threading < older.threading) {
      add_unexplained(method.place,
                      "'" + method.name + "' may be called more freely in " + to +
                          " than a plugin of " + from + " allows",
                      otherwise, findings_);
    }
  }

  void check_vanished(const Method& method) {
    const std::string& name = method.name;
    const bool has_name = entries_.newer().has(name);
    const bool goes_on =
        entries_.renamed(name) != nullptr || (has_name && !entries_.gives_name(name));
    if (goes_on || entries_.says(name, "removed")) return;
    const std::string remedy =
        has_name ? "add \"removed\": true to the entry of '" + name + "'"
                 : "add \"" + name + "\": {\"removed\": true} to the \"methods\" of the step";
    add_unexplained(
        object_.place("methods"),
        "'" + name + "' of " + entries_.older().words + " is gone in " + entries_.newer().words,
        remedy + ", or say \"renamed_from\" of the method that took its place", findings_);
  }

  const ObjectReader& object_;
  KindStep& step_;
  Findings& findings_;
  MethodEntries entries_;
};

}  // namespace

void read_kind_steps(const SpecFolder& folder, Kind& kind, Findings& findings) {
  const auto steps =
      find_steps(folder, "kind", kind.id, {"adaptable", "reason", "methods"}, findings);
  for (std::size_t i = 0; i + 1 < kind.versions.size(); i++) {
    KindStep step{.from = kind.versions[i].get(), .to = kind.versions[i + 1].get()};
    const auto object = steps.find({step.to->number});
    if (object != steps.end()) StepReader(object->second, kind, step, findings).read();
    for (const Method& method : step.from->methods) {
      if (!step.adaptable) break;
      const auto answers = [&method](const MethodStep& answer) { return answer.older == &method; };
      if (std::none_of(step.methods.begin(), step.methods.end(), answers)) {
        step.removed.push_back(&method);
      }
    }
    kind.steps.push_back(std::move(step));
  }
}

}  // namespace tenon::gen
