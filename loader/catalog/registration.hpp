// SPDX-License-Identifier: BSL-1.0
//
// A plugin in the registry.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "catalog/description.hpp"
#include "catalog/plugin_module.hpp"
#include "manifest/manifest.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// A module and the manifest that it had when it was listed.
struct ListedModule {
  std::shared_ptr<PluginModule> module;
  std::shared_ptr<const Manifest> manifest;

  bool builtin() const noexcept { return module->origin().builtin != nullptr; }
};

/// A plugin: one version of a kind, with a name, in one version of a package.
struct Registration {
  std::shared_ptr<PluginModule> module;
  ModuleDescriptionPtr description;
  std::uint32_t index;  // of the plugin in the manifest
  std::int32_t version;
  std::uint64_t fingerprint;
  bool builtin;
  /// See Bindings::is_preferred.
  bool is_preferred;
  /// Why the host cannot use that version of the package, or nullptr if it can.
  const Error* refused;

  const Provided& provided() const noexcept { return *description->plugins[index].provided; }
  const std::string& kind() const noexcept { return provided().kind; }
  const std::string& name() const noexcept { return provided().name; }
  const std::string& package() const noexcept { return description->manifest->name; }
  const Version& package_version() const noexcept { return description->manifest->version; }
};

}}}  // namespace tenon::v0_1::detail
