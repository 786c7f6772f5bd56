// SPDX-License-Identifier: BSL-1.0
//
// The items of a run, and the filter that selects them.
#pragma once

#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "actions.hpp"
#include "items.hpp"
#include "report.hpp"
#include "resource_names.hpp"
#include "selector.hpp"

namespace backup {

/// An item that was read.
struct ReadItem {
  std::string text;
  Labels labels;
  std::string annotations;  // see ItemOutline
};

struct Input {
  ResourceNames names;
  Items items;
  Selector filter;
  bool is_for_backup = false;

  /// Returns whether an item is selected, regardless of its labels. A namespace is selected if its
  /// items would be; any other item without a namespace only if no namespace is excluded.
  bool admits(const tenon::ResourceIdV1& id) const;
  /// Returns whether an item may be added because an item that is selected needs it, if its labels
  /// match: also without a namespace, whatever namespaces are selected.
  bool admits_related(const tenon::ResourceIdV1& id) const;
  /// Returns whether labels exclude an item from all backups, as `velero.io/exclude-from-backup`
  /// does. Restores do not look at them.
  bool excludes(const Labels& labels) const;
  /// Reads an item. Errors: those of Items::read; not-json; entry-differs if an archive contains
  /// another item under its path.
  tenon::Result<ReadItem> read(std::size_t index) const;
  /// Returns the index of an item that an action names. Error: missing-additional-item.
  tenon::Result<std::size_t> find(const tenon::ResourceIdV1& id) const;
  /// Returns the indices of all items in ascending order.
  std::vector<std::size_t> indices() const;
};

/// Called with an item and the names of the actions that would be executed for it.
using OnPlanned =
    std::function<void(const tenon::ResourceIdV1& id, const std::vector<std::string>& actions)>;

/// Calls `on_planned` for each selected item, in the order of `indices`. Items that cannot be read
/// are reported.
template <class K>
void plan(const Input& input, const std::vector<std::size_t>& indices,
          const std::vector<Action<K>>& actions, Report& report, const OnPlanned& on_planned) {
  for (const std::size_t index : indices) {
    const tenon::ResourceIdV1 id = input.items.id(index);
    if (!input.admits(id)) continue;
    const auto item = input.read(index);
    if (!item) {
      report.error(item.error(), id);
    } else if (input.filter.matches(item->labels) && !input.excludes(item->labels)) {
      on_planned(id, names_of_matching(actions, id, item->labels));
    }
  }
}

}  // namespace backup
