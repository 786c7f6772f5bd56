// SPDX-License-Identifier: BSL-1.0
#include "gen/check/field_steps.hpp"

#include <algorithm>

#include "gen/check/widening.hpp"

namespace tenon::gen {
namespace {

/// Whether one of the structs or enums has this name.
template <class Parts>
bool has(const Parts& parts, const std::string& name) {
  return std::any_of(parts.begin(), parts.end(),
                     [&name](const auto& part) { return part->name == name; });
}

Comparison comparison_of(const FieldComparison& step) {
  return {.older = step.older.names(),
          .newer = step.newer.names(),
          .entries = step.entries,
          .location = step.location,
          .place = step.place,
          .keys = {"widened", "hook"},
          .flags = {"added", "removed", "widened", "hook"},
          .exclusive = {{"hook", "added"},
                        {"hook", "removed"},
                        {"hook", "renamed_from"},
                        {"hook", "widened"},
                        {"added", "widened"}},
          .alternatives = R"({"renamed_from": "..."} or {"hook": true})"};
}

class FieldsReader {
 public:
  FieldsReader(const FieldComparison& step, Diagnostics& diagnostics)
      : step_(step), diagnostics_(diagnostics), pairs_(comparison_of(step), diagnostics) {}

  std::vector<FieldStep> read() {
    for (const JsonMember* entry : pairs_.valid_entries()) {
      if (entry->value.find("hook") != nullptr) check_hook(*entry);
      if (entry->value.find("widened") != nullptr) check_widened(*entry);
    }
    std::vector<FieldStep> steps;
    for (const FieldPair& pair : pair_fields(step_.older, step_.newer, pairs_)) {
      steps.push_back(step_of(pair));
    }
    return steps;
  }

 private:
  void check_hook(const JsonMember& entry) {
    if (step_.whole.hook) return;
    diagnostics_.add({.location = entry.location,
                      .code = "missing-hook",
                      .message = "'" + entry.key + "' needs a hand-written step",
                      .needed = "\"hook\": true in the step",
                      .fix = "add it to the step, next to \"from\" and \"to\""});
  }

  /// Checks that there is such a field, and that its type needs "widened".
  void check_widened(const JsonMember& entry) {
    const auto newer = pairs_.newer().find(entry.key);
    if (!newer) return pairs_.add_unused_key(entry, "widened");
    const auto older = pairs_.continued(entry.key);
    if (!older ||
        !converts(step_.whole, step_.older.fields[*older].type, step_.newer.fields[*newer].type)) {
      return;
    }
    add_unused(entry.location, "values of '" + entry.key + "' convert without it",
               "remove \"widened\" here", diagnostics_);
  }

  FieldStep step_of(const FieldPair& pair) {
    const bool is_newer = pair.newer != nullptr;
    const std::string& name = (is_newer ? pair.newer : pair.older)->name;
    FieldStep step{.older = pair.older,
                   .newer = pair.newer,
                   .hook = pairs_.has_key(name, "hook"),
                   .widened = is_newer && pairs_.has_key(name, "widened")};
    if (pair.older == nullptr || !is_newer || step.hook) return step;
    const Type& before = pair.older->type;
    const Type& now = pair.newer->type;
    const bool explained =
        converts(step_.whole, before, now) || (step.widened && widens(step_.whole, before, now));
    if (!explained) {
      add_retyped(pair, pairs_, step.widened ? ", which is not wider" : "",
                  "add " + remedies_of_type(*pair.older, *pair.newer), diagnostics_);
    }
    return step;
  }

  /// Returns the remedies for a changed type.
  std::string remedies_of_type(const Field& older, const Field& newer) const {
    const auto hook = [](const Field& field) { return "\"" + field.name + "\": {\"hook\": true}"; };
    const bool renamed = older.name != newer.name;
    const bool wider = widens(step_.whole, older.type, newer.type);
    const std::string where = " to " + step_.place;
    const std::string widened = pairs_.to_add(newer.name, "widened") + ", or ";
    if (wider && !renamed) return widened + "{\"hook\": true}";
    const std::string hooks =
        renamed ? hook(older) + " and " + hook(newer) + " instead" + where : hook(newer) + where;
    if (wider) return widened + hooks;
    const std::string pair = rename_remedy(older, newer);
    return pair.empty() ? hooks : pair + " to the step, or " + hooks;
  }

  /// Returns the metadata that pairs the struct or enum of the older field with that of the newer
  /// field; empty if it would not help.
  std::string rename_remedy(const Field& older, const Field& newer) const {
    const Type& from = innermost(older.type);
    const Type& to = innermost(newer.type);
    if (from.shape != to.shape) return {};
    const DocumentVersion& before = *step_.whole.from;
    const DocumentVersion& now = *step_.whole.to;
    const auto suggest = [&](const char* key, const auto& its, const auto& others) {
      if (has(its, to_text(to))) return std::string();
      const std::string word = has(others, to_text(from)) ? "split_from" : "renamed_from";
      return "\"" + std::string(key) + "\": {\"" + to_text(to) + "\": {\"" + word + "\": \"" +
             to_text(from) + "\"}}";
    };
    if (from.shape == Shape::structure) return suggest("structs", before.structs, now.structs);
    if (from.shape == Shape::enumeration) return suggest("enums", before.enums, now.enums);
    return {};
  }

  const FieldComparison& step_;
  Diagnostics& diagnostics_;
  PartPairs pairs_;
};

}  // namespace

std::vector<FieldStep> read_field_steps(const FieldComparison& step, Diagnostics& diagnostics) {
  return FieldsReader(step, diagnostics).read();
}

}  // namespace tenon::gen
