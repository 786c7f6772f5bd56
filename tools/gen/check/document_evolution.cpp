// SPDX-License-Identifier: BSL-1.0
#include "gen/check/document_evolution.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "gen/check/evolution_steps.hpp"
#include "gen/check/field_steps.hpp"
#include "gen/check/renames.hpp"
#include "gen/model/lineage.hpp"

namespace tenon::gen {
namespace {

template <class Part>
using Parts = std::vector<std::unique_ptr<Part>>;

template <class Part>
StepVersion names_of(const Version& version, const char* part, const Parts<Part>& parts) {
  StepVersion names("version " + version.label, part);
  for (const auto& one : parts) names.add(one->name);
  return names;
}

/// Reads one step. Structs and enums are paired first; then fields are compared.
class StepReader {
 public:
  StepReader(const ObjectReader& object, DocumentStep& step, Diagnostics& diagnostics)
      : object_(object), step_(step), diagnostics_(diagnostics) {}

  void read() {
    step_.notes = object_.optional_text("notes");
    step_.hook = object_.boolean("hook");
    enums_ = object_of(object_, "enums");
    structs_ = object_of(object_, "structs");
    pair(step_.from->enums, step_.to->enums, "enum", enums_,
         {"renamed_from", "split_from", "values"}, step_.enums);
    pair(step_.from->structs, step_.to->structs, "struct", structs_,
         {"renamed_from", "split_from", "fields"}, step_.structs);
    for (EnumStep& enumeration : step_.enums) read_values(enumeration);
    for (StructStep& structure : step_.structs) read_struct(structure);
    step_.fields = read_field_steps({{words(*step_.from), step_.from->fields},
                                     {words(*step_.to), step_.to->fields},
                                     object_of(object_, "fields"),
                                     object_.location("fields"),
                                     "the \"fields\" of the step",
                                     step_},
                                    diagnostics_);
  }

 private:
  static std::string words(const Version& version) { return "version " + version.label; }

  /// Returns nullptr if the key is missing or its value is not an object.
  static const JsonValue* object_of(const ObjectReader& holder, const char* key) {
    return holder.optional_object(key) != nullptr ? holder.optional(key) : nullptr;
  }

  /// Pairs the parts of both versions that have the same name or were renamed or split. `changes`
  /// is their metadata.
  template <class Part, class Pair>
  void pair(const Parts<Part>& older, const Parts<Part>& newer, const char* part,
            const JsonValue* changes, const std::vector<std::string>& keys,
            std::vector<Pair>& pairs) {
    const StepVersion from = names_of(*step_.from, part, older);
    const StepVersion to = names_of(*step_.to, part, newer);
    Renames renames(from, to, true, diagnostics_);
    if (changes != nullptr) {
      for (const JsonMember& member : *changes->object()) {
        check_entry(member, from, to, keys, renames);
      }
    }
    renames.check_splits();
    for (const auto& one : newer) {
      const JsonValue* entry = changes != nullptr ? changes->find(one->name) : nullptr;
      const auto string_of = [entry](const char* key) {
        const JsonValue* value = entry != nullptr ? entry->find(key) : nullptr;
        return value != nullptr ? value->text() : nullptr;
      };
      const std::string* split = string_of("split_from");
      const std::string* source = split != nullptr ? split : string_of("renamed_from");
      const auto index = from.find(source != nullptr ? *source : one->name);
      if (!index) continue;
      pairs.push_back(
          {.older = older[*index].get(), .newer = one.get(), .split = split != nullptr});
    }
  }

  void check_entry(const JsonMember& member, const StepVersion& older, const StepVersion& newer,
                   const std::vector<std::string>& keys, Renames& renames) {
    const ObjectReader entry(member.value, "a change of " + article(newer.part), keys,
                             diagnostics_);
    if (member.value.object() == nullptr) return;
    const JsonValue* renamed = member.value.find("renamed_from");
    const JsonValue* split = member.value.find("split_from");
    if (!newer.has(member.key)) {
      add_unknown_part(member.key, member.location, newer, diagnostics_);
    } else if (reject_empty(member, diagnostics_) ||
               reject_both(member, "split_from", "renamed_from", diagnostics_)) {
      return;
    } else if (renamed != nullptr) {
      renames.add(member.key, *renamed);
    } else if (split != nullptr) {
      renames.add_split(member.key, *split);
    } else if (!older.has(member.key)) {
      add_unused(member.location, older.words + " has no " + older.part + " '" + member.key + "'",
                 "remove it, or add \"renamed_from\" or \"split_from\"", diagnostics_);
    }
  }

