// SPDX-License-Identifier: BSL-1.0
//
// Creates a backup: selects items, passes each through the actions that apply to it, and stores
// them together with the additional items that actions name.
#pragma once

#include <tenon/result.hpp>
#include <tenon/selector.hpp>
#include <tenon/stored_backup.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "input.hpp"
#include "report.hpp"
#include "session.hpp"
#include "store.hpp"
#include "tally.hpp"

namespace backup {

struct CreateRequest {
  std::string name;
  std::filesystem::path from;
  tenon::SelectorV1 selector;
  std::optional<std::chrono::nanoseconds> ttl;
  bool allow_empty = false;  // creates the backup even if it has no items
};

/// Creates a backup and returns its record, or nothing if the backup would have no items and
/// `allow_empty` is false. Problems with single items and plugins are reported, and the run
/// continues. Without a record, or after an error other than backup-unconfirmed, the store contains
/// nothing of the backup, and its snapshots are removed. Errors: already-exists;
/// backup-unconfirmed; cannot-read of `from`; bad-pattern, bad-label-selector; archive-too-large;
/// those of the store; cancelled.
tenon::Result<std::optional<tenon::StoredBackupV1>> create_backup(Session& session, Store& store,
                                                                  const CreateRequest& request,
                                                                  Report& report, Tally& tally);

/// Passes the actions that would be executed for each item to `on_planned`. Executes none, so
/// additional items are unknown. Errors: those of create_backup, except for those of the store.
tenon::Result<void> plan_backup(Session& session, const CreateRequest& request, Report& report,
                                const OnPlanned& on_planned);

}  // namespace backup
