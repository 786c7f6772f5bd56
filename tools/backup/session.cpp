// SPDX-License-Identifier: BSL-1.0
#include "session.hpp"

#include <tenon/backup_item_action.hpp>
#include <tenon/delete_item_action.hpp>
#include <tenon/object_store.hpp>
#include <tenon/restore_item_action.hpp>
#include <tenon/volume_snapshotter.hpp>

#include <chrono>
#include <set>
#include <string>

#include "common/diagnostics.hpp"
#include "common/log_lines.hpp"

namespace backup {
namespace {

using tenon::tools::Visibility;

template <class K>
void check_use(const tenon::Host& host, const PluginUse& use, Diagnostics& diagnostics) {
  if (use.reference.empty()) return;  // reported already
  const auto found = host.find<K>(use.reference);
  if (!found) tenon::tools::add_missing<K>(host, found.error(), use, diagnostics);
}

template <class K>
void check_uses(const tenon::Host& host, const std::vector<PluginUse>& uses,
                Diagnostics& diagnostics) {
  for (const PluginUse& use : uses) check_use<K>(host, use, diagnostics);
}

/// The same for actions, of which each runs once.
template <class K>
void check_actions(const tenon::Host& host, const std::vector<PluginUse>& uses,
                   Diagnostics& diagnostics) {
  check_uses<K>(host, uses, diagnostics);
  std::set<std::string> names;
  for (const PluginUse& use : uses) {
    const auto found = host.find<K>(use.reference);
    if (!found || names.insert(found->name()).second) continue;
    diagnostics.add({.location = use.location,
                     .code = "duplicate-plugin",
                     .message = "the action '" + found->name() + "' is configured twice",
                     .fix = "remove one of the configurations"});
  }
}

tenon::HostOptions options(const std::vector<std::filesystem::path>& plugin_path,
                           const std::vector<const tenon_module*>& builtins,
                           const Visibility& visibility) {
  return {.app = "tenon",
          .plugin_path = plugin_path,
          .builtins = builtins,
          .contain_crashes = true,
          .report_exits = true,
          .control = visibility.control,
          .trace_file = visibility.trace_file,
          // A restart after an abandoned call must not wait long for that call.
          .restart = {.drain_timeout = std::chrono::seconds(2)},
          .log_sink = tenon::tools::write_log_line};
}

}  // namespace

Session::Session(tenon::tools::Console& console, Settings settings,
                 const std::vector<std::filesystem::path>& plugin_path,
                 const std::vector<const tenon_module*>& builtins, const Visibility& visibility)
    : console(console),
      settings(std::move(settings)),
      host(options(plugin_path, builtins, visibility)),
      caller(host, console) {
  visibility.print_warnings(host, console);
}

void Session::report_skipped(Report& report) const {
  for (const tenon::Error& skipped : host.problems()) {
    if (skipped.severity() == tenon::Severity::error) report.warning(skipped);
  }
}

void Session::check_uses(Diagnostics& diagnostics) const {
  check_use<tenon::ObjectStore>(host, settings.store, diagnostics);
  backup::check_uses<tenon::VolumeSnapshotter>(host, settings.snapshotters, diagnostics);
  check_actions<tenon::BackupItemAction>(host, settings.backup_actions, diagnostics);
  check_actions<tenon::RestoreItemAction>(host, settings.restore_actions, diagnostics);
  check_actions<tenon::DeleteItemAction>(host, settings.delete_actions, diagnostics);
}

}  // namespace backup
