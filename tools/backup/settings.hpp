// SPDX-License-Identifier: BSL-1.0
//
// The configuration file of tenon-backup, one JSON object; see backup.md.
#pragma once

#include "compressor.hpp"

#include "common/plugin_use.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace backup {

using tenon::tools::Findings;
using tenon::tools::PluginUse;

/// How long plugins may take.
struct Timeouts {
  /// One call of an action.
  std::chrono::nanoseconds call = std::chrono::minutes(1);
  /// One call of the store, the download of an archive too. Uploads have no end.
  std::chrono::nanoseconds store = std::chrono::hours(1);
  /// An asynchronous operation, or one call of a snapshotter.
  std::chrono::nanoseconds operation = std::chrono::hours(4);
  /// Until additional items are ready.
  std::chrono::nanoseconds ready = std::chrono::minutes(10);
  /// Between two questions.
  std::chrono::nanoseconds poll = std::chrono::seconds(1);
};

struct Settings {
  PluginUse store;
  std::string bucket = "tenon";
  std::vector<PluginUse> snapshotters;
  /// In their order; actions that are not named follow in the order of their names.
  std::vector<PluginUse> backup_actions;
  std::vector<PluginUse> restore_actions;
  /// Only for their configurations: delete actions run in the order of their names.
  std::vector<PluginUse> delete_actions;
  Compression compression = Compression::gzip;
  Timeouts timeouts;
};

/// Reads a configuration file. Everything that is wrong with it is added to the findings; returns
/// nothing if it cannot be used at all.
std::optional<Settings> read_settings(const std::filesystem::path& path, Findings& findings);

}  // namespace backup
