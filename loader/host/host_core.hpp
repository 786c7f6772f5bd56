// SPDX-License-Identifier: BSL-1.0
//
// The implementation of Host: owns the catalog and the parts of the host that modules share.
#pragma once

#include <tenon/host.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/fork.hpp"
#include "base/own_library.hpp"
#include "catalog/catalog.hpp"
#include "catalog/catalog_store.hpp"
#include "catalog/plugin_lookup.hpp"
#include "code/module_host.hpp"
#include "control/figure_table.hpp"
#include "host/host_control.hpp"
#include "host/host_rules.hpp"
#include "host/host_settings.hpp"
#include "host/module_finder.hpp"
#include "host/trace_file.hpp"
#include "module/module.hpp"
#include "restart/restart_step.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Lives as long as the Host and its users: the instances that it created, and functions in
/// progress. When the Host and all users have ended, the modules are shut down. Thread-safe.
class HostCore final : public HostServices, public std::enable_shared_from_this<HostCore> {
 public:
  using Clock = std::chrono::steady_clock;

  static std::shared_ptr<HostCore> make(HostOptions options);

  /// Adds a user while the pointer exists. Returns nullptr after the modules were shut down, and in
  /// a forked child.
  std::shared_ptr<HostCore> pin() const noexcept { return inherited() ? nullptr : self_.lock(); }
  /// Ends the use by the Host. If that was the last one, shuts the modules down until the deadline.
  void end(Clock::time_point deadline) noexcept;

  /// Stops serving control clients, and watching files. Waits for a running callback until the
  /// deadline.
  void stop_listening(Clock::time_point deadline) noexcept;
  const HostOptions& options() const noexcept { return options_; }
  std::shared_ptr<Events> events() const noexcept { return context_->events; }
  std::shared_ptr<Log> log() const noexcept { return context_->log; }
  /// Returns how long the destruction of the host waits for other threads.
  std::chrono::milliseconds shutdown_timeout() const noexcept {
    return options_.restart.drain_timeout;
  }
  /// Returns whether this process is a forked child of the process that created the host. Then no
  /// function below may be called, except `choose_for` and `names_for`.
  bool inherited() const noexcept { return process_.inherited(); }

  std::vector<PluginInfo> plugins(const Kind& kind) const;
  std::vector<PluginInfo> registered() const;
  std::vector<Error> problems() const;
  Result<PluginInfo> find(const Kind& kind, std::string_view reference) const;
  Result<std::vector<PluginInfo>> find_all(std::string_view reference) const;
  /// REQUIRED: the caller is a user, since code of plugins may destroy the host meanwhile.
  Result<InstancePtr> create(const Kind& kind, std::string_view reference,
                             const std::optional<TextMap>& config) const;
  void rescan();
  std::vector<ModuleInfo> modules() const;
  void count_calls(bool on);
  bool counts_calls() const noexcept { return context_->count_calls.load(); }
  FigureTable& figures() noexcept { return figures_; }
  const FigureTable& figures() const noexcept { return figures_; }
  /// Begins to record a trace. Errors: in-use, if one is recorded already.
  Result<void> begin_trace();
  void end_trace();
  std::shared_ptr<CallTrace> trace() const noexcept { return context_->trace; }
  /// Returns the steps of the restarts in progress, by package@version.
  std::map<std::string, RestartStep> restart_steps() const;
  std::vector<PackageInfo> packages() const;
  ResolvedPackages resolve(const std::vector<std::string>& references) const;
  Result<void> write_lock(const std::filesystem::path& file) const;
  Result<void> check_lock(const PackageInfo& package) const { return rules_.check_lock(package); }
  Result<RestartOutcome> restart(std::string_view package, const RestartOptions& options);
  Host::ChangedRestarts restart_changed();

  Result<PluginChoice> choose_for(const Package& requester, const Kind& kind, std::int32_t version,
                                  std::string_view reference) override;
  std::vector<std::string> names_for(const Package& requester, const Kind& kind,
                                     std::int32_t version) override;
  Result<void> check_loadable(const Manifest& before, const Manifest& fresh,
                              const Bundle& bundle) override;
  Result<void> check_restart(const Manifest& manifest, const std::filesystem::path& file) override;
  std::unique_ptr<CatalogChange> prepare(const PluginModule& module,
                                         std::shared_ptr<const Manifest> fresh) override;

 private:
  std::vector<std::shared_ptr<Module>> module_list() const;
  explicit HostCore(HostOptions options);
  HostOptions with_control(HostOptions options) const;
  void start();
  void shut_down() noexcept;
  void apply_count_calls();
  void begin_trace_file();
  void check_log_level();
  void log_problems() const;
  std::vector<ListedModule> make_builtins();
  void file_changed(const std::filesystem::path& file);

  const platform::LibraryUse library_;  // the first member, so that it ends last
  const platform::ProcessMark process_;
  std::weak_ptr<HostCore> self_;
  std::shared_ptr<HostCore> self_use_;          // the use by the Host
  const std::unique_ptr<HostControl> control_;  // nullptr if other processes have no access
  const HostOptions options_;
  const std::shared_ptr<ModuleContext> context_;
  std::vector<Error> startup_problems_;  // errors from the creation of the host
  HostSettings settings_;
  FigureTable figures_;
  std::unique_ptr<TraceFile> trace_file_;  // nullptr if there is none
  const PluginLookup lookup_;
  HostRules rules_;
  const std::shared_ptr<CatalogStore> catalog_ = std::make_shared<CatalogStore>();
  ModuleFinder finder_{options_, *catalog_};
};

}}}  // namespace tenon::v0_1::detail
