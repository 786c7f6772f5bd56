// SPDX-License-Identifier: BSL-1.0
//
// Makes a backup: finds the items that are meant, passes each through the actions that apply to it,
// and stores them with what the actions ask for besides.
#pragma once

#include "input.hpp"
#include "report.hpp"
#include "session.hpp"
#include "store.hpp"
#include "tally.hpp"

#include <tenon/result.hpp>
#include <tenon/selector.hpp>
#include <tenon/stored_backup.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace backup {

struct CreateRequest {
  std::string name;
  std::filesystem::path from;
  tenon::SelectorV1 selector;
  std::optional<std::chrono::nanoseconds> ttl;
};

/// Makes a backup and returns its record. Problems with single items and plugins are reported, and
/// the run continues. Errors, after which the store has nothing of the backup: already-exists;
/// cannot-read of `from`; bad-pattern, bad-label-selector; those of the store;
/// cancelled.
tenon::Result<tenon::StoredBackupV1> create_backup(Session& session, Store& store,
                                                   const CreateRequest& request, Report& report,
                                                   Tally& tally);

/// Reports which action would see which item, without executing any: items that actions add are
/// not known then. Errors: as of create_backup, but for those of the store.
tenon::Result<void> plan_backup(Session& session, const CreateRequest& request, Report& report,
                                const OnPlanned& on_planned);

}  // namespace backup
