// SPDX-License-Identifier: BSL-1.0
//
// Resources of a cluster as JSON texts that are read one at a time. Only ids and file positions are
// in memory: about 50 bytes for each item, and its name.
#pragma once

#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "item_files.hpp"

namespace backup {

/// Items sorted by resource, namespace and name. Each id is unique. Movable. Const functions may be
/// called from any thread.
class Items {
 public:
  Items() = default;

  std::size_t size() const noexcept { return slots_.size(); }
  /// Returns the id of an item. REQUIRED: index < size().
  tenon::ResourceIdV1 id(std::size_t index) const;
  /// Returns the index of an item, or nothing if it does not exist. Takes logarithmic time.
  std::optional<std::size_t> find(const tenon::ResourceIdV1& id) const;
  /// Returns the definitions of resources in the archive, see definitions_text; empty if the items
  /// are not from an archive, or it has none.
  const std::string& definitions() const noexcept { return definitions_; }
  /// Returns the JSON text of an item. Errors: cannot-read, file-changed.
  /// REQUIRED: index < size().
  tenon::Result<std::string> read(std::size_t index) const;

 private:
  friend class ItemsBuilder;
  using Group = std::pair<std::string, std::string>;  // resource and namespace

  struct Slot {
    std::uint64_t name;  // offset in names_
    std::uint32_t name_size;
    std::uint32_t group;
    ItemPlace place;
  };

  std::string_view name(const Slot& slot) const {
    return std::string_view(names_).substr(slot.name, slot.name_size);
  }

  ItemFiles files_;
  std::string definitions_;
  std::vector<Group> groups_;  // sorted
  std::string names_;
  std::vector<Slot> slots_;
};

/// Collects Items in any order.
class ItemsBuilder {
 public:
  void add(const tenon::ResourceIdV1& id, const ItemPlace& place);
  /// Sets the files that the places refer to.
  void set_files(ItemFiles files) { items_.files_ = std::move(files); }
  void set_definitions(std::string text) { items_.definitions_ = std::move(text); }
  /// Sorts the items. Returns the first id that was added twice, or nothing if all ids are unique.
  std::optional<tenon::ResourceIdV1> sort();
  /// Returns the items. REQUIRED: `sort` returned nothing.
  Items take() { return std::move(items_); }

 private:
  void sort_groups();

  Items items_;
  std::map<Items::Group, std::uint32_t> groups_;
};

}  // namespace backup
