// SPDX-License-Identifier: BSL-1.0
//
// tenon/plugin_info.hpp: plugins as their manifests describe them.
#pragma once

#include <tenon/compatibility.hpp>
#include <tenon/detail/export.hpp>
#include <tenon/value_types.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace tenon { inline namespace v0_1 {

namespace detail {
class PluginInfos;
struct PluginDescription;
}  // namespace detail

/// One plugin as the manifest of its module describes it. Nothing is loaded. Copies share one
/// immutable description, and references that the functions return are valid as long as one of the
/// copies exists. Thread-safe.
class TENON_API PluginInfo {
 public:
  /// eg: "me.example/blur"
  const std::string& name() const noexcept;
  /// eg: "photo.example/filter"
  const std::string& kind() const noexcept;
  /// The version of the kind.
  std::int32_t version() const noexcept;
  /// The fingerprint of the spec that the plugin was compiled from.
  std::uint64_t fingerprint() const noexcept;
  /// Returns whether this program can use the plugin.
  const Compatibility& compatibility() const noexcept;
  const std::string& package() const noexcept;
  const std::string& package_version() const noexcept;
  /// The summary of the package, for people; empty if the manifest has none.
  const std::string& summary() const noexcept;
  /// The file of the module; empty for a builtin.
  const std::filesystem::path& file() const noexcept;
  bool builtin() const noexcept { return file().empty(); }
  /// Returns a reference to this plugin in this version of its package, to store or to create an
  /// instance; see Host::find. eg: "standalone:me.example/blur@1.2.0"
  std::string reference() const;
  /// Returns whether the plugin's version of the kind has a method of the latest interface, under
  /// the same name or an older one. Returns false for methods that an adapter or hand-written code
  /// of the program provides, and for plugins that this program cannot use. Whether the plugin
  /// implements an optional method is known only after loading; see Handle::supports.
  bool offers(std::string_view method) const;
  /// Returns a property that the kind defines and the manifest sets, as text or as the JSON of an
  /// object; empty if the manifest does not set it.
  std::string property(std::string_view name) const;
  /// Returns all properties that the manifest sets.
  const TextMap& properties() const noexcept;

 private:
  friend class detail::PluginInfos;
  std::shared_ptr<const detail::PluginDescription> plugin_;
};

}}  // namespace tenon::v0_1
