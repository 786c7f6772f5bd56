// SPDX-License-Identifier: BSL-1.0
//
// Descriptions of plugins, which the host and whoever holds a PluginInfo share.
#pragma once

#include <tenon/plugin_info.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "manifest/manifest.hpp"

namespace tenon::detail {

struct ModuleDescription;

/// One plugin as its manifest describes it, and whether this program can use it.
struct PluginDescription {
  const ModuleDescription* module;  // that it belongs to
  const Provided* provided;
  Compatibility fit;
};

/// What is known of a module from its manifest. Never changes once it is made.
struct ModuleDescription {
  std::shared_ptr<const Manifest> manifest;
  std::string package_version;
  std::filesystem::path file;              // empty for a builtin
  std::vector<PluginDescription> plugins;  // as the manifest provides them
  std::uint64_t kinds;                     // kinds_revision() when they were judged

  /// As messages call the module.
  std::string place() const;
};

using ModuleDescriptionPtr = std::shared_ptr<const ModuleDescription>;

/// `file` is empty for a builtin.
ModuleDescriptionPtr describe(std::shared_ptr<const Manifest> manifest,
                              const std::filesystem::path& file);

/// Makes what the host hands out of descriptions.
class PluginInfos {
 public:
  /// Of the plugin at a place in the manifest.
  static PluginInfo of(const ModuleDescriptionPtr& module, std::size_t place);
};

}  // namespace tenon::detail
