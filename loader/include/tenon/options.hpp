// SPDX-License-Identifier: BSL-1.0
//
// tenon/options.hpp: the options of a host.
#pragma once

#include <tenon/abi.h>
#include <tenon/events.hpp>
#include <tenon/log.hpp>
#include <tenon/restart.hpp>
#include <tenon/trust.hpp>
#include <tenon/values.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tenon { inline namespace v0_1 {

/// Only `app` is required.
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
  /// The package versions that the host accepts, eg: {"me.example/blur", "^1.2"}. Any version of
  /// other packages is accepted. The syntax is that of the manifest (abi/manifest.md).
  TextMap requirements = {};
  /// A lock file as `tenon lock` writes it; empty: none. It lists package versions and hashes of
  /// their files. Locked versions are preferred to newer ones, and a file with other content is
  /// not loaded. Packages that it does not list are not affected, unless `trust` is pinned. The
  /// file is read once. If it cannot be read, `problems` reports why, and no module is loaded.
  std::filesystem::path lock_file = {};
  /// Whose files are loaded. With Trust::owner, files that other users may change are refused if
  /// the process runs as root or with the privileges of another user (set-user-ID); for other
  /// processes `problems` has the warning `untrusted-owner`. With Trust::pinned, `lock_file` lists
  /// all that is loaded: the modules, and the libraries outside of the system's directories.
  Trust trust = Trust::owner;
  /// A file of the operator with rules that can only make `trust` stricter, and a list of denied
  /// versions and files; empty: none. See loader/trust.md. The file is read once. If it cannot be
  /// read, or if another user may change it, `problems` reports why, and no module is loaded.
  std::filesystem::path trust_rules = {};
  /// The domain that is put before names without a `/`; empty: the domain of the kind.
  std::string default_domain = {};
  /// If true, a module is restarted when its file was replaced or overwritten and is complete. Not
  /// noticed: changes by other machines, or through another hard link. See Host::restart_changed.
  bool watch = false;
  /// If true, a call returns an error if the plugin crashes in it, on any thread: SIGSEGV, SIGBUS,
  /// SIGFPE, SIGILL, stack overflow, abort() or a failed assert() of its own. The module is then
  /// restarted. The code that crashed stays mapped, locks that it held stay locked, signals that it
  /// blocked stay blocked in the thread, and its memory is leaked. When all calls have left it, the
  /// instances of other plugins that it had created are released. If the module imports a function
  /// that starts threads, these instances are kept for its threads.
  ///
  /// Only crashes in the plugin's own functions, or in a leaf function of the C library that they
  /// call (strlen, memcpy), are contained. A crash in the allocator, the dynamic loader, stdio, a
  /// function of the host that the plugin called, a function of the plugin that a library called
  /// (qsort), or a builtin ends the process as usual, after a line on standard error that names the
  /// plugin. Signal handlers that the program installed before are called for crashes that are not
  /// contained. Crashes on the plugin's own threads, or in a child that a call forked, are never
  /// contained. A function with more than a page of local variables may write past the guard page
  /// of its stack before it faults, unless the plugin is compiled with -fstack-clash-protection.
  /// The first contained call of a thread unblocks the signals of faults. The program must not
  /// block them afterwards.
  ///
  /// The call fails with the code `crashed`. If it was a call of a method or a stream, the flag
  /// `restarted` is set. It is not retryable: the same input may crash the plugin again.
  ///
  /// A thread whose alternate signal stack is smaller than 32 kB at its first call of a plugin gets
  /// a larger one until it ends. Nothing is contained if the program installs a smaller one later.
  ///
  /// If crashes cannot be contained on this system, `problems` has the warning
  /// containment-unavailable.
  bool contain_crashes = false;
  /// If true, a call of exit() or quick_exit() in a function of a plugin, by the plugin or by a
  /// library that it uses, ends the process with status EXIT_FAILURE, whatever the caller passed,
  /// after a line on standard error that names the plugin. Otherwise a plugin can end the program
  /// with status 0 before its work is done. Functions that were registered with atexit before the
  /// host was created are then not called, and static objects are not destroyed. Has this effect
  /// until the process ends. Not noticed: _exit(), and calls on the plugin's own threads or in a
  /// child that a plugin forks.
  bool report_exits = false;
  /// The directory for private copies of loaded modules; empty: $TMPDIR. If that is unset or
  /// empty, modules of up to 1 MiB including the libraries beside them are copied to /dev/shm if it
  /// is in memory, allows execution and is at most half full. All others are copied to /tmp. The
  /// directory must exist, be on a local disk, and have space for the modules. The copies are in a
  /// subdirectory `tenon-XXXXXX`, which is created when the first module is loaded and removed by
  /// the host at its end. A subdirectory of a killed host of the same user is removed by the next
  /// host that creates its own there, at most 100 each time. If code cannot be executed from the
  /// directory (noexec), modules are loaded from memory.
  std::filesystem::path copy_directory = {};
  /// If true, a module is loaded from its own file if no copy is needed: for debuggers, profilers
  /// and other tools that look for the file by its path. A copy is still made if the system would
  /// otherwise return the wrong code: if an image of the same file is loaded (during a restart, or
  /// by another host), if the module has libraries beside it or unique symbols (`tenon inspect`:
  /// patched), or if `lock_file` or `trust_rules` is set, because the constructors of a file that
  /// is exchanged after its check would run. Files must then be replaced by rename: overwriting a
  /// mapped file crashes the process. A file that is replaced while it is loaded is not used: the
  /// error is file-changed, but its constructors may have run.
  bool load_in_place = false;
  /// If true, each method call is checked against the specification of its kind; for tests of
  /// plugins and hosts. A check takes time in proportion to the request and the response.
  ///
  /// Requests and responses: `struct_size` must cover every field of the released version. Texts
  /// must be valid UTF-8; `json` and bags must be JSON of at most 256 levels; elements of lists
  /// must not overlap; maps need one value for each key, and each key once. Data of a response must
  /// be in the arena of the call, in the request, or in a loaded image. The message names the
  /// field. A wrong request fails with the code `invalid-argument` without calling the plugin. A
  /// wrong response fails with the code `internal`; streams in it are not released.
  ///
  /// Threads: methods with the threading `serial` must not run concurrently in one instance, and
  /// methods with `main` must run on the main thread of the process. States, of kinds with
  /// `"restart": "session"`: a method is called only in the states that its `from` lists. A call
  /// that violates this fails with the code `failed-precondition` without calling the plugin.
  bool check_calls = false;
  /// If true, calls are counted; see ModuleInfo::methods.
  bool count_calls = false;
  RestartPolicy restart = {};
  /// Called with each event of a module, on the thread that causes it: often a background thread of
  /// the host, sometimes a thread inside a call. It may call any function of the host and destroy
  /// the host. It must not wait for a thread that is in a function of the host. It is not called
  /// after the destructor of the host has returned. Once the destructor has unloaded the modules,
  /// `find` still works, and the other functions return the error `host-ended` or an empty list.
  std::function<void(const Event&)> on_event = {};
  /// The lowest level that is logged, for the host and its plugins. For the app "photo" the
  /// environment variable $PHOTO_LOG overrides it with trace, debug, info, warn, error or off
  /// (ignored if the process has the privileges of another user). For any other value `problems`
  /// has the warning bad-log-level.
  LogLevel log_level = LogLevel::warn;
  /// Called with each log line; empty: lines are written to standard error.
  ///
  /// Called on the thread that logs, which may be any thread, on several threads at a time, without
  /// locks. The sink may call functions of the host and of plugins. It must not destroy the host,
  /// nor wait for a thread that is in a function of the host or of a plugin.
  ///
  /// Lines that the sink logs itself, lines for which it throws (with the exception), lines of a
  /// forked child, and lines of plugins that outlive the host are written to standard error. The
  /// sink is not called after the destructor of the host has returned. The destructor waits for it,
  /// at most RestartPolicy::drain_timeout.
  std::function<void(const LogLine&)> log_sink = {};
};

}}  // namespace tenon::v0_1
