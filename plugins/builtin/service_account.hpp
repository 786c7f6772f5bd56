// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/service-account: a backup item action that adds the service account of each pod,
// without which the pod cannot be created again.
//
// The action of this name in Velero applies to service accounts and adds the cluster role bindings
// that name them. One resource alone does not contain these, so this action applies to pods.
#pragma once

#include <tenon/sdk/backup_item_action.hpp>

#include <string>
#include <string_view>

namespace tenon::builtin {

class ServiceAccount : public sdk::BackupItemActionV2 {
 public:
  std::string name() override { return Plugin::name(); }
  SelectorV1 applies_to() override;
  /// Adds spec.serviceAccountName, or spec.serviceAccount, its older name, or "default", in the
  /// namespace of the pod.
  ExecuteResult execute(std::string_view item, BackupV2View backup) override;
};

}  // namespace tenon::builtin
