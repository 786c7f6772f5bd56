// SPDX-License-Identifier: BSL-1.0
#include "gen/check/field_steps.hpp"

#include "gen/check/field_pairs.hpp"
#include "gen/check/widening.hpp"

#include <algorithm>

namespace tenon::gen {
namespace {

StepVersion parts_of(const StepFields& side) {
  StepVersion parts(side.words, "field");
  for (const Field& field : side.fields) parts.add(field.name);
  return parts;
}

/// Whether one of the structs or enums has this name.
template <class Parts>
bool has(const Parts& parts, const std::string& name) {
  return std::any_of(parts.begin(), parts.end(),
                     [&name](const auto& part) { return part->name == name; });
}

class FieldsReader {
 public:
  FieldsReader(const FieldComparison& step, Diagnostics& diagnostics)
      : step_(step),
        diagnostics_(diagnostics),
        older_(parts_of(step.older)),
        newer_(parts_of(step.newer)),
        pairs_(step.older.fields, step.newer.fields, step.changes) {}

  std::vector<FieldStep> read() {
    if (step_.changes != nullptr) {
      const JsonValue::Object& entries = *step_.changes->object();
      for (const JsonMember& member : entries) {
        if (member.value.find("hook") != nullptr) continue;
        read_rename(member, older_, newer_, "remove this entry", pairs_.renamed, diagnostics_);
      }
      for (const JsonMember& member : entries) check_entry(member);
    }
    for (const Field& field : step_.newer.fields) read_newer(field);
    for (const Field& field : step_.older.fields) read_older(field);
    return std::move(steps_);
  }

 private:
  void check_entry(const JsonMember& member) {
    const ObjectReader entry(member.value, "a change of a field",
                             {"renamed_from", "added", "removed", "widened", "hook"}, diagnostics_);
    if (member.value.object() == nullptr) return;
    const auto has = [&member](const char* key) { return member.value.find(key) != nullptr; };
    const std::size_t keys = member.value.object()->size();
    const bool replaces = has("removed") && has("added") != has("renamed_from") && !has("hook");
    const bool widens = has("widened") && has("renamed_from");
    const std::size_t together = 1 + (replaces ? 1 : 0) + (widens ? 1 : 0);
    if (keys == 0) {
      add_unused(member.location, "the entry of '" + member.key + "' is empty", "remove it",
                 diagnostics_);
    } else if (has("widened") && (has("added") || has("hook"))) {
      add_contradiction(member.location,
                        "'" + member.key + "' has no older field that could be widened",
                        "remove \"widened\" here", diagnostics_);
      return;
    } else if (keys > together) {
      add_contradiction(member.location,
                        "the entry of '" + member.key + "' has more than one change",
                        "keep one; a hook can do everything", diagnostics_);
      return;
    }
    entry.flag("added");
    entry.flag("removed");
    const bool hook = entry.flag("hook");
    if (entry.flag("widened")) check_widened(member);
    if (has("removed")) check_removed(member, replaces);
    if (has("added")) check_added(member);
    if (has("renamed_from") && !newer_.has(member.key)) {
      add_unknown_part(member.key, member.location, newer_, diagnostics_);
    }
    if (hook) check_hook(member);
  }

  /// `replaces`: the entry also explains the field of this name in the newer version.
  void check_removed(const JsonMember& member, bool replaces) {
    const auto renamed = pairs_.renamed.find(member.key);
    if (!older_.has(member.key)) {
      add_unknown_part(member.key, member.location, older_, diagnostics_);
    } else if (renamed != pairs_.renamed.end()) {
      add_contradiction(
          member.location,
          "'" + member.key + "' was not removed: it was renamed to '" + renamed->second + "'",
          "remove \"removed\" here", diagnostics_);
    } else if (newer_.has(member.key) && !replaces) {
      add_unused(member.location, "both versions have '" + member.key + "'", "remove this entry",
                 diagnostics_);
    }
  }

  void check_added(const JsonMember& member) {
    const bool older_goes =
        pairs_.renamed.contains(member.key) || pairs_.has_key(member.key, "removed");
    if (!newer_.has(member.key)) {
      add_unknown_part(member.key, member.location, newer_, diagnostics_);
    } else if (older_.has(member.key) && !older_goes) {
      add_unused(member.location, "both versions have '" + member.key + "'", "remove this entry",
                 diagnostics_);
    }
  }

  void check_hook(const JsonMember& member) {
    if (!older_.has(member.key) && !newer_.has(member.key)) {
      add_unknown_part(member.key, member.location, newer_, diagnostics_);
    } else if (!step_.whole.hook) {
      diagnostics_.add({.location = member.location,
                        .code = "missing-hook",
                        .message = "'" + member.key + "' needs a hand-written step",
                        .needed = "\"hook\": true in the step",
                        .fix = "add it to the step, next to \"from\" and \"to\""});
    }
  }

