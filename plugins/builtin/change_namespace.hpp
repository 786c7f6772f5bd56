// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/change-namespace: a restore item action that moves resources to other namespaces, using
// the namespace mapping of the restore. It changes metadata.namespace, the name of a Namespace, and
// the references to namespaces in other resources; see namespace_references.cpp. It does not change
// namespaces inside other texts, such as a host name in an environment variable.
#pragma once

#include <tenon/sdk/restore_item_action.hpp>

#include <string>
#include <string_view>

namespace tenon::builtin {

class ChangeNamespace : public sdk::RestoreItemActionV2 {
 public:
  std::string name() override { return Plugin::name(); }
  SelectorV1 applies_to() override { return {}; }
  /// The updated item is absent if the mapping changes nothing.
  ExecuteResult execute(std::string_view item, std::string_view item_from_backup,
                        RestoreV1View restore) override;
};

}  // namespace tenon::builtin
