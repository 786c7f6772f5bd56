// SPDX-License-Identifier: BSL-1.0
//
// tenon/options.hpp: the options of a host.
#pragma once

#include <tenon/abi.h>
#include <tenon/events.hpp>
#include <tenon/log.hpp>
#include <tenon/restart.hpp>
#include <tenon/trust.hpp>
#include <tenon/value_types.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tenon { inline namespace v0_1 {

/// Only `app` is required. loader/guide/options.md describes the options in detail.
struct HostOptions {
  /// The name of the program. It determines directories and environment variables: the app "photo"
  /// searches `plugin_path`, then the directories of $PHOTO_PLUGIN_PATH (ignored if the process has
  /// the privileges of another user), ~/.local/lib/photo/plugins, /usr/local/lib/photo/plugins and
  /// /usr/lib/photo/plugins.
  std::string app;
  /// Directories or module files to search before all others. Relative ones are relative to the
  /// working directory of each scan and load, so a program that changes it should pass full paths.
  std::vector<std::filesystem::path> plugin_path = {};
  /// Modules that are linked into the program.
  std::vector<const tenon_module*> builtins = {};
  /// The package versions that the host accepts, eg: {"me.example/blur", "^1.2"}; any version of
  /// other packages. The syntax is that of the manifest (abi/manifest.md).
  TextMap requirements = {};
  /// A lock file as `tenon lock` writes it; empty: none. The versions in it are preferred, and a
  /// file with other content is not loaded.
  std::filesystem::path lock_file = {};
  /// Which files are refused: by default those that other users may change.
  Trust trust = Trust::owner;
  /// A file of the operator with rules that can only make `trust` stricter, and a list of denied
  /// versions and files; empty: none. See loader/trust.md.
  std::filesystem::path trust_rules = {};
  /// The domain that is put before names without a `/`; empty: the domain of the kind.
  std::string default_domain = {};
  /// If true, a module is restarted when its file was replaced or overwritten and is complete. Not
  /// noticed: changes by other machines, or through another hard link. See Host::restart_changed.
  bool watch = false;
  /// If true, a call fails with the code `crashed` if the plugin crashes in it, and the module is
  /// restarted. What the plugin held stays locked and allocated.
  bool contain_crashes = false;
  /// If true, a call of exit() or quick_exit() in a function of a plugin ends the process with
  /// status EXIT_FAILURE and a line that names the plugin, until the process ends.
  bool report_exits = false;
  /// The directory for private copies of loaded modules, which must exist; empty: $TMPDIR, else
  /// /dev/shm for small modules, else /tmp.
  std::filesystem::path copy_directory = {};
  /// If true, a module is loaded from its own file if no copy is needed, for tools that look for
  /// the file by its path. Files must then be replaced by rename.
  bool load_in_place = false;
  /// If true, each method call is checked against the spec of its kind, in time proportional to the
  /// request and the response; for tests of plugins and hosts.
  bool check_calls = false;
  /// If true, calls are counted; see ModuleInfo::methods and Host::count_calls.
  bool count_calls = false;
  /// If true, a module that was being loaded when a process of this app died is left out of the
  /// scans of the next one, until `tenon release`; see loader/guide/operator.md.
  bool remember_crashes = false;
  /// If true, other processes of the user can see and change the host through a socket, with `tenon
  /// ps`, `status` and `restart`; see loader/guide/control.md. Never in a process that has the
  /// privileges of another user.
  bool control = false;
  /// A file for a trace of loads, restarts and calls, which Perfetto opens; empty: none. An
  /// existing one is replaced. See loader/guide/control.md.
  std::filesystem::path trace_file = {};
  RestartPolicy restart = {};
  /// Called with each event of a module, on the thread that causes it. It may call any function of
  /// the host and destroy the host, but must not wait for a thread that is in one.
  std::function<void(const Event&)> on_event = {};
  /// The lowest level that is logged, for the host and its plugins. $PHOTO_LOG of the app "photo"
  /// overrides it with trace, debug, info, warn, error or off (ignored in a process with the
  /// privileges of another user), otherwise the settings of an operator (loader/guide/operator.md).
  LogLevel log_level = LogLevel::warn;
  /// Called with each log line, on the thread that logs, on several threads at a time; empty: lines
  /// are written to standard error. It must not destroy the host, nor wait for a thread that is in
  /// a function of the host or of a plugin.
  std::function<void(const LogLine&)> log_sink = {};
};

}}  // namespace tenon::v0_1
