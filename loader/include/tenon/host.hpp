// SPDX-License-Identifier: BSL-1.0
//
// tenon/host.hpp: the face of the loader. A program makes one Host, asks it which plugins there
// are, and creates instances of them:
//
//   tenon::Host host({.app = "photo"});
//   auto blur = host.create<photo::Filter>("me.example/blur", {{"radius", "3"}}).value();
//   if (auto r = blur->apply(pixels, w, h, .5f); !r) log(r.error().to_string());
#pragma once

#include <tenon/abi.h>
#include <tenon/events.hpp>
#include <tenon/export.hpp>
#include <tenon/fit.hpp>
#include <tenon/gen/instance.hpp>
#include <tenon/gen/kind.hpp>
#include <tenon/limits.hpp>
#include <tenon/log.hpp>
#include <tenon/packages.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon {

namespace detail {
class HostCore;
class PluginInfos;
struct PluginDescription;
struct InstanceDeleter {
  TENON_API void operator()(Instance* instance) const noexcept;
};
using InstancePtr = std::unique_ptr<Instance, InstanceDeleter>;
}  // namespace detail

/// How long a restart may take and keep others waiting, and how often a module may fail.
struct RestartOptions {
  /// How long calls wait at most while a module that has a session or saves its state hands over to
  /// the new generation. After that the old generation serves again and the restart has failed. A
  /// function of the plugin that ignores this deadline holds the calls for 250 ms more.
  std::chrono::milliseconds gate{5000};
  /// How long a restart waits for calls in the old generation when the new one serves already.
  /// Streams of the old one are revoked then (tenon/stream.hpp); calls that are still inside are
  /// reported, and the generation is unloaded when they end. Destroying a handle waits as long for
  /// calls in streams of its instance, and destroying the host for everything that is under way.
  std::chrono::milliseconds drain{10'000};
  /// How long one function of a plugin (create, configure, destroy, start, stop and those around
  /// state), or loading its code, may take in a restart or an unload. After that the restart has
  /// failed and the old generation serves again; the thread that hangs is left behind together with
  /// the code that it is in, and an event names the function.
  std::chrono::milliseconds step{30'000};
  FailureLimits limits = {};
};

/// How one restart is to be done.
struct RestartHow {
  /// The instances begin without the private state that the old ones could save.
  bool discard_state = false;
  /// Also where the old code cannot be unloaded and stays mapped.
  bool insist = false;
};

/// What a restart that was asked for has come to.
enum class Restarted {
  now,         // the new generation serves
  soon,        // it was asked for from inside one of the module's own calls, and begins when it can
  not_loaded,  // nothing to do: the next create loads what the file holds then
};

/// What a host is made with. The name of the app alone is enough.
struct HostOptions {
  /// Names the folders and the environment: app "photo" looks for modules in `plugin_path`, then in
  /// the folders of $PHOTO_PLUGIN_PATH (ignored when the process has privileges of another user),
  /// ~/.local/lib/photo/plugins, /usr/local/lib/photo/plugins and /usr/lib/photo/plugins.
  std::string app;
  /// Folders or module files to look at before all others.
  std::vector<std::filesystem::path> plugin_path = {};
  /// Modules linked into the program.
  std::vector<const tenon_module*> builtins = {};
  /// Which versions of a package the host takes, eg: {"me.example/blur", "^1.2"}; of packages that
  /// are not here it takes any. Written as in the manifest of a module.
  TextMap requirements = {};
  /// A lock file, as `tenon lock` writes it: the versions of packages to keep to, and the content
  /// of their files. What it names comes before what is newer, and a file that holds anything else
  /// is refused when it would be loaded; packages that it does not name are used as without it.
  /// Empty: none. Read once; when it cannot be, `skipped` says why, and no module is loaded.
  std::filesystem::path lock_file = {};
  /// The domain put before names without a `/`; empty: the domain of the kind.
  std::string default_domain = {};
  /// Whether a module is restarted by itself when another file is put in the place of its own, or
  /// its own is overwritten. What is half written waits for its end.
  bool watch = false;
  /// Whether a call comes back with an error when the plugin crashes in it, on whichever thread:
  /// SIGSEGV, SIGBUS, SIGFPE, SIGILL, a stack that is used up, its own abort. The module is
  /// restarted then. The code that crashed is kept as it is: locks that it held stay locked, what
  /// it allocated is lost.
  ///
  /// Contained is only a crash of the plugin's own functions, or of a function of the C library
  /// that they call and that calls no other (strlen, memcpy). A crash in the allocator, in the
  /// system's loader, in stdio, in the host that the plugin called back, in a function of the
  /// plugin that somebody else calls back (qsort), or in a builtin ends the process as ever, with a
  /// line on standard error that names the plugin. Handlers of these signals that the program had
  /// before are called for all that is not contained. On threads of the plugin's own nothing is. A
  /// function with more than a page of local variables may write past the guard page of its stack
  /// before it faults, unless the plugin is compiled with -fstack-clash-protection.
  ///
  /// The call fails with the code `crashed` and, where it was a call of a method or a stream, with
  /// the flag `restarted`. It is not retryable: the same input may crash the plugin again.
  ///
  /// Threads whose alternate signal stack is smaller than 32 kB when they first call a plugin get
  /// a larger one until they end; a smaller one that they are given later contains nothing.
  ///
  /// Where nothing can be contained `skipped` has a warning about it: containment-unavailable.
  bool contain_crashes = false;
  /// The folder for the private copies of loaded modules; empty: $TMPDIR. Without that variable
  /// modules of up to 1 MiB, with the libraries beside them, are copied to /dev/shm, if it is in
  /// memory, allows execution and is at most half full, and all others to /tmp. The folder must
  /// exist, lie on a local disk, and have room for the modules. The copies lie in a folder
  /// `tenon-XXXXXX` in it, which is made when the first module is loaded and removed at the end.
  /// One that a killed host of the same user left is removed by the next host that makes its own
  /// there, at most 100 of them each time. Where no code may be executed from the folder (noexec),
  /// modules are loaded from memory.
  std::filesystem::path image_folder = {};
  /// Whether a module is loaded from its own file where it needs no copy: for debuggers, profilers
  /// and whatever else looks for the file by its path. A copy is made all the same where the system
  /// would give out the wrong code: of a file whose image is loaded already, as while a restart
  /// replaces it, or under another host; of a module with libraries beside it, or with unique
  /// symbols (`tenon inspect`: patched); and of all modules where `lock_file` names one. A file
  /// must be replaced by renaming another one onto it: whoever overwrites a file that is mapped
  /// crashes the process.
  bool map_original = false;
  /// Checks each call of a method by the specification of its kind; for tests of plugins and hosts.
  ///
  /// Requests and responses: `struct_size` must cover every field that the version of the kind was
  /// released with. Texts must be valid UTF-8, `json` and bags JSON of at most 256 levels; elements
  /// of lists must not overlap, and maps need one value for each key and each key once. What a
  /// response points to must lie in the arena of the call, in the request, or in a loaded image. A
  /// message names the field. A wrong request fails with the code `invalid-argument`, and the
  /// plugin is not called; a wrong response fails with the code `internal`, and streams in it are
  /// not released.
  ///
  /// Threads: at most one call of a method with the threading `serial` is under way in an instance,
  /// and `main` is the main thread of the process. States, of kinds with `"restart": "session"`: a
  /// method is called in the states that its `from` names. A call at the wrong time or on the wrong
  /// thread fails with the code `failed-precondition`, and the plugin is not called.
  ///
  /// Takes time in proportion to the request and the response.
  bool check_calls = false;
  /// Whether calls are counted: see ModuleInfo::methods.
  bool count_calls = false;
  /// How restarts treat those who wait for them, and modules that keep failing.
  RestartOptions restart = {};
  /// Called with what happens to modules, on the thread on which it happens: often one in the
  /// background of the host, sometimes one that is inside a call. It may call any function of the
  /// host, and destroy it; it must not wait for a thread that is in a function of the host. Not
  /// called any more once the destructor of the host has returned.
  std::function<void(const Event&)> on_event = {};
  /// The least level of the lines that are logged, by the host and by its plugins. For app "photo"
  /// $PHOTO_LOG takes its place if it is set to trace, debug, info, warn, error or off (ignored
  /// when the process has privileges of another user); for another value `skipped` has the warning
  /// bad-log-level.
  LogLevel log_level = LogLevel::warn;
  /// Called with each line of the log; empty: lines go to standard error.
  ///
  /// Called on the thread that logs, whichever that is: inside calls of the program, on threads of
  /// plugins, in the background of the host; on several at the same time. The host holds no lock
  /// meanwhile. The sink may call functions of the host and of plugins; it must not destroy the
  /// host, nor wait for a thread that is in a function of the host or of a plugin.
  ///
  /// Standard error gets the lines that the sink does not: those that are logged inside of it on
  /// the same thread, those at which it throws (and what it threw), those of a forked child, and
  /// those of plugins that outlive the host. It is not called any more once the destructor of the
  /// host has returned, which waits for it for RestartOptions::drain at most.
  std::function<void(const LogLine&)> log_sink = {};
};

/// One plugin as its manifest describes it. Nothing of it has been loaded. Copies share what is
/// known, which never changes; the texts are valid as long as one of them is there.
class TENON_API PluginInfo {
 public:
  /// eg: "me.example/blur"
  const std::string& name() const noexcept;
  const std::string& kind() const noexcept;
  /// Of the kind.
  std::int32_t version() const noexcept;
  /// Of the spec that the plugin was compiled from.
  std::uint64_t fingerprint() const noexcept;
  /// Whether this program can use the plugin, and as what.
  const Fit& fit() const noexcept;
  const std::string& package() const noexcept;
  const std::string& package_version() const noexcept;
  /// Of the package, for people; empty where the manifest has none.
  const std::string& summary() const noexcept;
  /// Where the module lies; empty for a builtin.
  const std::filesystem::path& file() const noexcept;
  bool builtin() const noexcept { return file().empty(); }
  /// Whether the plugin's version of the kind has a method of the latest interface, under the same
  /// name or an older one. False for a method that an adapter or hand-written code of the program
  /// makes, and for a plugin that this program cannot use. An optional method may still be left
  /// out: only the loaded code shows that, see Handle::supports.
  bool offers(std::string_view method) const;
  /// A property that the kind defines and the manifest gives: a text, or the JSON of an object;
  /// empty where it gives none.
  std::string property(std::string_view name) const;
  /// All that the manifest gives.
  const TextMap& properties() const noexcept;

 private:
  friend class detail::PluginInfos;
  std::shared_ptr<const detail::PluginDescription> plugin_;
};

/// How often something was called since the host began.
struct CallCounts {
  std::uint64_t calls = 0;
  /// Those that ended with another status than TENON_OK, or did not come back.
  std::uint64_t failures = 0;
  /// Those that have not ended.
  std::uint64_t in_flight = 0;
};

/// The same of one method of a plugin's version of its kind.
struct MethodCalls : CallCounts {
  std::string plugin;
  std::string method;
};

/// One module that the host knows.
struct ModuleInfo {
  std::string package;
  std::string package_version;
  /// Empty for a builtin.
  std::filesystem::path file;
  /// Whether an image of it is loaded now, and the how manieth since the host began.
  bool loaded = false;
  std::uint64_t generation = 0;
  std::size_t instances = 0;
  /// Generations that do not serve any more but that calls have not left yet.
  std::size_t draining = 0;
  /// Generations of before whose code could not be unloaded when they ended.
  std::size_t stayed = 0;
  /// Whether it failed too often and is not used until it is restarted by hand or its file changes.
  bool quarantined = false;
  /// The methods that were called, by plugin and name; empty unless HostOptions::count_calls.
  std::vector<MethodCalls> methods = {};
  /// Their sum.
  CallCounts calls = {};
};

/// An instance of a plugin, used like a pointer to the latest interface K of its kind. Stays valid
/// when the module is restarted, and keeps the host's modules alive. Ends the instance when it
/// ends.
///
/// The methods of K may be called from any thread where the kind's spec says so; the Handle itself
/// belongs to one thread at a time and must outlive the calls made through it.
template <class K>
class Handle {
 public:
  Handle(Handle&&) noexcept = default;
  Handle& operator=(Handle&&) noexcept = default;

  K* operator->() noexcept { return &face_; }
  K& operator*() noexcept { return face_; }

  /// The registered name of the plugin.
  std::string_view name() const noexcept { return instance_->plugin(); }
  /// Whether the plugin itself implements a method of K, perhaps under an older name. False where
  /// the plugin left the method out, and where an adapter or hand-written code of the program takes
  /// its place, as for versions of the kind that do not have it. A restart may change it.
  bool supports(std::string_view method) const { return instance_->supports(method); }

 private:
  friend class Host;
  explicit Handle(detail::InstancePtr instance) noexcept
      : face_(*instance), instance_(std::move(instance)) {}

  K face_;
  detail::InstancePtr instance_;
};

/// Finds, loads and restarts the modules of a program. Thread-safe.
///
/// In a child that the program made by `fork` the threads and the files of the Host still belong to
/// the parent. The child may call methods through the handles that it inherited, as far as the
/// plugins themselves tolerate a fork, and it may make a Host of its own. It restarts nothing: a
/// call into a module that waits for a restart fails. Every other function of an inherited Host
/// does nothing: it returns the error `host-forked`, or where it returns a list, an empty one.
/// Destroying an inherited handle or Host does nothing either: no code of a plugin runs, nothing is
/// unloaded or removed, and nothing is waited for.
class TENON_API Host {
 public:
  /// Looks through the folders; reads manifests, loads nothing. `skipped` reports what cannot be
  /// used; nothing found is no error. Starts the threads in the background; where the system has
  /// none left, `skipped` has the warning `no-thread`: modules are then not restarted by
  /// themselves, and what hangs is only noticed by threads that wait for it.
  explicit Host(HostOptions options);
  /// Handles may outlive their host: their modules are unloaded with the last of them, and are no
  /// longer restarted when their files change. Otherwise everything is unloaded when the destructor
  /// returns, except what hangs in the code of a plugin: after RestartOptions::drain that is
  /// reported and left behind, with its thread and its code.
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// The plugins of a kind, one per name: the newest that the host takes and whose package gets
  /// what it requires. Sorted by name. Empty in a forked child.
  template <class K>
  std::vector<PluginInfo> plugins() const {
    return plugins(K::kind());
  }
  std::vector<PluginInfo> plugins(const Kind& kind) const;
  /// All registrations of all kinds, also those of kinds that this program does not know. Empty in
  /// a forked child.
  std::vector<PluginInfo> registered() const;

  /// Findings about what is there, each with its grade: files, packages and plugins that cannot be
  /// used, with the rule that skipped them (error); what is used all the same, or nobody needs, and
  /// should be looked at (warning); packages that are being worked on (note). In a forked child the
  /// error `host-forked` alone.
  std::vector<Error> skipped() const;

  /// The plugin that a reference names: `[builtin:|standalone:]name[@version]`. Without a prefix a
  /// drop-in comes before a builtin. A name without `/` gets the default domain. `@version`, after
  /// the last `@`, is of the package; without it the newest release. A name with an `@` of its own
  /// needs a version. A whole version, `@1.2.3`, is meant for what was
  /// stored with it: where it is absent, the newest with the same major and minor number takes its
  /// place, else the newest with the same major number, and the log says so; where it is there, it
  /// is returned or refused. With an operator or a part of a version, `@^1.2`, `@>=1.2,<3`, `@1.2`,
  /// it is a requirement. The versions in the lock of the host come before newer ones, and so does
  /// the version that a package in HostOptions::requirements shares with the packages that require
  /// it; all other names are free, and have no say in what packages get.
  /// Errors: bad-reference; not-found (with the names, or the versions, that there are); where a
  /// file has that name and cannot be used, its error, eg: broken-manifest; of a package that would
  /// do but does not get what it requires, missing-package, no-matching-version, version-conflict
  /// or contradictory-requirement, with the chain of those who require; version-refused, where
  /// HostOptions::requirements leave it out; host-forked.
  template <class K>
  Result<PluginInfo> find(std::string_view reference) const {
    return find(K::kind(), reference);
  }
  Result<PluginInfo> find(const Kind& kind, std::string_view reference) const;
  /// The registrations of whatever kind that a reference names, also those that this program
  /// cannot use; the newest first. Never empty.
  /// Errors: bad-reference, not-found (with the names that there are), host-forked.
  Result<std::vector<PluginInfo>> find_all(std::string_view reference) const;

  /// A new instance; loads the module when it is the first. With a config the method that the kind
  /// configures by is called with it, and its failure is the answer.
  /// Errors: those of `find`, of loading (each a stable code), of the plugin's create and
  /// configure; host-forked.
  template <class K>
  Result<Handle<K>> create(std::string_view reference) {
    return handle<K>(create(K::kind(), reference, std::nullopt));
  }
  template <class K>
  Result<Handle<K>> create(std::string_view reference, const TextMap& config) {
    return handle<K>(create(K::kind(), reference, config));
  }

  /// Looks through the folders again. New files are added; files that are gone are forgotten unless
  /// their modules are in use. Loaded modules stay as they are and keep their manifests until they
  /// are restarted. The host decides again which version of which package each package gets;
  /// instances that plugins have of others stay as they are. A module that failed too often is
  /// released if its file is another one. A file is read again only if its device, inode, size or
  /// times are others than before. No other function of the host waits for a rescan, except another
  /// rescan. Does nothing in a forked child.
  void rescan();

  /// The modules with their state, in the order of their packages. Empty in a forked child.
  std::vector<ModuleInfo> modules() const;

  /// All versions of the packages that were found, by name, the preferred one first; what each
  /// requires and gets. Empty in a forked child.
  std::vector<PackageInfo> packages() const;
  /// What the host would take for references to plugins or packages, and all that this requires, as
  /// things are now. Loads nothing. In a forked child the error `host-forked` is the only one.
  Resolved resolve(const std::vector<std::string>& references) const;
  /// Writes a lock of the packages that are used, so that a host that is made with it gets the same
  /// ones again. It is written as a whole or not at all.
  /// Errors: not-lockable, when such a package is used; those of the resolver, for what the host
  /// itself requires; not-found, cannot-read, cannot-write, host-forked.
  Result<void> write_lock(const std::filesystem::path& file) const;

  /// Replaces the code of a module by what its file holds now. Either all of its instances move to
  /// the new generation, with their configuration replayed, or none does and the old one goes on.
  /// A builtin gets its instances made anew. A module in quarantine is released.
  ///
  /// Calls go on meanwhile: of kinds with independent calls in the old generation, until the new
  /// one serves; of modules with a session or with state to hand over they wait, see
  /// RestartOptions. Called from inside one of the module's own calls it answers `Restarted::soon`.
  ///
  /// Errors: not-found; those of loading; `not-reloadable` when the old code cannot be unloaded,
  /// see RestartHow; `restart-refused` when the file holds another package, or a version that one
  /// of its users does not take; `lock-differs`; those of `find`, where the new code does not get
  /// what it requires; those of create and configure; `state-refused` when no version of the
  /// private state is known to both builds; `restart-failed` when calls did not end in time;
  /// `module-busy`; `host-forked`.
  Result<Restarted> restart(std::string_view package, const RestartHow& how = {});

  /// The same for each loaded module whose file is another one than was loaded. Answers the
  /// packages that were restarted and the errors of those that were not; `host-forked` in a forked
  /// child.
  struct Restarts {
    std::vector<std::string> done;
    std::vector<Error> failed;
  };
  Restarts restart_changed();

 private:
  Result<detail::InstancePtr> create(const Kind& kind, std::string_view reference,
                                     const std::optional<TextMap>& config);
  template <class K>
  static Result<Handle<K>> handle(Result<detail::InstancePtr> instance) {
    if (!instance) return std::move(instance).error();
    return Handle<K>(std::move(*instance));
  }

  std::shared_ptr<detail::HostCore> core_;
};

}  // namespace tenon
