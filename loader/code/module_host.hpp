// SPDX-License-Identifier: BSL-1.0
//
// The tenon_host of one loaded module.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/guard.hpp>
#include <tenon/detail/kind.hpp>
#include <tenon/result.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fork.hpp"
#include "base/lock_order.hpp"
#include "binary/bundle.hpp"
#include "catalog/plugin_module.hpp"
#include "manifest/manifest.hpp"
#include "package/repository.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

class Generation;
class Log;
class RevocableStreams;
class CallTargets;

/// The functions of the host that modules need: to call other plugins, and to check what they load.
class HostServices {
 public:
  /// Returns the plugin that a reference in package `requirer` names, for use at this version of
  /// the kind. The caller must not keep the services while it creates the instance, because code
  /// of the plugin may hang.
  virtual Result<PluginChoice> choose_for(const Package& requirer, const Kind& kind,
                                          std::int32_t version, std::string_view reference) = 0;
  /// Returns the sorted names of the plugins that `choose_for` can return.
  virtual std::vector<std::string> names_for(const Package& requirer, const Kind& kind,
                                             std::int32_t version) = 0;
  /// Returns an error if the files of `bundle` may not be loaded. `fresh` is their manifest;
  /// `before` is the one that was found in the directories, or that of the code that serves.
  virtual Result<void> check_loadable(const Manifest& before, const Manifest& fresh,
                                      const Bundle& bundle) = 0;
  /// Returns an error if an operator has switched a package off, so that its module in `file` is
  /// restarted only after faults.
  virtual Result<void> check_restart(const Manifest& manifest,
                                     const std::filesystem::path& file) = 0;
  /// Builds the catalog with a new manifest of a module, without publishing it. Returns nullptr if
  /// the catalog stays the same. May wait for files that are being compared. REQUIRED: no lock of
  /// a module is held.
  virtual std::unique_ptr<CatalogChange> prepare(const PluginModule& module,
                                                 std::shared_ptr<const Manifest> fresh) = 0;

 protected:
  ~HostServices() = default;
};

/// A reference of a module to its host, which may end at any time.
class HostLink {
 public:
  HostLink() = default;
  HostLink(std::weak_ptr<HostServices> services, std::weak_ptr<void> users) noexcept
      : services_(std::move(services)), users_(std::move(users)) {}

  /// Returns the functions of the host; nullptr once it has no user. The caller does not become a
  /// user. Otherwise the modules would be shut down by the thread that is the last user, and a
  /// worker in the middle of a restart cannot wait for itself.
  std::shared_ptr<HostServices> services() const noexcept {
    return users_.expired() ? nullptr : services_.lock();
  }
  /// Adds a user of the host while the pointer exists. Returns nullptr if it has none.
  std::shared_ptr<void> use() const noexcept { return users_.lock(); }

 private:
  std::weak_ptr<HostServices> services_;
  std::weak_ptr<void> users_;
};

/// Belongs to one generation until it is closed. Its functions may be called from any thread of the
/// module, so it lives as long as the image of the module is mapped.
class ModuleHost {
 public:
  /// `file`: that of the module; empty for a builtin. `streams`: those of the generation.
  ModuleHost(Package package, const std::filesystem::path& file, HostLink host,
             std::shared_ptr<Log> log, RevocableStreams& streams);
  /// REQUIRED: closed.
  ~ModuleHost() = default;
  ModuleHost(const ModuleHost&) = delete;
  ModuleHost& operator=(const ModuleHost&) = delete;

  const tenon_host* raw() const noexcept { return &table_.host; }
  const std::string& package() const noexcept { return package_.name; }
  Log& log() const noexcept { return *log_; }
  /// Returns whether the calling thread runs code of the generation, in a call into it.
  bool runs_here() const noexcept;

  /// Releases the instances that the module has created through it and not released. After that its
  /// functions still write to the log, and other plugins are unavailable. Called before the
  /// generation is destroyed.
  void close() noexcept;

 private:
  struct Functions;

  /// The C struct and its owner.
  struct Table {
    tenon_host host;
    ModuleHost* owner;
  };

  std::shared_ptr<HostServices> services();
  std::shared_ptr<HostServices> inherited_services() TENON_NO_THREAD_SAFETY_ANALYSIS {
    return host_.services();
  }
  /// Returns the module of the generation; nullptr after `close`, or in a forked child.
  std::shared_ptr<PluginModule> module();
  static ModuleHost& of(const tenon_host* host) noexcept {
    return *reinterpret_cast<const Table*>(host)->owner;
  }

  const std::string file_;
  Table table_;
  const Package package_;
  const std::shared_ptr<Log> log_;
  Generation* const generation_;  // destroyed after `close`
  const platform::ProcessMark process_;
  Mutex mutex_{LockRank::clients};
  HostLink host_ TENON_GUARDED_BY(mutex_);
  RevocableStreams* streams_ TENON_GUARDED_BY(mutex_);  // nullptr after the end
  std::set<Instance*> clients_ TENON_GUARDED_BY(mutex_);
};

}}}  // namespace tenon::v0_1::detail
