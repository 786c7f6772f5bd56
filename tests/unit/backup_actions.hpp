// SPDX-License-Identifier: BSL-1.0
//
// Helpers for the tests of the builtin item actions, with a host that has only builtins.
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

/// Returns a host that checks each call and has no standalone plugins.
inline Host host_of_builtins() {
  return Host({.app = "", .builtins = {builtins()}, .check_calls = true});
}

/// Returns a restore with a namespace mapping.
inline RestoreV1 mapping(TextMap namespaces) {
  RestoreV1 restore;
  restore.namespace_mapping = std::move(namespaces);
  return restore;
}

/// Returns the item after a restore action, "unchanged" if it has no updated item, or the message
/// if the action fails.
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
