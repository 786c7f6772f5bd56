// SPDX-License-Identifier: BSL-1.0
//
// Creates and configures the plugins of a command.
#pragma once

#include <tenon/host.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "caller.hpp"
#include "common/console.hpp"
#include "common/visibility.hpp"
#include "plugin.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace backup {

/// Belongs to one thread, except for `caller.cancel()`.
struct Session {
  Session(tenon::tools::Console& console, Settings settings,
          const std::vector<std::filesystem::path>& plugin_path,
          const std::vector<const tenon_module*>& builtins,
          const tenon::tools::Visibility& visibility = {});

  /// Creates an instance of the plugin that a reference names, and configures it. After a restart
  /// of the module, the loader configures it again. A plugin without `configure` is accepted if
  /// `config` is empty. Errors: those of the host and of configure; deadline-exceeded; cancelled.
  template <class K>
  tenon::Result<PluginPtr<K>> create(const std::string& reference,
                                     const tenon::TextMap& config = {}) {
    auto info = host.find<K>(reference);
    if (!info) return std::move(info).error();
    auto handle =
        caller.call(*info, "create", settings.timeouts.call,
                    [this, reference](tenon::Call&) { return host.create<K>(reference); });
    if (!handle) return std::move(handle).error();
    const auto plugin =
        std::make_shared<Plugin<K>>(Plugin<K>{std::move(*info), std::move(*handle)});
    const auto configured = caller.call(
        plugin, "configure", settings.timeouts.call,
        [config](K& instance, tenon::Call& call) { return instance.configure(call, config); });
    const bool takes_none =
        !configured && TENON_CODE(configured.error().status()) == TENON_UNIMPLEMENTED;
    if (!configured && !(takes_none && config.empty())) return configured.error();
    return plugin;
  }

  /// Creates one instance of each plugin name of a kind: first those of the settings in their
  /// order, then the others in the order of their names. Plugins that cannot be created are
  /// reported and omitted.
  template <class K>
  std::vector<PluginPtr<K>> create_all(const std::vector<PluginUse>& uses, Report& report) {
    std::vector<PluginPtr<K>> plugins;
    std::set<std::string> taken;
    const auto take = [&](const std::string& reference, const tenon::TextMap& config) {
      auto plugin = create<K>(reference, config);
      if (plugin) {
        plugins.push_back(*std::move(plugin));
      } else {
        report.error(plugin.error());
      }
    };
    for (const PluginUse& use : uses) {
      if (const auto info = host.find<K>(use.reference)) taken.insert(info->name());
      take(use.reference, use.config);
    }
    for (const tenon::PluginInfo& info : host.plugins<K>()) {
      if (!taken.contains(info.name())) take(info.name(), {});
    }
    return plugins;
  }

  /// Reports the plugin files that cannot be used.
  void report_skipped(Report& report) const;

  /// Adds a problem for each plugin of the settings that does not exist, and for each action that
  /// occurs twice.
  void check_uses(Diagnostics& diagnostics) const;

  tenon::tools::Console& console;
  const Settings settings;
  tenon::Host host;
  Caller caller;
};

}  // namespace backup
