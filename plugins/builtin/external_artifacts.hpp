// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/external-artifacts: a delete item action that removes files that belong to a resource
// but are not part of the backup. The annotation `tenon.dev/external-artifact` of the resource
// names them: paths separated by commas, relative to the directory NAMESPACE in a configured one;
// for a resource without a namespace, to `_cluster`.
//
//   directory  contains a directory for each namespace; required if a resource has the annotation
//
// A path names a file, a symbolic link (the link itself is removed) or a whole directory tree of at
// most 128 levels. A file that does not exist counts as removed, so a deletion can be repeated.
// Each removal is on the disk before the action succeeds. No path leads out of the directory of the
// namespace: absolute paths and `..` are refused, and no symbolic link is followed. The other paths
// of the resource are removed nevertheless. The action does not change the modes of directories: it
// fails if the process may not remove something.
#pragma once

#include <tenon/sdk/delete_item_action.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "artifact_paths.hpp"

namespace tenon::builtin {

class ExternalArtifacts : public sdk::DeleteItemActionV1 {
 public:
  void configure(const sdk::Config& config) override;
  SelectorV1 applies_to() override { return {}; }
  void execute(std::string_view item, BackupV2View backup) override;

 private:
  void remove_all(const Artifacts& artifacts, std::vector<std::string>& refused);

  std::string directory_;  // empty until configured
};

}  // namespace tenon::builtin
