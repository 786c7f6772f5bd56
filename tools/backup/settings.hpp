// SPDX-License-Identifier: BSL-1.0
//
// The configuration file of tenon-backup, one JSON object; see backup.md.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/plugin_use.hpp"
#include "compressor.hpp"

namespace backup {

using tenon::tools::Diagnostics;
using tenon::tools::PluginUse;

/// The timeouts of plugins.
struct Timeouts {
  /// One call of an action; the creation and the configuration of any plugin.
  std::chrono::nanoseconds call = std::chrono::minutes(1);
  /// One call of the store, including the download of an archive. An upload may take longer, but
  /// fails if the store reads nothing for this time.
  std::chrono::nanoseconds store = std::chrono::hours(1);
  /// An asynchronous operation, or one call of a snapshotter.
  std::chrono::nanoseconds operation = std::chrono::hours(4);
  /// The wait until additional items are ready.
  std::chrono::nanoseconds ready = std::chrono::minutes(10);
  /// The time between two polls.
  std::chrono::nanoseconds poll = std::chrono::seconds(1);
};

struct Settings {
  PluginUse store;
  std::string bucket = "tenon";
  std::vector<PluginUse> snapshotters;
  /// In the order in which they run. Other actions run after them, in the order of their names.
  std::vector<PluginUse> backup_actions;
  std::vector<PluginUse> restore_actions;
  /// The configurations of delete actions, which run in the order of their names.
  std::vector<PluginUse> delete_actions;
  Compression compression = Compression::zstd;
  Timeouts timeouts;
};

/// Reads a configuration file. Adds all errors in it to `diagnostics`. Returns nothing if the file
/// cannot be used.
std::optional<Settings> read_settings(const std::filesystem::path& path, Diagnostics& diagnostics);

}  // namespace backup
