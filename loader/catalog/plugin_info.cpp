// SPDX-License-Identifier: BSL-1.0
#include <tenon/host.hpp>

#include <utility>

#include "base/own_library.hpp"
#include "catalog/description.hpp"
#include "catalog/kinds.hpp"

namespace tenon { inline namespace v0_1 {
namespace {

/// Returns the description of a PluginInfo that is default-constructed or moved-from.
const detail::PluginDescription& no_plugin() {
  struct NoPlugin {
    detail::Provided nothing;
    detail::ModuleDescription module{std::make_shared<const detail::Manifest>(), {}, {}, {}, 0};
    detail::PluginDescription plugin{&module, &nothing, {}};
  };
  static platform::LibraryStatic<NoPlugin> none;
  return (*none).plugin;
}

const detail::PluginDescription& known(const detail::PluginDescription* plugin) {
  return plugin != nullptr ? *plugin : no_plugin();
}

}  // namespace

const std::string& PluginInfo::name() const noexcept {
  return known(plugin_.get()).provided->name;
}

const std::string& PluginInfo::kind() const noexcept {
  return known(plugin_.get()).provided->kind;
}

std::int32_t PluginInfo::version() const noexcept {
  return known(plugin_.get()).provided->version;
}

std::uint64_t PluginInfo::fingerprint() const noexcept {
  return known(plugin_.get()).provided->fingerprint;
}

const Compatibility& PluginInfo::compatibility() const noexcept {
  return known(plugin_.get()).compatibility;
}

const std::string& PluginInfo::package() const noexcept {
  return known(plugin_.get()).module->manifest->name;
}

const std::string& PluginInfo::package_version() const noexcept {
  return known(plugin_.get()).module->package_version;
}

const std::string& PluginInfo::summary() const noexcept {
  return known(plugin_.get()).module->manifest->summary;
}

const std::filesystem::path& PluginInfo::file() const noexcept {
  return known(plugin_.get()).module->file;
}

std::string PluginInfo::reference() const {
  return (builtin() ? "builtin:" : "standalone:") + name() + "@" + package_version();
}

const TextMap& PluginInfo::properties() const noexcept {
  static platform::LibraryStatic<TextMap> none;
  const auto& all = known(plugin_.get()).module->manifest->properties;
  const auto found = all.find(name());
  return found != all.end() ? found->second : *none;
}

std::string PluginInfo::property(std::string_view name) const {
  const auto found = properties().find(name);
  return found != properties().end() ? found->second : "";
}

bool PluginInfo::offers(std::string_view method) const {
  for (const Kind* known_kind : detail::find_kinds(kind())) {
    const KindVersion* found = known_kind->find(version());
    if (found == nullptr || found->fingerprint != fingerprint()) continue;
    return found->own_method(known_kind->latest().version, method) != nullptr;
  }
  return false;
}

namespace detail {

PluginInfo PluginInfos::of(const ModuleDescriptionPtr& module, std::size_t index) {
  PluginInfo info;
  info.plugin_ = {module, &module->plugins[index]};
  return info;
}

}  // namespace detail
}}  // namespace tenon::v0_1
