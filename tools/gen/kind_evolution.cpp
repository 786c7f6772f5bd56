// SPDX-License-Identifier: BSL-1.0
#include "gen/kind_evolution.hpp"

#include "gen/evolution_steps.hpp"
#include "gen/message_step.hpp"

#include <algorithm>

namespace tenon::gen {
namespace {

StepVersion parts_of(const KindVersion& version) {
  StepVersion parts("version " + version.label, "method");
  for (const Method& method : version.methods) parts.add(method.name);
  return parts;
}

/// Reads one step. Methods are paired first; then each of the newer version gets its answer.
class StepReader {
 public:
  StepReader(const ObjectReader& object, KindStep& step, Findings& findings)
      : object_(object),
        step_(step),
        findings_(findings),
        older_(parts_of(*step.from)),
        newer_(parts_of(*step.to)),
        renames_(older_, newer_, findings) {}

  void read() {
    step_.notes = object_.optional_text("notes");
    step_.adaptable = object_.flag("adaptable", true);
    step_.reason = object_.optional_text("reason");
    if (!check_adaptable()) return;
    object_.optional_object("methods");
    metadata_ = object_.optional("methods");
    if (metadata_ != nullptr && metadata_->object() == nullptr) return;
    if (metadata_ != nullptr) {
      for (const JsonMember& member : *metadata_->object()) check_entry(member);
    }
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
                     .code = "missing-reason",
                     .what = "the step is not adaptable and does not say why",
                     .needed = "\"reason\": what people read whose plugin is not found",
                     .fix = "add \"reason\": \"...\""});
    }
    if (object_.optional("methods") != nullptr) {
      add_contradiction(object_.place("methods"),
                        "a step that is not adaptable says how methods are adapted",
                        "remove \"methods\", or \"adaptable\": false", findings_);
    }
    return false;
  }

  void check_entry(const JsonMember& member) {
    const ObjectReader entry(member.value, "a change of a method",
                             {"added", "removed", "renamed_from", "request", "response", "hook"},
                             findings_);
    if (member.value.object() == nullptr) return;
    check_together(member);
    entry.mark("hook");
    const bool older_has = older_.has(member.key);
    const bool newer_has = newer_.has(member.key);
    if (entry.mark("removed")) {
      if (!older_has) {
        add_unknown_part(member.key, member.place, older_, findings_);
      } else if (newer_has) {
        add_unused(member.place, newer_.words + " still has '" + member.key + "'",
                   "remove this entry", findings_);
      }
    } else if (!newer_has) {
      add_unknown_part(member.key, member.place, newer_, findings_);
    } else if (entry.optional("added") != nullptr && older_has) {
      add_unused(member.place, older_.words + " has '" + member.key + "' already",
                 "remove this entry", findings_);
    }
    const JsonValue* renamed = entry.optional("renamed_from");
    if (renamed != nullptr) renames_.add(member.key, *renamed);
  }

  void check_together(const JsonMember& member) {
    const auto has = [&member](const char* key) { return member.value.find(key) != nullptr; };
    const std::size_t keys = member.value.object()->size();
    std::string what;
    if (keys == 0) {
      add_unused(member.place, "this says nothing about '" + member.key + "'", "remove it",
                 findings_);
    } else if (has("added") && has("removed")) {
      what = "'" + member.key + "' cannot be added and removed at once";
    } else if ((has("added") || has("removed")) && keys > 1) {
      what = std::string("'") + (has("added") ? "added" : "removed") + "' says all about '" +
             member.key + "'";
    } else if (has("hook") && (has("request") || has("response"))) {
      what = "a hook answers all of '" + member.key + "', so no field of it is changed";
    }
    if (!what.empty()) add_contradiction(member.place, what, "keep one of the two", findings_);
  }

  void read_method(const Method& method) {
    MethodStep answer{.method = &method};
    const JsonValue* entry = metadata_ != nullptr ? metadata_->find(method.name) : nullptr;
    const JsonValue* renamed = entry != nullptr ? entry->find("renamed_from") : nullptr;
    const bool renames = renamed != nullptr && renamed->text() != nullptr;
    answer.older = step_.from->find(renames ? *renamed->text() : method.name);
    if (answer.older == nullptr) {
      if (!renames) read_added(method, entry, answer);
    } else if (entry != nullptr && entry->find("hook") != nullptr) {
      answer.answer = MethodStep::Answer::hook;
    } else {
      read_forward(method, entry, answer);
    }
    step_.methods.push_back(std::move(answer));
  }

  void read_added(const Method& method, const JsonValue* entry, MethodStep& answer) {
    const JsonValue* added = entry != nullptr ? entry->find("added") : nullptr;
    if (added == nullptr) {
      add_unexplained(method.place,
                      "'" + method.name + "' is new in " + newer_.words +
                          " and nothing says what an older plugin answers",
                      "add \"" + method.name +
                          "\": {\"added\": \"unimplemented\"} to the step, or "
                          "{\"added\": {\"value\": {...}}}, {\"added\": \"hook\"} or "
                          "{\"renamed_from\": \"...\"}",
                      findings_);
    } else if (added->object() != nullptr) {
      answer.answer = MethodStep::Answer::fixed;
      const ObjectReader fixed(*added, "a fixed answer", {"value"}, findings_);
      if (const JsonValue* value = fixed.required("value")) {
        answer.response = read_fixed(method, *value, findings_);
      }
    } else {
      const std::string word = read_word(*added, "'added'", {"unimplemented", "hook"}, findings_);
      answer.answer = word == "hook" ? MethodStep::Answer::hook : MethodStep::Answer::unimplemented;
    }
  }

  void read_forward(const Method& method, const JsonValue* entry, MethodStep& answer) {
    const Method& older = *answer.older;
    const std::string from = older_.words;
    const std::string to = newer_.words;
    const auto change = [entry](const char* key) {
      return entry != nullptr ? entry->find(key) : nullptr;
    };
    answer.request =
        read_fills({older.request, method.request, from, to, "the request of '" + method.name + "'",
                    "removed", "added", method.place},
                   change("request"), findings_);
    answer.response =
        read_fills({method.response, older.response, to, from,
                    "the response of '" + method.name + "'", "added", "removed", method.place},
                   change("response"), findings_);
    // A plugin that wants its calls one by one, or on one thread, must not get them otherwise.
    if (method.threading < older.threading) {
      add_unexplained(method.place,
                      "'" + method.name + "' may be called more freely in " + to +
                          " than an older plugin allows",
                      "answer the method by a hand-written step: {\"hook\": true}", findings_);
    }
  }

  void check_vanished(const Method& method) {
    const bool named = metadata_ != nullptr && metadata_->find(method.name) != nullptr;
    if (named || step_.to->find(method.name) != nullptr || renames_.contains(method.name)) return;
    add_unexplained(object_.place("methods"),
                    "'" + method.name + "' of " + older_.words + " is gone in " + newer_.words,
                    "add \"" + method.name +
                        "\": {\"removed\": true}, or say \"renamed_from\" of "
                        "the method that took its place",
                    findings_);
  }

  const ObjectReader& object_;
  KindStep& step_;
  Findings& findings_;
  StepVersion older_;
  StepVersion newer_;
  Renames renames_;
  const JsonValue* metadata_ = nullptr;
};

}  // namespace

void read_kind_steps(const SpecFolder& folder, Kind& kind, Findings& findings) {
  const auto steps =
      find_steps(folder, "kind", kind.id, {"adaptable", "reason", "methods"}, findings);
  for (std::size_t i = 0; i + 1 < kind.versions.size(); i++) {
    KindStep step{.from = kind.versions[i].get(), .to = kind.versions[i + 1].get()};
    const auto object = steps.find({step.to->number});
    if (object != steps.end()) StepReader(object->second, step, findings).read();
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
