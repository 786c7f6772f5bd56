// SPDX-License-Identifier: BSL-1.0
//
// The host as one loaded module sees it: the tenon_host that it is given.
#pragma once

#include <tenon/abi.h>
#include <tenon/host.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/fork.hpp"
#include "base/lock_order.hpp"
#include "binary/bundle.hpp"
#include "manifest/manifest.hpp"
#include "package/repository.hpp"

namespace tenon::detail {

class Generation;
class LeaseList;
class Module;

/// A catalog that was built for a manifest which a module is about to serve.
class CatalogChange {
 public:
  virtual ~CatalogChange() = default;
  /// Publishes the catalog. Called once, after the module has begun to serve the manifest, with no
  /// lock held. Builds the catalog again if another one was published meanwhile.
  virtual void publish() noexcept = 0;
};

/// A plugin in the module that has it.
struct ChosenPlugin {
  std::shared_ptr<Module> module;
  std::string name;
};

/// What the module room needs of the rooms above it, so that plugins can call plugins, and nothing
/// is loaded that does not fit the rest.
class PluginDirectory {
 public:
  /// The plugin that a reference of a package names, for use as this version of the kind. The
  /// caller creates the instance without keeping the directory: the code that runs then may hang.
  virtual Result<ChosenPlugin> choose_for(const Package& asker, const Kind& kind,
                                          std::int32_t version, std::string_view reference) = 0;
  /// The names of the plugins that `choose_for` could serve, sorted.
  virtual std::vector<std::string> names_for(const Package& asker, const Kind& kind,
                                             std::int32_t version) = 0;
  /// Returns an error if the files of `bundle` may not be loaded. `fresh` is their manifest;
  /// `before` is the one that was found in the folders, or that of the module that serves now.
  virtual Result<void> admit(const Manifest& before, const Manifest& fresh,
                             const Bundle& bundle) = 0;
  /// Builds the catalog in which a module has a fresh manifest, and does not publish it. Returns
  /// nullptr if the module says the same already. May wait for files that are being compared; no
  /// lock of a module may be held.
  virtual std::unique_ptr<CatalogChange> prepare(const Module& module,
                                                 std::shared_ptr<const Manifest> fresh) = 0;

 protected:
  ~PluginDirectory() = default;
};

/// Belongs to one generation; what the module got through it and did not give back is released with
/// it. Its functions may be called from any thread of the module.
class ModuleHost {
 public:
  /// `leases`: of the generation.
  ModuleHost(Package package, std::weak_ptr<PluginDirectory> directory, LeaseList& leases);
  ~ModuleHost();
  ModuleHost(const ModuleHost&) = delete;
  ModuleHost& operator=(const ModuleHost&) = delete;

  const tenon_host* raw() const noexcept { return &table_.host; }

 private:
  struct Functions;

  /// What crosses the ABI, and the way back from it.
  struct Table {
    tenon_host host;
    ModuleHost* owner;
  };

  const Generation& generation() const noexcept;
  static ModuleHost& of(const tenon_host* host) noexcept {
    return *reinterpret_cast<const Table*>(host)->owner;
  }

  Table table_;
  const Package package_;
  const std::weak_ptr<PluginDirectory> directory_;  // the host may be gone
  LeaseList& leases_;
  const platform::ProcessMark process_;
  Mutex mutex_{LockRank::clients};
  std::set<Instance*> clients_;
};

}  // namespace tenon::detail
