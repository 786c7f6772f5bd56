// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/external-artifacts: a delete item action that removes files that belong to a resource
// but are not part of the backup. The annotation `tenon.dev/external-artifact` of the resource
// names them: paths separated by commas, relative to a configured directory.
//
//   directory  the directory of the files; required if a resource has the annotation
//
// A path names a file, a symbolic link (the link itself is removed) or a whole directory tree of at
// most 128 levels. A file that does not exist counts as removed, so a deletion can be repeated.
// Each removal is on the disk before the action succeeds. No path leads out of the directory: the
// action refuses absolute paths and `..` before it removes anything, and follows no symbolic link.
// It does not change the modes of directories: it fails if the process may not remove something.
#pragma once

#include <tenon/sdk/delete_item_action.hpp>

#include <string>
#include <string_view>

namespace tenon::builtin {

class ExternalArtifacts : public sdk::DeleteItemActionV1 {
 public:
  void configure(const sdk::Config& config) override;
  SelectorV1 applies_to() override { return {}; }
  void execute(std::string_view item, BackupV2View backup) override;

 private:
  std::string directory_;  // empty until configured
};

}  // namespace tenon::builtin
