// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/pod-volumes: a backup item action that adds the volumes of pods. For a pod it adds the
// persistent volume claims, for a claim the persistent volume that it is bound to.
#pragma once

#include <tenon/sdk/backup_item_action.hpp>

#include <string>
#include <string_view>

namespace tenon::builtin {

class PodVolumes : public sdk::BackupItemActionV2 {
 public:
  std::string name() override { return Plugin::name(); }
  SelectorV1 applies_to() override;
  /// Adds the claims that spec.volumes of a pod names, and those that the cluster creates for its
  /// ephemeral volumes under the name `<pod>-<volume>`, each once, in the namespace of the pod.
  /// Adds spec.volumeName of a claim. Adds nothing for other resources.
  ExecuteResult execute(std::string_view item, BackupV2View backup) override;
};

}  // namespace tenon::builtin
