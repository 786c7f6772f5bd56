// SPDX-License-Identifier: BSL-1.0
//
// The position file of a pipeline: its position, and the plugins and configs that it used last. The
// file is a stored document of the type tenon.dev/pipeline_position.
#pragma once

#include <tenon/host.hpp>
#include <tenon/pipeline_position.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/plugin_origins.hpp"
#include "common/private_file.hpp"
#include "pipeline_file.hpp"

namespace pipeline {

using PipelineState = tenon::PipelinePosition;
using UsedPlugin = tenon::PipelinePosition::UsedPlugin;

/// Returns the entry of a plugin in the position file.
UsedPlugin used(const std::string& id, const tenon::PluginInfo& plugin,
                const tenon::TextMap& config, tenon::tools::PluginOrigins& origins);

/// Returns the name of a stage in messages: "example.io/dpkg", or "packages (example.io/dpkg)" if
/// it has another id.
std::string label_of(const UsedPlugin& stage);

/// Returns an error of a stage with the label of the stage instead of the name of its plugin.
tenon::Error labelled(const tenon::Error& error, const UsedPlugin& stage);

/// Returns the path of the lock file of a position, which itself cannot be locked for long, because
/// each save replaces it.
std::filesystem::path lock_path(const std::filesystem::path& position);

/// The position file, locked for this process during the lifetime of the object. Used by one thread
/// at a time.
class PositionStore {
 public:
  /// Locks the file at `path` and reads it if it exists. Creates the directories above it. Problems
  /// of the content are added to the diagnostics. Errors: cannot-write, cannot-read; in-use if
  /// another process has locked it; untrusted-file if it, or its lock, is not a regular file of
  /// this user alone. A symbolic link is none; the directories above may be links.
  static tenon::Result<PositionStore> open(const std::filesystem::path& path,
                                           Diagnostics& diagnostics);

  /// Returns the state that was saved last. Change it, then call `save`.
  PipelineState& state() noexcept { return state_; }
  const PipelineState& state() const noexcept { return state_; }
  const std::filesystem::path& path() const noexcept { return path_; }

  /// Replaces the file atomically by one with the mode 0600, and makes it durable: after a power
  /// loss the file contains the old or the new state; after a successful return, the new one.
  /// Errors: cannot-write.
  tenon::Result<void> save() const;

  /// Removes the file, if there is one. Errors: cannot-write.
  tenon::Result<void> remove() const;

 private:
  PositionStore(std::filesystem::path path, tenon::tools::PrivateFile lock,
                tenon::tools::PrivateFile position) noexcept;

  std::filesystem::path path_;
  tenon::tools::PrivateFile lock_;
  tenon::tools::PrivateFile position_;  // the file when it was opened, locked
  PipelineState state_;
};

}  // namespace pipeline
