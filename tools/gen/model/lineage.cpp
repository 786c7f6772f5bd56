// SPDX-License-Identifier: BSL-1.0
#include "gen/model/lineage.hpp"

#include <algorithm>

namespace tenon::gen {
namespace {

std::string name_of(const Struct* structure, const Field& field) {
  return (structure != nullptr ? structure->name + "." : "") + field.name;
}

/// Whether values of the type contain an enum, whose values a step may rename.
bool holds_enum(const Type& type) {
  const Type& inner = innermost(type);
  if (inner.shape == Shape::enumeration) return true;
  if (inner.shape != Shape::structure) return false;
  const auto& fields = inner.structure->fields;
  return std::any_of(fields.begin(), fields.end(),
                     [](const Field& field) { return holds_enum(field.type); });
}

}  // namespace

Lineage::Lineage(const Document& document) : document_(document) {
  for (const auto& version : document.versions) {
    Names& names = names_[version.get()];
    for (const Field& field : version->fields) names.emplace(name_of(nullptr, field), &field);
    for (const auto& structure : version->structs) {
      for (const Field& field : structure->fields) {
        names.emplace(name_of(structure.get(), field), &field);
      }
    }
  }
  for (const DocumentStep& step : document.steps) {
    link(step, step.fields, true);
    for (const StructStep& structure : step.structs) {
      link(step, structure.fields, !structure.split);
    }
  }
}

void Lineage::link(const DocumentStep& step, const std::vector<FieldStep>& fields, bool unique) {
  for (const FieldStep& field : fields) {
    if (field.older == nullptr || field.newer == nullptr) continue;
    if (unique) links_[{step.from, step.to}].emplace(field.older, field.newer);
    links_[{step.to, step.from}].emplace(field.newer, field.older);
  }
}

const Field* Lineage::find(const DocumentVersion& version, const std::string& name) const {
  const Names& names = names_.at(&version);
  const auto found = names.find(name);
  return found != names.end() ? found->second : nullptr;
}

const Field* Lineage::across(const DocumentVersion& from, const DocumentVersion& to,
                             const Field* field) const {
  const auto links = links_.find({&from, &to});
  if (links == links_.end() || field == nullptr) return nullptr;
  const auto found = links->second.find(field);
  return found != links->second.end() ? found->second : nullptr;
}

/// Whether a name denotes the same field in two versions: no step between moved it to another
/// field.
bool Lineage::is_same_field(const std::string& name, const DocumentVersion& version,
                            const DocumentVersion& other) const {
  const DocumentVersion* at = &version;
  for (const DocumentVersion* next : document_.path(version, other)) {
    const Field* here = find(*at, name);
    const Field* there = find(*next, name);
    if (next == at) continue;
    const Field* onward = across(*at, *next, here);
    const Field* back = across(*next, *at, there);
    const bool parts = here != nullptr && there != nullptr && onward != there;
    const bool renamed =
        (onward != nullptr && onward != there) || (back != nullptr && back != here);
    if (parts || renamed) return false;
    at = next;
  }
  return true;
}

/// Whether a step between two versions renames values of an enum.
bool Lineage::renames_values(const DocumentVersion& version, const DocumentVersion& other) const {
  const DocumentVersion* at = &version;
  for (const DocumentVersion* next : document_.path(version, other)) {
    const DocumentStep* up = document_.step_to(*next);
    const DocumentStep* down = document_.step_to(*at);
    const DocumentStep* step = up != nullptr && up->from == at ? up : down;
    const auto renames = [](const EnumStep& one) { return !one.renamed.empty(); };
    if (next != at && std::any_of(step->enums.begin(), step->enums.end(), renames)) return true;
    at = next;
  }
  return false;
}

Origins Lineage::origins_of(const DocumentVersion& version, const Struct* structure,
                            const Field& field, bool by_hand) const {
  Origins origins;
  const std::string name = name_of(structure, field);
  for (const auto& other : document_.versions) {
    const Field* namesake = find(*other, name);
    if (namesake == nullptr) continue;
    const bool one = same_shape(namesake->type, field.type) &&
                     is_same_field(name, version, *other) &&
                     !(holds_enum(field.type) && renames_values(version, *other));
    if (!one) origins.exact = true;
    if (one && (!by_hand || other.get() == &version)) origins.versions.push_back(other->label);
  }
  return origins;
}

}  // namespace tenon::gen
