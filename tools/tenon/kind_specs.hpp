// SPDX-License-Identifier: BSL-1.0
//
// The interface definitions of kinds, for commands that call plugins without a host.
#pragma once

#include <tenon/plugin_info.hpp>
#include <tenon/result.hpp>

#include <deque>
#include <filesystem>
#include <optional>

#include "commands.hpp"
#include "gen/model/model.hpp"

namespace tenon::command {

/// Reads the specs of an app, and those of the standard kinds in the installation of tenon. Each is
/// read when it is needed.
class KindSpecs {
 public:
  explicit KindSpecs(const Options& options);

  /// Returns the version of the kind that a plugin implements, valid as long as this object.
  /// Errors: `unknown-kind`, `kind-differs`: the plugin was built from another spec. Throws
  /// gen::IoError.
  Result<const gen::KindVersion*> find(const PluginInfo& plugin);

 private:
  /// Returns nullptr if no spec describes it.
  const gen::KindVersion* find(std::string_view id, std::int32_t version);
  bool load_next();

  std::deque<std::filesystem::path> directories_;  // not read yet
  std::vector<gen::Model> models_;
};

}  // namespace tenon::command
