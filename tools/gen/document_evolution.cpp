// SPDX-License-Identifier: BSL-1.0
#include "gen/document_evolution.hpp"

#include "gen/evolution_steps.hpp"

#include <algorithm>

namespace tenon::gen {
namespace {

const Field* find(const DocumentVersion& version, const std::string& name) {
  const auto found = std::find_if(version.fields.begin(), version.fields.end(),
                                  [&name](const Field& field) { return field.name == name; });
  return found != version.fields.end() ? &*found : nullptr;
}

StepVersion parts_of(const DocumentVersion& version) {
  StepVersion parts{version.number, "field", {}};
  for (const Field& field : version.fields) parts.names.push_back(field.name);
  return parts;
}

/// Reads one step.
class StepReader {
 public:
  StepReader(const ObjectReader& object, DocumentStep& step, Findings& findings)
      : object_(object),
        step_(step),
        findings_(findings),
        older_(parts_of(*step.from)),
        newer_(parts_of(*step.to)),
        renames_(older_, newer_, findings) {}

  void read() {
    step_.notes = object_.optional_text("notes");
    step_.hook = object_.flag("hook");
    object_.optional_object("fields");
    metadata_ = object_.optional("fields");
    if (metadata_ != nullptr && metadata_->object() == nullptr) return;
    if (metadata_ != nullptr) {
      for (const JsonMember& member : *metadata_->object()) check_entry(member);
    }
    for (const Field& field : step_.to->fields) read_newer(field);
    for (const Field& field : step_.from->fields) read_older(field);
  }

 private:
  /// Whether the metadata of a field has a key.
  bool says(const std::string& field, const char* key) const {
    const JsonValue* entry = metadata_ != nullptr ? metadata_->find(field) : nullptr;
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
    if (hook && !step_.hook) {
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
      const JsonValue& from = *metadata_->find(field.name)->find("renamed_from");
      change.older = from.text() != nullptr ? find(*step_.from, *from.text()) : nullptr;
    } else {
      change.older = find(*step_.from, field.name);
    }
    if (change.older != nullptr && !change.hook) {
      change.passing = passing(change.older->type, field.type);
      if (change.passing == Passing::different) add_retyped(*change.older, field);
    } else if (change.older == nullptr && !change.hook && !renames && !says(field.name, "added")) {
      add_unexplained(field.place, "'" + field.name + "' is new in " + newer_.words(),
                      "add \"" + field.name +
                          "\": {\"added\": true} to the step, or "
                          "{\"renamed_from\": \"...\"} or {\"hook\": true}",
                      findings_);
    }
    step_.fields.push_back(change);
  }

  void add_retyped(const Field& older, const Field& newer) {
    add_unexplained(newer.place,
                    "'" + newer.name + "' changed its type from " + to_text(older.type) + " to " +
                        to_text(newer.type),
                    "add \"" + newer.name + "\": {\"hook\": true} to the step", findings_);
  }

  /// Fields of the older version that no field of the newer one continues.
  void read_older(const Field& field) {
    if (newer_.has(field.name) || renames_.contains(field.name)) return;
    const bool hook = says(field.name, "hook");
    if (!hook && !says(field.name, "removed")) {
      add_unexplained(object_.place("fields"),
                      "'" + field.name + "' of " + older_.words() + " is gone in " + newer_.words(),
                      "add \"" + field.name +
                          "\": {\"removed\": true}, or say \"renamed_from\" of "
                          "the field that took its place",
                      findings_);
    }
    step_.fields.push_back({.older = &field, .hook = hook});
  }

  const ObjectReader& object_;
  DocumentStep& step_;
  Findings& findings_;
  StepVersion older_;
  StepVersion newer_;
  Renames renames_;
  const JsonValue* metadata_ = nullptr;
};

}  // namespace

void read_document_steps(const SpecFolder& folder, Document& document, Findings& findings) {
  const auto steps = find_steps(folder, "type", document.id, {"hook", "fields"}, findings);
  for (std::size_t i = 0; i + 1 < document.versions.size(); i++) {
    DocumentStep step{.from = document.versions[i].get(), .to = document.versions[i + 1].get()};
    const auto object = steps.find(step.from->number);
    if (object != steps.end()) StepReader(object->second, step, findings).read();
    document.steps.push_back(std::move(step));
  }
}

}  // namespace tenon::gen