  static std::string article(const std::string& part) {
    return (part == "enum" ? "an " : "a ") + part;
  }

  /// Reads the changes of an enum's values. New values need no entry.
  void read_values(EnumStep& enumeration) {
    const std::string& name = enumeration.newer->name;
    const JsonValue* entry = enums_ != nullptr ? enums_->find(name) : nullptr;
    const JsonValue* values = entries_under(entry != nullptr ? entry->find("values") : nullptr,
                                            "values", "'" + name + "'", diagnostics_);
    const StepVersion older = values_of(*enumeration.older, *step_.from);
    const StepVersion newer = values_of(*enumeration.newer, *step_.to);
    Renames renames(older, newer, false, diagnostics_);
    if (values != nullptr) {
      for (const JsonMember& member : *values->object()) {
        read_value(member, older, newer, renames, enumeration);
      }
    }
    for (const std::string& value : enumeration.older->values) {
      const bool named = values != nullptr && values->find(value) != nullptr;
      if (newer.has(value) || renames.contains(value) || named) continue;
      add_unexplained(values != nullptr ? values->location : object_.location("enums"),
                      "'" + value + "' of " + older.words + " is missing in " + newer.words,
                      "add \"" + value + "\": {\"removed\": true} to the \"values\" of '" + name +
                          "' in the \"enums\" of the step, or add \"renamed_from\" to the value "
                          "that replaces it",
                      diagnostics_);
    }
  }

  void read_value(const JsonMember& member, const StepVersion& older, const StepVersion& newer,
                  Renames& renames, EnumStep& enumeration) {
    const ObjectReader entry(member.value, "a change of a value", {"renamed_from", "removed"},
                             diagnostics_);
    if (member.value.object() == nullptr) return;
    const JsonValue* from = entry.optional("renamed_from");
    const bool removed = entry.flag("removed");
    if (reject_empty(member, diagnostics_) ||
        reject_both(member, "renamed_from", "removed", diagnostics_)) {
      return;
    }
    if (removed && !older.has(member.key)) {
      add_unknown_part(member.key, member.location, older, diagnostics_);
    } else if (removed && newer.has(member.key)) {
      add_unused(member.location, "both versions have '" + member.key + "'",
                 "remove \"removed\" here", diagnostics_);
    } else if (from != nullptr && !newer.has(member.key)) {
      add_unknown_part(member.key, member.location, newer, diagnostics_);
    } else if (from != nullptr) {
      renames.add(member.key, *from);
      if (from->text() != nullptr) enumeration.renamed.push_back({*from->text(), member.key});
    }
  }

  static StepVersion values_of(const Enum& enumeration, const Version& version) {
    StepVersion values("'" + enumeration.name + "' of " + words(version), "value");
    for (const std::string& value : enumeration.values) values.add(value);
    return values;
  }

  void read_struct(StructStep& structure) {
    const std::string& name = structure.newer->name;
    const JsonValue* entry = structs_ != nullptr ? structs_->find(name) : nullptr;
    const JsonValue* fields = entries_under(entry != nullptr ? entry->find("fields") : nullptr,
                                            "fields", "'" + name + "'", diagnostics_);
    const auto of = [](const Struct& one, const Version& version) {
      return "'" + one.name + "' of " + words(version);
    };
    structure.fields =
        read_field_steps({{of(*structure.older, *step_.from), structure.older->fields},
                          {of(*structure.newer, *step_.to), structure.newer->fields},
                          fields,
                          fields != nullptr ? fields->location : object_.location("structs"),
                          "the \"fields\" of '" + name + "' in the \"structs\" of the step",
                          step_},
                         diagnostics_);
  }

