// SPDX-License-Identifier: BSL-1.0
//
// tenon/host.hpp: finds, loads and restarts plugins. A program creates one Host, asks it which
// plugins exist, and creates instances of them:
//
//   tenon::Host host({.app = "photo"});
//   auto blur = host.create<photo::Filter>("me.example/blur", {{"radius", "3"}}).value();
//   if (auto r = blur->apply(pixels, w, h, .5f); !r) log(r.error().to_string());
#pragma once

#include <tenon/detail/export.hpp>
#include <tenon/detail/instance.hpp>
#include <tenon/figures.hpp>
#include <tenon/module_info.hpp>
#include <tenon/options.hpp>
#include <tenon/packages.hpp>
#include <tenon/plugin_info.hpp>
#include <tenon/result.hpp>
#include <tenon/value_types.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon { inline namespace v0_1 {

struct Kind;

namespace detail {
class HostCore;
}  // namespace detail

/// An instance of a plugin, used like a pointer to the latest interface K of its kind. It stays
/// valid when the module is restarted, and keeps the modules of the host alive. Destroying the
/// handle destroys the instance. A handle is empty if it was default-constructed, moved from or
/// reset.
///
/// The methods of K may be called from the threads that the spec of the kind states. The handle
/// itself belongs to one thread at a time and must outlive the calls made through it. Inside a call
/// or a function of a stream, a thread must not switch to another fiber (eg: with swapcontext).
template <class K>
class Handle {
 public:
  Handle() noexcept = default;
  Handle(Handle&&) noexcept = default;
  Handle& operator=(Handle&&) noexcept = default;

  /// Returns whether it is not empty.
  explicit operator bool() const noexcept { return instance_ != nullptr; }
  /// Destroys the instance, if there is one.
  void reset() noexcept { instance_.reset(); }

  // REQUIRED for the functions below: the handle is not empty.

  K* operator->() noexcept { return &interface_; }
  K& operator*() noexcept { return interface_; }

  /// Returns the registered name of the plugin, valid as long as the handle.
  std::string_view name() const noexcept { return instance_->plugin(); }
  /// Returns the plugin as the manifest of the code that serves describes it. A restart may change
  /// its package version and its version of the kind. Empty in a forked child.
  PluginInfo info() const { return instance_->info(); }
  /// Returns whether the plugin itself implements a method of K, perhaps under an older name.
  /// Returns false if the plugin leaves the method out, or if an adapter or hand-written code of
  /// the program provides it. A restart may change the result.
  bool supports(std::string_view method) const { return instance_->supports(method); }

 private:
  friend class Host;
  friend class Supervisor;
  explicit Handle(detail::InstancePtr instance) noexcept
      : interface_(instance.get()), instance_(std::move(instance)) {}

  K interface_{nullptr};
  detail::InstancePtr instance_;
};

/// Finds, loads and restarts the modules of a program. Thread-safe.
///
/// After fork, the threads and files of the Host belong to the parent process. The child may call
/// methods through inherited handles if the plugins tolerate a fork. It may create a Host of its
/// own unless another thread of the parent was loading or unloading code during the fork, for
/// example in a restart: locks of the system's loader then stay locked in the child. Calls into a
/// module that waits for a restart fail in the child. Every other function of an inherited Host
/// does nothing and returns the error `host-forked`, or an empty list. Destroying an inherited
/// handle or Host runs no code of a plugin, unloads and removes nothing, and does not wait.
class TENON_API Host {
 public:
  /// Searches the plugin directories and reads manifests. Loads nothing. `problems` returns what
  /// cannot be used; finding nothing is not an error. Starts the background threads of the host. If
  /// the system cannot create threads, `problems` has the warning `no-thread`: modules are then not
  /// restarted automatically, and hanging plugins are noticed only by threads that wait for them.
  explicit Host(HostOptions options);
  /// Unloads all modules, except that handles may outlive their host: their modules are unloaded
  /// with the last handle and are no longer restarted when their files change. Code of plugins that
  /// hangs is reported after RestartPolicy::drain_timeout, and abandoned with its thread.
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// Returns the plugins of a kind, one per name, sorted by name: the newest version that the host
  /// accepts and whose requirements are met. Empty in a forked child.
  template <class K>
  std::vector<PluginInfo> plugins() const {
    return plugins(K::kind());
  }
  std::vector<PluginInfo> plugins(const Kind& kind) const;
  /// Returns all registrations, including those of kinds that this program does not know. Empty in
  /// a forked child.
  std::vector<PluginInfo> registered() const;

