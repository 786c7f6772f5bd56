// SPDX-License-Identifier: BSL-1.0
#include "gen/model/document_changes.hpp"

namespace tenon::gen {
namespace {

/// Adds the changes of a field that both versions have.
void add_change(const FieldStep& field, const std::string& prefix,
                std::vector<std::string>& changes) {
  const std::string name = prefix + field.newer->name;
  const bool renamed = field.older->name != field.newer->name;
  if (renamed) changes.push_back("renames " + prefix + field.older->name + " to " + name);
  const std::string from = to_text(field.older->type);
  const std::string to = to_text(field.newer->type);
  if (from == to || (renamed && !field.widened)) return;
  changes.push_back("changes " + name + " from " + from + " to " + to);
}

/// Adds the changes of the fields of a document, or of a struct, whose name is then `prefix`.
void add_changes(const std::vector<FieldStep>& fields, const std::string& prefix,
                 std::vector<std::string>& changes) {
  for (const FieldStep& field : fields) {
    const Field& shown = field.newer != nullptr ? *field.newer : *field.older;
    const std::string name = prefix + shown.name;
    if (field.hook) {
      changes.push_back(name + " by hand");
    } else if (field.older == nullptr) {
      changes.push_back("adds " + name);
    } else if (field.newer == nullptr) {
      changes.push_back("removes " + name);
    } else {
      add_change(field, prefix, changes);
    }
  }
}

/// Adds a changed name of a struct or an enum.
template <class Pair>
void add_new_name(const Pair& pair, std::vector<std::string>& changes) {
  const std::string names = pair.older->name + (pair.split ? " into " : " to ") + pair.newer->name;
  if (pair.older->name != pair.newer->name) {
    changes.push_back((pair.split ? "splits " : "renames ") + names);
  }
}

}  // namespace

std::string_view word_of(Life::Stage stage) {
  switch (stage) {
    case Life::Stage::draft:
      return "draft";
    case Life::Stage::released:
      return "released";
    case Life::Stage::deprecated:
      return "deprecated";
    default:
      return "removed";
  }
}

std::vector<std::string> changes_of(const DocumentStep& step) {
  std::vector<std::string> changes;
  add_changes(step.fields, "", changes);
  for (const StructStep& inner : step.structs) {
    add_new_name(inner, changes);
    add_changes(inner.fields, inner.newer->name + ".", changes);
  }
  for (const EnumStep& inner : step.enums) {
    add_new_name(inner, changes);
    for (const RenamedValue& value : inner.renamed) {
      changes.push_back("renames " + value.older + " of " + inner.newer->name + " to " +
                        value.newer);
    }
    if (inner.renamed.empty() && inner.older->values != inner.newer->values) {
      changes.push_back("changes the values of " + inner.newer->name);
    }
  }
  return changes;
}

}  // namespace tenon::gen
