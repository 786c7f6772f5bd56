// SPDX-License-Identifier: BSL-1.0
//
// What the tests of the builtin item actions have in common: a host that has nothing but the
// builtins.
#pragma once

#include <tenon/backup_item_action.hpp>
#include <tenon/builtins.hpp>
#include <tenon/delete_item_action.hpp>
#include <tenon/host.hpp>
#include <tenon/restore_item_action.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tenon::tests {

using Texts = std::vector<std::string>;

/// Checks each response, and looks for no modules.
inline Host host_of_builtins() {
  return Host({.app = "", .builtins = {builtins()}, .check_calls = true});
}

/// A restore into other namespaces.
inline RestoreV1 mapping(TextMap namespaces) {
  RestoreV1 restore;
  restore.namespace_mapping = std::move(namespaces);
  return restore;
}

/// What a restore action makes of an item; "unchanged" where the item stays as it is, the message
/// where the action fails.
inline std::string restored(std::string_view action, const TextMap& config, std::string_view item,
                            const RestoreV1& restore) {
  Host host = host_of_builtins();
  auto handle = config.empty() ? host.create<RestoreItemAction>(action)
                               : host.create<RestoreItemAction>(action, config);
  if (!handle) return std::string(handle.error().message());
  auto done = (*handle)->execute(item, item, restore);
  if (!done) return std::string(done.error().message());
  return done->updated_item ? done->updated_item->text : "unchanged";
}

}  // namespace tenon::tests
