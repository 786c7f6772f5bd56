// SPDX-License-Identifier: BSL-1.0
//
// Descriptions of plugins, shared by the host and the holders of PluginInfo.
#pragma once

#include <tenon/plugin_info.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "manifest/manifest.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

struct ModuleDescription;

/// A plugin of a manifest, and whether this program can use it.
struct PluginDescription {
  const ModuleDescription* module;  // that it belongs to
  const Provided* provided;
  Compatibility compatibility;
};

/// Returns the name of a module in messages: its file, or its package if it is a builtin.
std::string location_of(const Manifest& manifest, const std::filesystem::path& file);

/// The description of a module by its manifest. Immutable.
struct ModuleDescription {
  std::shared_ptr<const Manifest> manifest;
  std::string package_version;
  std::filesystem::path file;              // empty for a builtin
  std::vector<PluginDescription> plugins;  // in the order of the manifest
  std::uint64_t kinds;                     // kinds_revision() at the time of the check

  std::string location() const { return location_of(*manifest, file); }
};

using ModuleDescriptionPtr = std::shared_ptr<const ModuleDescription>;

/// Describes a module. `file` is empty for a builtin.
ModuleDescriptionPtr describe(std::shared_ptr<const Manifest> manifest, std::filesystem::path file);

/// Creates the PluginInfo objects of the public API.
class PluginInfos {
 public:
  /// Returns the plugin at an index in the manifest.
  static PluginInfo of(const ModuleDescriptionPtr& module, std::size_t index);
};

}}}  // namespace tenon::v0_1::detail
