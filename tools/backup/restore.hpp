// SPDX-License-Identifier: BSL-1.0
//
// Restores a backup into a folder: passes each item through the actions that apply to it and writes
// what they make of it.
#pragma once

#include "input.hpp"
#include "report.hpp"
#include "session.hpp"
#include "store.hpp"
#include "tally.hpp"

#include <tenon/result.hpp>
#include <tenon/selector.hpp>
#include <tenon/stored_restore.hpp>
#include <tenon/values.hpp>

#include <filesystem>
#include <string>

namespace backup {

struct RestoreRequest {
  std::string backup;
  std::string name;  // of the restore; empty: the backup's with the time
  std::filesystem::path to;
  tenon::SelectorV1 selector;
  tenon::TextMap namespace_mapping;
};

/// Restores a backup and returns the record of it, which the store has then as well. Items are
/// written in an order in which those that others need come first. Files that are there already are
/// kept; one that differs is reported. Problems with single items and plugins are reported, and the
/// run continues. Errors: not-found; already-exists; bad-pattern, bad-label-selector; those of
/// unpack_archive and of the store; cannot-write; in-use; cancelled.
tenon::Result<tenon::StoredRestoreV1> restore_backup(Session& session, Store& store,
                                                     const RestoreRequest& request, Report& report,
                                                     Tally& tally);

/// Reports which action would see which item, without executing any. Errors: as of restore_backup.
tenon::Result<void> plan_restore(Session& session, Store& store, const RestoreRequest& request,
                                 Report& report, const OnPlanned& on_planned);

}  // namespace backup
