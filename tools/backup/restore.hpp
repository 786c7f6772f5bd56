// SPDX-License-Identifier: BSL-1.0
//
// Restores a backup into a directory: passes each item through the actions that apply to it, and
// writes the result.
#pragma once

#include <tenon/result.hpp>
#include <tenon/selector.hpp>
#include <tenon/stored_restore.hpp>
#include <tenon/values.hpp>

#include <filesystem>
#include <string>

#include "input.hpp"
#include "report.hpp"
#include "restored_directory.hpp"
#include "session.hpp"
#include "store.hpp"
#include "tally.hpp"

namespace backup {

struct RestoreRequest {
  std::string backup;
  std::string name;  // of the restore; empty: the name of the backup and the time
  std::filesystem::path to;
  tenon::SelectorV1 selector;
  tenon::TextMap namespace_mapping;
  RestoredDirectory::Existing existing = RestoredDirectory::Existing::keep;
};

/// Restores a backup. Returns the record of the restore, which the caller stores. Items that others
/// need are written first. If existing files are kept, a warning is reported if they differ.
/// Problems with single items and plugins are reported, and the run continues. Errors: not-found;
/// already-exists; bad-pattern, bad-label-selector; those of unpack_archive and of the store;
/// cannot-write; in-use; cancelled.
tenon::Result<tenon::StoredRestoreV1> restore_backup(Session& session, Store& store,
                                                     const RestoreRequest& request, Report& report,
                                                     Tally& tally);

/// Passes the actions that would be executed for each item to `on_planned`. Executes none. Errors:
/// those of restore_backup.
tenon::Result<void> plan_restore(Session& session, Store& store, const RestoreRequest& request,
                                 Report& report, const OnPlanned& on_planned);

}  // namespace backup
