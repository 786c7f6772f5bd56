// SPDX-License-Identifier: BSL-1.0
//
// Deletes a backup: first the delete actions clean up what belongs to its items elsewhere, then its
// snapshots, its archive, its restores and its record are deleted.
#pragma once

#include "input.hpp"
#include "report.hpp"
#include "session.hpp"
#include "store.hpp"
#include "tally.hpp"

#include <tenon/result.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace backup {

/// The result of a deletion.
struct Deletion {
  struct Execution {
    std::uint32_t action;  // in `actions`
    std::uint32_t item;    // in `input`
  };

  bool deleted = false;
  /// The actions in the order in which they run, and the items that they were executed for. Nothing
  /// of this is undone if the deletion fails.
  std::vector<std::string> actions;
  Input input;
  std::vector<Execution> executed;
};

/// Deletes a backup. Everything that goes wrong is reported, and as long as anything does, neither
/// the snapshots nor the archive are deleted, so that the deletion can be repeated; actions then
/// see all items again. Where nothing but leftovers of an unfinished backup are there, they are
/// removed. Errors: not-found; those of the store.
tenon::Result<Deletion> delete_backup(Session& session, Store& store, const std::string& name,
                                      Report& report, Tally& tally);

/// Reports which action would see which item, without executing any. Errors: as of delete_backup.
tenon::Result<void> plan_deletion(Session& session, Store& store, const std::string& name,
                                  Report& report, const OnPlanned& on_planned);

}  // namespace backup