  /// Checks that there is such a field, and that its type needs "widened".
  void check_widened(const JsonMember& member) {
    const Field* newer = pairs_.newer(member.key);
    if (newer == nullptr) {
      if (!pairs_.has_key(member.key, "renamed_from")) {
        add_unknown_part(member.key, member.location, newer_, diagnostics_);
      }
      return;
    }
    const Field* older = pairs_.continued(*newer);
    if (older == nullptr || !converts(step_.whole, older->type, newer->type)) return;
    add_unused(member.location, "values of '" + member.key + "' convert without it",
               "remove \"widened\" here", diagnostics_);
  }

  void read_newer(const Field& field) {
    FieldStep change{.older = pairs_.continued(field),
                     .newer = &field,
                     .hook = pairs_.has_key(field.name, "hook"),
                     .widened = pairs_.has_key(field.name, "widened")};
    const bool explained = change.hook || pairs_.has_key(field.name, "renamed_from") ||
                           pairs_.has_key(field.name, "added");
    if (change.older != nullptr && !change.hook) {
      const Type& before = change.older->type;
      const bool explained_type = converts(step_.whole, before, field.type) ||
                                  (change.widened && widens(step_.whole, before, field.type));
      if (!explained_type) add_retyped(*change.older, field);
    } else if (change.older == nullptr && !explained) {
      add_new(field);
    }
    steps_.push_back(std::move(change));
  }

  void add_new(const Field& field) {
    const std::string added = "add \"" + field.name + "\": {\"added\": true} to " + step_.entries;
    const auto renamed = pairs_.renamed.find(field.name);
    if (renamed != pairs_.renamed.end()) {
      add_unexplained(field.location,
                      "'" + field.name + "' is a different field in " + newer_.words +
                          ": that of " + older_.words + " was renamed to '" + renamed->second + "'",
                      added, diagnostics_);
    } else {
      add_unexplained(field.location, "'" + field.name + "' is new in " + newer_.words,
                      added + ", or {\"renamed_from\": \"...\"} or {\"hook\": true}", diagnostics_);
    }
  }

  void add_retyped(const Field& older, const Field& newer) {
    const bool wrong = pairs_.has_key(newer.name, "widened");
    add_unexplained(newer.location,
                    "'" + newer.name + "' changed its type from " + to_text(older.type) + " to " +
                        to_text(newer.type) + (wrong ? ", which is not wider" : ""),
                    "add " + remedies_of_type(older, newer), diagnostics_);
  }

  /// Returns the remedies for a changed type.
  std::string remedies_of_type(const Field& older, const Field& newer) const {
    const auto hook = [](const Field& field) { return "\"" + field.name + "\": {\"hook\": true}"; };
    const bool renamed = older.name != newer.name;
    const bool wider = widens(step_.whole, older.type, newer.type);
    const std::string where = " to " + step_.entries;
    if (wider && !renamed) {
      return "\"" + newer.name + "\": {\"widened\": true}" + where + ", or {\"hook\": true}";
    }
    const std::string hooks =
        renamed ? hook(older) + " and " + hook(newer) + " instead" + where : hook(newer) + where;
    if (wider) return "\"widened\": true to the entry of '" + newer.name + "', or " + hooks;
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

  /// Handles a field of the older version that has no counterpart in the newer one.
  void read_older(const Field& field) {
    const bool replaced = pairs_.is_replaced(field.name);
    if (pairs_.renamed.contains(field.name) || (newer_.has(field.name) && !replaced)) return;
    const bool hook = pairs_.has_key(field.name, "hook");
    if (!hook && !pairs_.has_key(field.name, "removed")) {
      const std::string remedy =
          replaced ? "add \"removed\": true to the entry of '" + field.name + "'"
                   : "add \"" + field.name + "\": {\"removed\": true} to " + step_.entries;
      add_unexplained(step_.location,
                      "'" + field.name + "' of " + older_.words + " is missing in " + newer_.words,
                      remedy + ", or add \"renamed_from\" to the field that replaces it",
                      diagnostics_);
    }
    steps_.push_back({.older = &field, .hook = hook});
  }

  const FieldComparison& step_;
  Diagnostics& diagnostics_;
  StepVersion older_;
  StepVersion newer_;
  FieldPairs pairs_;
  std::vector<FieldStep> steps_{};
};

}  // namespace

std::vector<FieldStep> read_field_steps(const FieldComparison& step, Diagnostics& diagnostics) {
  return FieldsReader(step, diagnostics).read();
}

}  // namespace tenon::gen
