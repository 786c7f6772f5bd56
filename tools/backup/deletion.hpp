// SPDX-License-Identifier: BSL-1.0
//
// Deletes a backup: first delete actions clean up external resources of its items, then its
// snapshots, its archive, the records of its restores and its record are deleted.
#pragma once

#include <tenon/result.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "input.hpp"
#include "report.hpp"
#include "session.hpp"
#include "store.hpp"
#include "tally.hpp"

namespace backup {

/// The result of a deletion.
struct Deletion {
  struct Execution {
    std::uint32_t action;  // in `actions`
    std::uint32_t item;    // in `input`
  };

  bool deleted = false;
  /// Whether only the delete actions, or what they need, prevented the deletion.
  bool needs_actions = false;
  /// The actions in the order in which they run, and the items for which they were executed.
  /// Executed actions are not undone if the deletion fails.
  std::vector<std::string> actions;
  Input input;
  std::vector<Execution> executed;
};

/// What a deletion does with the delete actions.
enum class DeleteActions : std::uint8_t { executed, omitted };

/// Deletes the backup of a record that was read from the store. All problems are reported. After
/// any error, neither the snapshots nor the archive are deleted, so the deletion can be repeated;
/// it then executes the actions for all items again. If the actions are omitted, a warning names
/// them, and the archive is not read. Another backup of the same name that was created meanwhile is
/// kept. Errors: those of the store.
tenon::Result<Deletion> delete_backup(Session& session, Store& store, tenon::StoredBackupV1 record,
                                      DeleteActions actions, Report& report, Tally& tally);

/// Deletes the objects of an unfinished backup, which has no record, and records of restores that
/// ended after their backup was deleted. Errors: those of the store.
tenon::Result<Deletion> delete_leftovers(Store& store, const std::string& name);

/// Passes the actions that would be executed for each item to `on_planned`. Executes none. Errors:
/// those of delete_backup.
tenon::Result<void> plan_deletion(Session& session, Store& store, tenon::StoredBackupV1 record,
                                  Report& report, const OnPlanned& on_planned);

}  // namespace backup