  /// Returns the problems found, each with its severity. error: a file, package or plugin cannot be
  /// used. warning: something is used or not needed, but should be looked at. note: a package is in
  /// development. In a forked child, only the error `host-forked`.
  std::vector<Error> problems() const;

  /// Returns the plugin that a reference names: `[builtin:|standalone:]name[@version]`.
  ///
  /// Without a prefix, standalone plugins are preferred to builtins. A name without `/` gets the
  /// default domain. The version is that of the package and follows the last `@`, so a name that
  /// contains an `@` needs a version. Without a version, the newest release is used. A full version
  /// (`@1.2.3`) is for references that were stored: if that version is absent, the newest with the
  /// same major and minor number is used, otherwise the newest with the same major number, and a
  /// warning is logged; if it is present, it is returned or refused. A partial version or one with
  /// an operator (`@1.2`, `@^1.2`, `@>=1.2,<3`) is a requirement.
  ///
  /// Versions in the lock of the host are preferred to newer ones. So is the version that a package
  /// in HostOptions::requirements shares with the packages that require it. Other names are free
  /// and do not influence the versions that packages get.
  ///
  /// Errors: bad-reference; not-found (with the names or versions that exist); if a file with that
  /// name cannot be used, its error, eg: broken-manifest; if the package does not get what it
  /// requires, missing-package, no-matching-version, version-conflict or contradictory-requirement,
  /// with the chain of requirements; version-refused, if HostOptions::requirements exclude it;
  /// host-forked.
  template <class K>
  Result<PluginInfo> find(std::string_view reference) const {
    return find(K::kind(), reference);
  }
  Result<PluginInfo> find(const Kind& kind, std::string_view reference) const;
  /// Returns the registrations of any kind that a reference names, including those that this
  /// program cannot use, newest first. Never empty.
  /// Errors: bad-reference, not-found (with the names that exist), host-forked.
  Result<std::vector<PluginInfo>> find_all(std::string_view reference) const;

  /// Creates an instance. Loads the module with its first instance. With `config`, calls the
  /// configure method of the kind and returns its failure.
  /// Errors: those of `find`, of loading, of the plugin's create and configure; host-forked.
  template <class K>
  Result<Handle<K>> create(std::string_view reference) {
    return handle<K>(create(K::kind(), reference, std::nullopt));
  }
  template <class K>
  Result<Handle<K>> create(std::string_view reference, const TextMap& config) {
    return handle<K>(create(K::kind(), reference, config));
  }
  /// Creates an instance of a plugin that was found; the same as with PluginInfo::reference.
  template <class K>
  Result<Handle<K>> create(const PluginInfo& plugin) {
    return create<K>(plugin.reference());
  }
  template <class K>
  Result<Handle<K>> create(const PluginInfo& plugin, const TextMap& config) {
    return create<K>(plugin.reference(), config);
  }

  /// Searches the plugin directories again. New files are added. Deleted files are forgotten unless
  /// their modules are in use. Loaded modules and their manifests do not change until a restart.
  /// Package versions are resolved again; existing instances that plugins have of each other do not
  /// change. A quarantined module is released if its file has changed. A file is read again only if
  /// its device, inode, size or times have changed. Only another rescan waits for a rescan. Does
  /// nothing in a forked child.
  void rescan();

  /// Returns the modules with their state, sorted by package. Empty in a forked child.
  std::vector<ModuleInfo> modules() const;

  /// Begins or ends the counting of calls, which HostOptions::count_calls begins. Calls in progress
  /// are not counted, and no call waits. Does nothing in a forked child.
  void count_calls(bool on);