  const ObjectReader& object_;
  DocumentStep& step_;
  Diagnostics& diagnostics_;
  const JsonValue* enums_ = nullptr;
  const JsonValue* structs_ = nullptr;
};

/// Sets the origins of the fields of a step or of one of its structs.
void set_origins(const Lineage& lineage, const DocumentStep& step, const StructStep* structure,
                 std::vector<FieldStep>& fields) {
  const auto older = lineage.kin_of(*step.from, structure != nullptr ? structure->older : nullptr);
  const auto newer = lineage.kin_of(*step.to, structure != nullptr ? structure->newer : nullptr);
  for (FieldStep& field : fields) {
    if (field.older != nullptr) {
      field.older_origins = lineage.origins_of(older, *field.older, field.hook);
    }
    if (field.newer != nullptr) {
      field.newer_origins = lineage.origins_of(newer, *field.newer, field.hook);
    }
  }
}

/// What a step states about the values of an enum.
struct ValueStep {
  const Enum* older;
  std::unordered_set<std::string_view> values;                          // of the older version
  std::unordered_map<std::string_view, std::string_view> renamed_from;  // by newer name
  std::unordered_set<std::string_view> renamed;                         // older names
};
using ValueSteps = std::unordered_map<const Enum*, ValueStep>;  // by newer enum

ValueSteps value_steps_of(const Document& document) {
  ValueSteps steps;
  for (const DocumentStep& step : document.steps) {
    for (const EnumStep& enumeration : step.enums) {
      const auto& values = enumeration.older->values;
      ValueStep& all = steps[enumeration.newer];
      all.older = enumeration.older;
      all.values.insert(values.begin(), values.end());
      for (const RenamedValue& value : enumeration.renamed) {
        all.renamed_from.emplace(value.newer, value.older);
        all.renamed.insert(value.older);
      }
    }
  }
  return steps;
}

/// Returns the older version that has another value with the name of a new or renamed value of
/// `enumeration`; nullptr if there is none. A removed value may be added again.
const DocumentVersion* find_other_value(const Document& document, const DocumentStep& step,
                                        const ValueSteps& steps, const Enum* enumeration,
                                        std::string_view value) {
  const ValueStep& last = steps.at(enumeration);
  const auto renamed = last.renamed_from.find(value);
  const bool is_renamed = renamed != last.renamed_from.end();
  std::string_view name = is_renamed ? renamed->second : "";  // of the value; empty: new
  const Enum* newer = last.older;
  for (const DocumentStep* at = document.step_to(*step.from); at != nullptr;
       at = document.step_to(*at->from)) {
    const auto found = steps.find(newer);
    if (found == steps.end()) return nullptr;
    const ValueStep& before = found->second;
    newer = before.older;
    if (const auto older = before.renamed_from.find(name); older != before.renamed_from.end()) {
      name = older->second;
    } else if (!before.values.contains(name)) {
      name = {};
    }
    if (!before.values.contains(value)) continue;
    const bool other = is_renamed || before.renamed.contains(value);
    return other && name != value ? at->from : nullptr;
  }
  return nullptr;
}

/// Reports values with the name of another value of an older version. Documents contain only the
/// name, so a conversion across the versions between could not distinguish the two.
void check_values(const Document& document, Diagnostics& diagnostics) {
  const ValueSteps steps = value_steps_of(document);
  for (const DocumentStep& step : document.steps) {
    for (const EnumStep& enumeration : step.enums) {
      for (const std::string& value : enumeration.newer->values) {
        if (steps.at(enumeration.newer).values.contains(value)) continue;
        const DocumentVersion* other =
            find_other_value(document, step, steps, enumeration.newer, value);
        if (other == nullptr) continue;
        add_contradiction(enumeration.newer->location,
                          "'" + value + "' of '" + enumeration.newer->name +
                              "' is the name of another value in version " + other->label,
                          "give it another name", diagnostics);
      }
    }
  }
}

DocumentVersion* find(const Document& document, const VersionName& name) {
  const auto found =
      std::find_if(document.versions.begin(), document.versions.end(),
                   [&name](const auto& version) { return version->label == name.label(); });
  return found->get();
}

}  // namespace

void read_document_steps(const SpecDirectory& directory, Document& document,
                         Diagnostics& diagnostics) {
  const auto objects = find_steps(directory, "type", document.id,
                                  {"hook", "fields", "structs", "enums"}, diagnostics);
  const std::vector<VersionName> names = directory.names();
  for (const VersionName& name : names) {
    const std::optional<VersionName> from = neighbour_of(name, names);
    if (!from) continue;
    DocumentStep step{.from = find(document, *from), .to = find(document, name)};
    const auto object = objects.find(name);
    if (object != objects.end()) StepReader(object->second, step, diagnostics).read();
    document.steps.push_back(std::move(step));
  }
  check_values(document, diagnostics);
  const Lineage lineage(document);
  for (DocumentStep& step : document.steps) {
    set_origins(lineage, step, nullptr, step.fields);
    for (StructStep& structure : step.structs) {
      set_origins(lineage, step, &structure, structure.fields);
    }
  }
}

}  // namespace tenon::gen
