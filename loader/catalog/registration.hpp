// SPDX-License-Identifier: BSL-1.0
//
// A plugin in the registry.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
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

/// A module whose plugins are registered. It is described when that is first asked for: a host
/// looks at few of its modules. Thread-safe.
class RegisteredModule {
 public:
  explicit RegisteredModule(const ListedModule& listed)
      : module_(listed.module), manifest_(listed.manifest) {}
  ~RegisteredModule() { delete description_.load(); }
  RegisteredModule(const RegisteredModule&) = delete;
  RegisteredModule& operator=(const RegisteredModule&) = delete;

  const std::shared_ptr<PluginModule>& module() const noexcept { return module_; }
  const Manifest& manifest() const noexcept { return *manifest_; }
  std::filesystem::path file() const { return module_->origin().file; }
  /// See location_of.
  std::string location() const { return location_of(*manifest_, file()); }
  const ModuleDescriptionPtr& description() const {
    if (const auto* made = description_.load(std::memory_order_acquire)) return *made;
    // Several threads may do this. Unlike std::call_once, it makes no system call.
    auto fresh = std::make_unique<const ModuleDescriptionPtr>(describe(manifest_, file()));
    const ModuleDescriptionPtr* kept = nullptr;
    if (description_.compare_exchange_strong(kept, fresh.get())) kept = fresh.release();
    return *kept;
  }

 private:
  const std::shared_ptr<PluginModule> module_;
  const std::shared_ptr<const Manifest> manifest_;
  mutable std::atomic<const ModuleDescriptionPtr*> description_{nullptr};
};

/// A plugin: one version of a kind, with a name, in one version of a package.
struct Registration {
  const RegisteredModule* owner;
  std::uint32_t index;  // of the plugin in the manifest
  std::int32_t version;
  std::uint64_t fingerprint;
  bool builtin;
  /// See Bindings::is_preferred.
  bool is_preferred;
  /// Why the host cannot use that version of the package, or nullptr if it can.
  const Error* refused;

  const std::shared_ptr<PluginModule>& module() const noexcept { return owner->module(); }
  const Provided& provided() const noexcept { return owner->manifest().provides[index]; }
  const std::string& kind() const noexcept { return provided().kind; }
  const std::string& name() const noexcept { return provided().name; }
  const std::string& package() const noexcept { return owner->manifest().name; }
  const Version& package_version() const noexcept { return owner->manifest().version; }
};

}}}  // namespace tenon::v0_1::detail
