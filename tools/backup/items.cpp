// SPDX-License-Identifier: BSL-1.0
#include "items.hpp"

#include <algorithm>
#include <compare>
#include <tuple>

namespace backup {

tenon::ResourceIdV1 Items::id(std::size_t index) const {
  const Slot& slot = slots_[index];
  tenon::ResourceIdV1 id;
  std::tie(id.resource, id.in_namespace) = groups_[slot.group];
  id.name = name(slot);
  return id;
}

std::optional<std::size_t> Items::find(const tenon::ResourceIdV1& id) const {
  const Group wanted(id.resource, id.in_namespace);
  const auto group = std::lower_bound(groups_.begin(), groups_.end(), wanted);
  if (group == groups_.end() || *group != wanted) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(group - groups_.begin());
  const auto before = [&](const Slot& slot, std::string_view name) {
    return std::pair(slot.group, this->name(slot)) < std::pair(number, name);
  };
  const auto slot =
      std::lower_bound(slots_.begin(), slots_.end(), std::string_view(id.name), before);
  if (slot == slots_.end() || slot->group != number || name(*slot) != id.name) return std::nullopt;
  return static_cast<std::size_t>(slot - slots_.begin());
}

tenon::Result<std::string> Items::read(std::size_t index) const {
  return files_.read(slots_[index].place);
}

void ItemsBuilder::add(const tenon::ResourceIdV1& id, const ItemPlace& place) {
  const auto [group, is_new] =
      groups_.emplace(Items::Group(id.resource, id.in_namespace), groups_.size());
  items_.slots_.push_back({.name = items_.names_.size(),
                           .name_size = static_cast<std::uint32_t>(id.name.size()),
                           .group = group->second,
                           .place = place});
  items_.names_ += id.name;
}

/// Numbers the groups in sorted order.
void ItemsBuilder::sort_groups() {
  std::vector<std::uint32_t> numbers(groups_.size());
  for (auto& [group, number] : groups_) {
    numbers[number] = static_cast<std::uint32_t>(items_.groups_.size());
    items_.groups_.push_back(group);
  }
  for (auto& slot : items_.slots_) slot.group = numbers[slot.group];
  groups_.clear();
}

std::optional<tenon::ResourceIdV1> ItemsBuilder::sort() {
  sort_groups();
  auto& slots = items_.slots_;
  const auto key = [&](const Items::Slot& slot) {
    return std::pair(slot.group, items_.name(slot));
  };
  std::sort(slots.begin(), slots.end(),
            [&](const auto& one, const auto& other) { return key(one) < key(other); });
  const auto twice = std::adjacent_find(
      slots.begin(), slots.end(),
      [&](const auto& one, const auto& other) { return key(one) == key(other); });
  if (twice == slots.end()) return std::nullopt;
  return items_.id(static_cast<std::size_t>(twice - slots.begin()));
}

}  // namespace backup
