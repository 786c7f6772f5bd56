// SPDX-License-Identifier: BSL-1.0
//
// The file in which a pipeline keeps how far it came, and what its plugins were when it did: a
// stored document of the type tenon.dev/pipeline_position. The configs are those that were last in
// use.
#pragma once

#include "pipeline_file.hpp"

#include <tenon/host.hpp>
#include <tenon/pipeline_position.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pipeline {

using PipelineState = tenon::PipelinePosition;
using UsedPlugin = tenon::PipelinePosition::UsedPlugin;

UsedPlugin used(const std::string& id, const tenon::PluginInfo& plugin,
                const tenon::TextMap& config);

/// How messages name a stage: "example.io/dpkg" or, if its id is another, "packages
/// (example.io/dpkg)".
std::string label_of(const UsedPlugin& stage);

/// Returns an error of a stage with its label in the place of the name of its plugin.
tenon::Error labelled(const tenon::Error& error, const UsedPlugin& stage);

/// Belongs to one thread at a time, and to one process: while it lives, no other can open it.
class PositionStore {
 public:
  /// Opens the store at `path`, and makes the folders above it. What is wrong with what it holds is
  /// added to the findings. Errors: cannot-write, in-use.
  static tenon::Result<PositionStore> open(const std::filesystem::path& path,
                                           Diagnostics& findings);

  PositionStore(PositionStore&& other) noexcept;
  PositionStore& operator=(PositionStore&&) = delete;
  ~PositionStore();

  /// What was saved last; to be changed and saved.
  PipelineState& state() noexcept { return state_; }
  const std::filesystem::path& path() const noexcept { return path_; }

  /// Makes the state durable: when it returns without an error, a loss of power changes nothing
  /// about it, and in between there is the old one or the new. Errors: cannot-write.
  tenon::Result<void> save() const;

  /// Removes the file, if there is one. Errors: cannot-write.
  tenon::Result<void> remove() const;

 private:
  PositionStore(std::filesystem::path path, int lock) noexcept;

  std::filesystem::path path_;
  int lock_;
  PipelineState state_;
};

}  // namespace pipeline
