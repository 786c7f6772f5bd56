// SPDX-License-Identifier: BSL-1.0
#include "gen/model/lineage.hpp"

#include <algorithm>
#include <set>

namespace tenon::gen {
namespace {

/// The key of a field. `structure` is the name of its struct; empty: the document.
std::string name_of(const std::string& structure, const std::string& field) {
  return structure.empty() ? field : structure + "." + field;
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
    for (const Field& field : version->fields) names.emplace(field.name, &field);
    for (const auto& structure : version->structs) {
      for (const Field& field : structure->fields) {
        names.emplace(name_of(structure->name, field.name), &field);
      }
    }
  }
  for (const DocumentStep& step : document.steps) {
    const bool renames = std::any_of(step.enums.begin(), step.enums.end(),
                                     [](const EnumStep& one) { return !one.renamed.empty(); });
    neighbours_[step.from].push_back({step.to, renames});
    neighbours_[step.to].push_back({step.from, renames});
    link(step, step.fields, "", "");
    for (const StructStep& structure : step.structs) {
      link(step, structure.fields, structure.older->name, structure.newer->name);
    }
  }
}

void Lineage::link(const DocumentStep& step, const std::vector<FieldStep>& fields,
                   const std::string& older, const std::string& newer) {
  Links& up = links_[{step.from, step.to}];
  Links& down = links_[{step.to, step.from}];
  up.structs.emplace(older, newer);
  down.structs.emplace(newer, older);
  for (const FieldStep& field : fields) {
    if (field.older == nullptr || field.newer == nullptr) continue;
    up.fields.emplace(std::pair(field.older, newer), field.newer);
    down.fields.emplace(std::pair(field.newer, older), field.older);
  }
}

const Field* Lineage::find(const DocumentVersion& version, const std::string& structure,
                           const std::string& field) const {
  const Names& names = names_.at(&version);
  const auto found = names.find(name_of(structure, field));
  return found != names.end() ? found->second : nullptr;
}

const Field* Lineage::across(const Links& links, const Field* field, const std::string& structure) {
  const auto found = links.fields.find({field, structure});
  return found != links.fields.end() ? found->second : nullptr;
}

/// Whether a name denotes the same field in a struct and in one of a neighbour: the step does not
/// move it to another field.
bool Lineage::keeps(const std::string& name, const Kin& kin, const Kin& next) const {
  const Field* here = find(*kin.version, kin.structure, name);
  const Field* there = find(*next.version, next.structure, name);
  const Field* onward = across(links_.at({kin.version, next.version}), here, next.structure);
  const Field* back = across(links_.at({next.version, kin.version}), there, kin.structure);
  const bool parts = here != nullptr && there != nullptr && onward != there;
  const bool renamed = (onward != nullptr && onward != there) || (back != nullptr && back != here);
  return !parts && !renamed;
}

std::vector<Lineage::Kin> Lineage::kin_of(const std::string& name, const DocumentVersion& version,
                                          const std::string& structure) const {
  std::vector<Kin> all{{&version, structure}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Kin here = all[i];
    for (const Neighbour& next : neighbours_.at(here.version)) {
      if (next.version == here.before) continue;
      const auto add = [&](const std::string& other, bool related) {
        Kin there{next.version, other, here.version};
        there.same_field = here.same_field && related && keeps(name, here, there);
        there.renames_values = here.renames_values || next.renames_values;
        all.push_back(std::move(there));
      };
      const auto [first, last] =
          links_.at({here.version, next.version}).structs.equal_range(here.structure);
      for (auto one = first; one != last; ++one) add(one->second, true);
      // Another version may have the struct again, unless that is a different one.
      const Links& back = links_.at({next.version, here.version});
      if (first == last) add(here.structure, !back.structs.contains(here.structure));
    }
  }
  return all;
}

Origins Lineage::origins_of(const DocumentVersion& version, const Struct* structure,
                            const Field& field, bool by_hand) const {
  std::set<const Struct*> visited;
  const bool has_enum = holds_enum(field.type, visited);
  // By version: whether each field of that name is the same one.
  std::unordered_map<const DocumentVersion*, bool> same;
  const std::string owner = structure != nullptr ? structure->name : "";
  for (const Kin& kin : kin_of(field.name, version, owner)) {
    const Field* namesake = find(*kin.version, kin.structure, field.name);
    if (namesake == nullptr) continue;
    const bool one = kin.same_field && same_shape(namesake->type, field.type) &&
                     !(has_enum && kin.renames_values);
    const auto [found, added] = same.emplace(kin.version, one);
    if (!added) found->second = found->second && one;
  }
  Origins origins;
  for (const auto& other : document_.versions) {
    const auto found = same.find(other.get());
    if (found == same.end()) continue;
    if (!found->second) origins.exact = true;
    if (found->second && (!by_hand || other.get() == &version)) {
      origins.versions.push_back(other->label);
    }
  }
  return origins;
}

}  // namespace tenon::gen
