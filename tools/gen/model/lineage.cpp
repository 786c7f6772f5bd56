// SPDX-License-Identifier: BSL-1.0
#include "gen/model/lineage.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace tenon::gen {
namespace {

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

const Field* counterpart(const std::unordered_map<const Field*, const Field*>* all,
                         const Field* field) {
  if (all == nullptr || field == nullptr) return nullptr;
  const auto found = all->find(field);
  return found != all->end() ? found->second : nullptr;
}

}  // namespace

Lineage::Lineage(const Document& document) : document_(document) {
  for (const auto& version : document.versions) {
    neighbours_.try_emplace(version.get());  // a single version has none
    positions_.emplace(version.get(), positions_.size());
    Names& names = names_[{version.get(), ""}];
    for (const Field& field : version->fields) names.emplace(field.name, &field);
    for (const auto& structure : version->structs) {
      Names& of_struct = names_[{version.get(), structure->name}];
      for (const Field& field : structure->fields) of_struct.emplace(field.name, &field);
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
  Counterparts& onward = up.fields[{older, newer}];
  Counterparts& back = down.fields[{newer, older}];
  for (const FieldStep& field : fields) {
    if (field.older == nullptr || field.newer == nullptr) continue;
    onward.emplace(field.older, field.newer);
    back.emplace(field.newer, field.older);
  }
}

const Lineage::Counterparts* Lineage::across(const Links& links, const std::string& from,
                                             const std::string& to) {
  const auto found = links.fields.find({from, to});
  return found != links.fields.end() ? &found->second : nullptr;
}

/// Whether a name denotes the same field in a struct and in one of a neighbour: the step does not
/// move it to another field. `here` and `there` are the fields of that name.
bool Lineage::keeps(const Way& way, const Field* here, const Field* there) {
  const Field* onward = counterpart(way.onward, here);
  const Field* back = counterpart(way.back, there);
  const bool parts = here != nullptr && there != nullptr && onward != there;
  const bool renamed = (onward != nullptr && onward != there) || (back != nullptr && back != here);
  return !parts && !renamed;
}

std::vector<Lineage::Kin> Lineage::kin_of(const DocumentVersion& version,
                                          const Struct* structure) const {
  std::vector<Kin> all;
  // Structs that split and merge are reached in several ways.
  std::map<std::pair<const DocumentVersion*, std::string>, std::size_t> known;
  const auto find_or_add = [&](const DocumentVersion* of, const std::string& name) -> Kin& {
    const auto [found, added] = known.emplace(std::pair(of, name), all.size());
    if (added) {
      const auto names = names_.find(found->first);
      all.push_back({of, name, names != names_.end() ? &names->second : nullptr});
    }
    return all[found->second];
  };
  find_or_add(&version, structure != nullptr ? structure->name : "");
  // Steps form a tree of versions, so all ways to a struct are known before it is visited.
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Kin here = all[i];
    for (const Neighbour& next : neighbours_.at(here.version)) {
      if (next.version == here.before) continue;
      const Links& onward = links_.at({here.version, next.version});
      const Links& back = links_.at({next.version, here.version});
      const auto add = [&](const std::string& other, bool related) {
        Kin& there = find_or_add(next.version, other);
        there.before = here.version;
        there.renames_values = here.renames_values || next.renames_values;
        there.ways.push_back({i, across(onward, here.structure, other),
                              across(back, other, here.structure), related});
      };
      const auto [first, last] = onward.structs.equal_range(here.structure);
      for (auto one = first; one != last; ++one) add(one->second, true);
      // Another version may have the struct again, unless that is a different one.
      if (first == last) add(here.structure, !back.structs.contains(here.structure));
    }
  }
  return all;
}

Origins Lineage::origins_of(const std::vector<Kin>& all, const Field& field, bool by_hand) const {
  std::set<const Struct*> visited;
  const bool has_enum = holds_enum(field.type, visited);
  // By kin: the field of that name, and whether no step on any way to it moves the name to another.
  std::vector<const Field*> namesakes(all.size());
  std::vector<bool> kept(all.size());
  // By version: whether each field of that name is the same one.
  std::vector<std::optional<bool>> same(document_.versions.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Kin& kin = all[i];
    if (kin.names != nullptr) {
      const auto found = kin.names->find(field.name);
      if (found != kin.names->end()) namesakes[i] = found->second;
    }
    kept[i] = std::all_of(kin.ways.begin(), kin.ways.end(), [&](const Way& way) {
      return kept[way.from] && way.related && keeps(way, namesakes[way.from], namesakes[i]);
    });
    if (namesakes[i] == nullptr) continue;
    const bool one =
        kept[i] && !(has_enum && kin.renames_values) && same_shape(namesakes[i]->type, field.type);
    std::optional<bool>& all_same = same[positions_.at(kin.version)];
    all_same = all_same.value_or(true) && one;
  }
  Origins origins;
  for (std::size_t i = 0; i < same.size(); ++i) {
    if (!same[i]) continue;
    const DocumentVersion* other = document_.versions[i].get();
    if (!*same[i]) origins.exact = true;
    if (*same[i] && (!by_hand || other == all.front().version)) {
      origins.versions.push_back(other->label);
    }
  }
  return origins;
}

}  // namespace tenon::gen