  /// Returns a figure of the program, which `tenon status` shows if the host has a control socket:
  /// the same one for the same name, unit and part. It may be used after the host has ended. A
  /// figure from a forked child is not shown.
  Figure figure(const FigureInfo& info);
  /// States whether a part of the program works, for `tenon status`: `problem` says why it does
  /// not; empty if it does. Does nothing in a forked child.
  void set_health(std::string_view part, std::string_view problem);

  /// Returns all versions of all packages found, sorted by name, the preferred version first, with
  /// their requirements and what meets them. Empty in a forked child.
  std::vector<PackageInfo> packages() const;
  /// Returns the packages that the host would use for references to plugins or packages, with
  /// everything that they require. Loads nothing. In a forked child, only the error `host-forked`.
  ResolvedPackages resolve(const std::vector<std::string>& references) const;
  /// Writes a lock file of the packages in use. A host created with that file uses the same
  /// versions. The file is written completely or not at all. It replaces an existing one, but not
  /// the lock file of another app, nor one that lists modules if this one would list none.
  /// Errors: not-lockable, if such a package is in use; lock-kept; those of the resolver for the
  /// requirements of the host; not-found, cannot-read, cannot-write, host-forked.
  Result<void> write_lock(const std::filesystem::path& file) const;
  /// Compares the file of a package, and the libraries next to it, with the lock file of the host,
  /// as every load does. Reads the files and loads nothing. Succeeds if the host has no lock file,
  /// or if it does not list the package. Errors: lock-differs, with both hashes; cannot-read,
  /// not-found, host-forked, and those of a file that is not a module.
  Result<void> check_lock(const PackageInfo& package) const;

  /// Replaces the code of a module by what its file contains now. Either all instances move to the
  /// new generation, with their configuration replayed, or none does and the old generation serves
  /// again. The instances of a builtin are created again. A quarantined module is released.
  ///
  /// Calls continue during a restart. If the kind has independent calls, they run in the old
  /// generation until the new one serves. Calls wait if the module has a session or saves state;
  /// see RestartPolicy. From inside a call of the module itself, returns
  /// RestartOutcome::scheduled.
  ///
  /// `package`: its name, or `name@version` for one of its versions. Without a version, all loaded
  /// versions are restarted together: all of them or none. From inside a call of one, the restarts
  /// of all are scheduled, and do not depend on each other.
  ///
  /// Errors: not-found; those of loading; not-reloadable, if the old code cannot be unloaded (see
  /// RestartOptions::force); restart-refused, if the file contains another package or a version
  /// that a user of the module does not accept; lock-differs; those of `find`, if the requirements
  /// of the new code are not met; those of create and configure; state-refused, if no version of
  /// the private state is known to both builds; restart-failed, if calls did not end in time;
  /// module-busy; host-forked.
  Result<RestartOutcome> restart(std::string_view package, const RestartOptions& options = {});
  /// Restarts one version of a package.
  Result<RestartOutcome> restart(const PackageInfo& package, const RestartOptions& options = {}) {
    return restart(package.name + "@" + package.version, options);
  }

  /// The packages that restart_changed restarted, those whose restart was only scheduled (see
  /// RestartOutcome), and the errors of those that it could not restart.
  struct ChangedRestarts {
    std::vector<std::string> restarted;
    std::vector<std::string> scheduled;
    std::vector<Error> failed;
  };
  /// Restarts each loaded module whose file has changed since it was loaded. In a forked child, the
  /// only error is `host-forked`.
  ChangedRestarts restart_changed();

 private:
  friend class Supervisor;

  Result<detail::InstancePtr> create(const Kind& kind, std::string_view reference,
                                     const std::optional<TextMap>& config);
  template <class K>
  static Result<Handle<K>> handle(Result<detail::InstancePtr> instance) {
    if (!instance) return std::move(instance).error();
    return Handle<K>(std::move(*instance));
  }

  std::shared_ptr<detail::HostCore> core_;
};

}}  // namespace tenon::v0_1
