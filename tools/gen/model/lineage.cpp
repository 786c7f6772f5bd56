// SPDX-License-Identifier: BSL-1.0
#include "gen/model/lineage.hpp"

#include <algorithm>
#include <set>

namespace tenon::gen {
namespace {

std::string name_of(const Struct* structure, const Field& field) {
  return (structure != nullptr ? structure->name + "." : "") + field.name;
}

/// Whether values of the type contain an enum, whose values a step may rename. Skips the structs
/// that were visited before.
bool holds_enum(const Type& type, std::set<const Struct*>& visited) {
  const Type& inner = innermost(type);
  if (inner.shape == Shape::enumeration) return true;
  if (inner.shape != Shape::structure || !visited.insert(inner.structure).second) return false;
  const auto& fields = inner.structure->fields;
  return std::any_of(fields.begin(), fields.end(),
                     [&visited](const Field& field) { return holds_enum(field.type, visited); });
}

}  // namespace

Lineage::Lineage(const Document& document) : document_(document) {
  for (const auto& version : document.versions) {
    Names& names = names_[version.get()];
    neighbours_.try_emplace(version.get());  // a single version has none
    for (const Field& field : version->fields) names.emplace(name_of(nullptr, field), &field);
    for (const auto& structure : version->structs) {
      for (const Field& field : structure->fields) {
        names.emplace(name_of(structure.get(), field), &field);
      }
    }
  }
  for (const DocumentStep& step : document.steps) {
    const bool renames = std::any_of(step.enums.begin(), step.enums.end(),
                                     [](const EnumStep& one) { return !one.renamed.empty(); });
    neighbours_[step.from].push_back({step.to, renames});
    neighbours_[step.to].push_back({step.from, renames});
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

/// Whether a name denotes the same field in two neighbours: the step does not move it to another
/// field.
bool Lineage::keeps(const std::string& name, const DocumentVersion& version,
                    const DocumentVersion& next) const {
  const Field* here = find(version, name);
  const Field* there = find(next, name);
  const Field* onward = across(version, next, here);
  const Field* back = across(next, version, there);
  const bool parts = here != nullptr && there != nullptr && onward != there;
  const bool renamed = (onward != nullptr && onward != there) || (back != nullptr && back != here);
  return !parts && !renamed;
}

Lineage::Relations Lineage::relations_of(const std::string& name,
                                         const DocumentVersion& version) const {
  Relations relations{{&version, {}}};
  std::vector<const DocumentVersion*> reached{&version};
  while (!reached.empty()) {
    const DocumentVersion* at = reached.back();
    reached.pop_back();
    const Relation here = relations.at(at);
    for (const Neighbour& next : neighbours_.at(at)) {
      const Relation there{here.same_field && keeps(name, *at, *next.version),
                           here.renames_values || next.renames_values};
      if (relations.emplace(next.version, there).second) reached.push_back(next.version);
    }
  }
  return relations;
}

Origins Lineage::origins_of(const DocumentVersion& version, const Struct* structure,
                            const Field& field, bool by_hand) const {
  Origins origins;
  const std::string name = name_of(structure, field);
  const Relations relations = relations_of(name, version);
  std::set<const Struct*> visited;
  const bool has_enum = holds_enum(field.type, visited);
  for (const auto& other : document_.versions) {
    const Field* namesake = find(*other, name);
    if (namesake == nullptr) continue;
    const Relation& relation = relations.at(other.get());
    const bool one = relation.same_field && same_shape(namesake->type, field.type) &&
                     !(has_enum && relation.renames_values);
    if (!one) origins.exact = true;
    if (one && (!by_hand || other.get() == &version)) origins.versions.push_back(other->label);
  }
  return origins;
}

}  // namespace tenon::gen
