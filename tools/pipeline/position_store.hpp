// SPDX-License-Identifier: BSL-1.0
//
// The file in which a pipeline keeps how far it came, and what its plugins were when it did:
//
//   {"type":"tenon.dev/pipeline-position","version":1,"pipeline":"packages",
//    "position":"31323334",
//    "source":{"plugin":"example.io/dpkg","kind_version":1,"package":"example.io/dpkg",
//              "package_version":"1.0.0","config":{"delay":"1ms"}},
//    "destinations":[...]}
//
// The position is that of the last record which every destination acknowledged, in hexadecimal, and
// null before the first. The configs are those that were last in use.
#pragma once

#include "pipeline_file.hpp"

#include <tenon/host.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pipeline {

/// A plugin as a pipeline used it.
struct UsedPlugin {
  std::string plugin;
  int kind_version = 0;
  std::string package;
  std::string package_version;
  tenon::TextMap config;

  friend bool operator==(const UsedPlugin&, const UsedPlugin&) = default;
};

UsedPlugin used(const tenon::PluginInfo& plugin, const tenon::TextMap& config);

struct PipelineState {
  std::string pipeline;
  std::optional<tenon::Bytes> position;
  std::optional<UsedPlugin> source;  // absent before the first run
  std::vector<UsedPlugin> destinations;
};

/// Belongs to one thread at a time, and to one process: while it lives, no other can open it.
class PositionStore {
 public:
  /// Opens the store at `path`, and makes the folders above it. What is wrong with what it holds is
  /// added to the findings. Errors: cannot-write, in-use.
  static tenon::Result<PositionStore> open(const std::filesystem::path& path, Findings& findings);

  PositionStore(PositionStore&& other) noexcept;
  PositionStore& operator=(PositionStore&&) = delete;
  ~PositionStore();

  /// What was saved last; to be changed and saved.
  PipelineState& state() noexcept { return state_; }
  const std::filesystem::path& path() const noexcept { return path_; }

  /// Makes the state durable: when it returns without an error, a loss of power changes nothing
  /// about it, and in between there is the old one or the new. Errors: cannot-write.
  tenon::Result<void> save() const;

 private:
  PositionStore(std::filesystem::path path, int lock) noexcept;

  std::filesystem::path path_;
  int lock_;
  PipelineState state_;
};

}  // namespace pipeline
