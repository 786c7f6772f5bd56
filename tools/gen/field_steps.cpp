// SPDX-License-Identifier: BSL-1.0
#include "gen/field_steps.hpp"

#include <algorithm>

namespace tenon::gen {
namespace {

StepVersion parts_of(const StepFields& side) {
  StepVersion parts{side.words, "field", {}};
  for (const Field& field : side.fields) parts.names.push_back(field.name);
  return parts;
}

/// Whether `pairs` has one of these two.
template <class Pair, class Part>
bool holds(const std::vector<Pair>& pairs, const Part* older, const Part* newer) {
  return std::any_of(pairs.begin(), pairs.end(),
                     [&](const Pair& pair) { return pair.older == older && pair.newer == newer; });
}

/// Whether values of one type become values of the other without a hand-written step.
bool converts(const DocumentStep& step, const Type& from, const Type& to) {
  const Type& older = without_optional(from);
  const Type& newer = without_optional(to);
  if (older.shape != newer.shape) return false;
  switch (older.shape) {
    case Shape::list:
    case Shape::map:
      return converts(step, *older.element, *newer.element);
    case Shape::enumeration:
      return holds(step.enums, older.enumeration, newer.enumeration);
    case Shape::structure:
      return holds(step.structs, older.structure, newer.structure);
    case Shape::document:
      return older.document->document == newer.document->document;
    default:
      return true;
  }
}

class FieldsReader {
 public:
  FieldsReader(const FieldsStep& step, Findings& findings)
      : step_(step),
        findings_(findings),
        older_(parts_of(step.older)),
        newer_(parts_of(step.newer)),
        renames_(older_, newer_, findings) {}

  std::vector<FieldStep> read() {
    if (step_.changes != nullptr) {
      for (const JsonMember& member : *step_.changes->object()) check_entry(member);
    }
    for (const Field& field : step_.newer.fields) read_newer(field);
    for (const Field& field : step_.older.fields) read_older(field);
    return std::move(steps_);
  }

 private:
  /// Whether the entry of a field has a key.
  bool says(const std::string& field, const char* key) const {
    const JsonValue* entry = step_.changes != nullptr ? step_.changes->find(field) : nullptr;
    return entry != nullptr && entry->find(key) != nullptr;
  }

  void check_entry(const JsonMember& member) {
    const ObjectReader entry(member.value, "a change of a field",
                             {"renamed_from", "added", "removed", "hook"}, findings_);
    if (member.value.object() == nullptr) return;
    const std::size_t keys = member.value.object()->size();
    if (keys == 0) {
      add_unused(member.place, "this says nothing about '" + member.key + "'", "remove it",
                 findings_);
    } else if (keys > 1) {
      add_contradiction(member.place, "more than one change is said of '" + member.key + "'",
                        "keep one; a hook can do everything", findings_);
      return;
    }
    entry.mark("added");
    entry.mark("removed");
    const bool hook = entry.mark("hook");
    check_fields(member);
    if (hook && !step_.whole.hook) {
      findings_.add({.place = member.place,
                     .code = "missing-hook",
                     .what = "'" + member.key + "' wants a hand-written step that is not there",
                     .needed = "\"hook\": true in the step",
                     .fix = "add it beside \"from\" and \"to\""});
    }
  }

  /// Whether the versions have the fields that an entry speaks of.
  void check_fields(const JsonMember& member) {
    const bool older_has = older_.has(member.key);
    const bool newer_has = newer_.has(member.key);
    const auto has = [&member](const char* key) { return member.value.find(key) != nullptr; };
    if (has("removed") ? !older_has : has("hook") ? !older_has && !newer_has : !newer_has) {
      add_unknown_part(member.key, member.place, has("removed") ? older_ : newer_, findings_);
    } else if ((has("removed") && newer_has) || (has("added") && older_has)) {
      add_unused(member.place, "both versions have '" + member.key + "'", "remove this entry",
                 findings_);
    } else if (has("renamed_from")) {
      renames_.add(member.key, *member.value.find("renamed_from"));
    }
  }

  void read_newer(const Field& field) {
    FieldStep change{.newer = &field, .hook = says(field.name, "hook")};
    const bool renames = says(field.name, "renamed_from");
    if (renames) {
      const JsonValue& from = *step_.changes->find(field.name)->find("renamed_from");
      change.older = from.text() != nullptr ? step_.older.find(*from.text()) : nullptr;
    } else {
      change.older = step_.older.find(field.name);
    }
    if (change.older != nullptr && !change.hook) {
      if (!converts(step_.whole, change.older->type, field.type)) add_retyped(*change.older, field);
    } else if (change.older == nullptr && !change.hook && !renames && !says(field.name, "added")) {
      add_unexplained(field.place, "'" + field.name + "' is new in " + newer_.words,
                      "add \"" + field.name +
                          "\": {\"added\": true} to the step, or "
                          "{\"renamed_from\": \"...\"} or {\"hook\": true}",
                      findings_);
    }
    steps_.push_back(std::move(change));
  }

  void add_retyped(const Field& older, const Field& newer) {
    std::string hooks = "\"" + newer.name + "\": {\"hook\": true}";
    if (older.name != newer.name) {
      hooks = "\"" + older.name + "\": {\"hook\": true} and " + hooks + " instead";
    }
    std::string fix = "add " + hooks + " to the step";
    if (const std::string renamed = perhaps_renamed(older, newer); !renamed.empty()) {
      fix = "add " + renamed + " to the step, or " + hooks;
    }
    add_unexplained(newer.place,
                    "'" + newer.name + "' changed its type from " + to_text(older.type) + " to " +
                        to_text(newer.type),
                    fix, findings_);
  }

  /// What would make the one struct or enum the counterpart of the other.
  static std::string perhaps_renamed(const Field& older, const Field& newer) {
    const Type& from = innermost(older.type);
    const Type& to = innermost(newer.type);
    const bool local = from.shape == Shape::structure || from.shape == Shape::enumeration;
    if (!local || from.shape != to.shape || to_text(from) == to_text(to)) return {};
    return std::string(from.shape == Shape::structure ? "\"structs\"" : "\"enums\"") + ": {\"" +
           to_text(to) + "\": {\"renamed_from\": \"" + to_text(from) + "\"}}";
  }

  /// Fields of the older version that no field of the newer one continues.
  void read_older(const Field& field) {
    if (newer_.has(field.name) || renames_.contains(field.name)) return;
    const bool hook = says(field.name, "hook");
    if (!hook && !says(field.name, "removed")) {
      add_unexplained(step_.place,
                      "'" + field.name + "' of " + older_.words + " is gone in " + newer_.words,
                      "add \"" + field.name +
                          "\": {\"removed\": true}, or say \"renamed_from\" of "
                          "the field that took its place",
                      findings_);
    }
    steps_.push_back({.older = &field, .hook = hook});
  }

  const FieldsStep& step_;
  Findings& findings_;
  StepVersion older_;
  StepVersion newer_;
  Renames renames_;
  std::vector<FieldStep> steps_{};
};

}  // namespace

const Field* StepFields::find(const std::string& name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&name](const Field& field) { return field.name == name; });
  return found != fields.end() ? &*found : nullptr;
}

std::vector<FieldStep> read_field_steps(const FieldsStep& step, Findings& findings) {
  return FieldsReader(step, findings).read();
}

}  // namespace tenon::gen
