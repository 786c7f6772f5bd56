// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/pod-volumes: a backup item action that adds the volumes of pods: of a pod its
// persistent volume claims, of a claim the persistent volume that it is bound to.
#pragma once

#include <tenon/sdk/backup_item_action.hpp>

#include <string>

namespace tenon::builtin {

class PodVolumes : public sdk::BackupItemActionV2 {
 public:
  std::string name() override { return Plugin::name(); }
  SelectorV1 applies_to() override;
  /// Adds the claims that spec.volumes of a pod names, and those that the cluster makes for its
  /// ephemeral volumes and names `<pod>-<volume>`, each once, in the namespace of the pod. Adds
  /// spec.volumeName of a claim. Adds nothing to other resources.
  ExecuteResult execute(std::string_view item, BackupV2View backup) override;
};

}  // namespace tenon::builtin
