// SPDX-License-Identifier: BSL-1.0
#include "host/host_core.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "catalog/description.hpp"
#include "catalog/kinds.hpp"
#include "catalog/locked_content.hpp"
#include "catalog/reference.hpp"
#include "catalog/scan.hpp"
#include "catalog/search_path.hpp"
#include "module/forked.hpp"
#include "package/lock.hpp"
#include "platform/process.hpp"

namespace tenon::inline v0_1::detail {
namespace {

/// Returns the log level of the environment, or else of the program.
Result<LogLevel> log_level(const HostOptions& options) {
  constexpr std::string_view names[] = {"trace", "debug", "info", "warn", "error", "off"};
  if (options.app.empty()) return options.log_level;
  const std::string variable = variable_of(options.app, "LOG");
  const std::string wanted = platform::trusted_environment(variable);
  if (wanted.empty()) return options.log_level;
  const auto* name = std::find(std::begin(names), std::end(names), wanted);
  if (name != std::end(names)) return static_cast<LogLevel>(name - names);
  return Error({.code = "bad-log-level",
                .where = "$" + variable,
                .found = wanted,
                .needed = "trace, debug, info, warn, error or off",
                .fix = "set one of these, or unset the variable; it is ignored now"});
}

}  // namespace

HostCore::HostCore(HostOptions options) : options_(std::move(options)), context_(make_context()) {}

std::shared_ptr<HostCore> HostCore::make(HostOptions options) {
  std::shared_ptr<HostCore> core(new HostCore(std::move(options)));
  core->start();
  return core;
}

void HostCore::start() {
  context_.directory = weak_from_this();
  if (auto started = context_.timers->start(); !started) {
    broken_.push_back(started.error().graded(ErrorGrade::warning));
  }
  if (context_.contain_crashes) crash_handlers_.emplace();
  if (options_.contain_crashes && !context_.contain_crashes) {
    broken_.push_back(
        Error({.code = "containment-unavailable",
               .where = "HostOptions::contain_crashes",
               .found = "a system on which crashes cannot be contained",
               .needed = "Linux with glibc on x86-64, or on aarch64 with gcc; no ThreadSanitizer",
               .fix = "do not set the option; crashes then end the process",
               .grade = ErrorGrade::warning}));
  }
  read_requirements();
  read_lock();
  check_log_level();
  catalog_->begin({.host = options_.app.empty() ? "the host" : options_.app,
                   .requirements = requirements_,
                   .lock = lock_,
                   .lock_file = options_.lock_file},
                  make_builtins());
  if (options_.watch) {
    auto watcher = FileWatcher::start([weak = weak_from_this()](const auto& file) {
      if (const auto core = weak.lock()) core->file_changed(file);
    });
    if (watcher) {
      watcher_ = std::move(*watcher);
    } else {
      broken_.push_back(watcher.error().graded(ErrorGrade::warning));
    }
  }
  rescan();
}

std::vector<ListedModule> HostCore::make_builtins() {
  std::vector<ListedModule> builtins;
  for (const tenon_module* builtin : options_.builtins) {
    const std::string_view text(builtin->manifest, builtin->manifest_size);
    auto manifest = parse_manifest(text, "builtin");
    if (!manifest) {
      broken_.push_back(std::move(manifest).error());
      continue;
    }
    auto kept = std::make_shared<const Manifest>(std::move(*manifest));
    auto module = std::make_shared<Module>(ModuleOrigin{{}, builtin}, kept, context_);
    builtins.push_back({std::move(module), std::move(kept)});
  }
  return builtins;
}

void HostCore::read_requirements() {
  for (const auto& [name, text] : options_.requirements) {
    auto versions = Requirement::parse(text);
    if (versions) {
      requirements_.emplace(name, std::move(*versions));
    } else {
      broken_.push_back(Error({.code = "bad-requirement",
                               .where = "HostOptions::requirements: " + name,
                               .found = std::string(versions.error().found()),
                               .needed = std::string(versions.error().needed()),
                               .fix = std::string(versions.error().fix())}));
    }
  }
}

void HostCore::read_lock() {
  if (options_.lock_file.empty()) return;
  auto read = read_lock_file(options_.lock_file);
  if (read) {
    lock_ = std::move(*read);
  } else {
    broken_.push_back(read.error());
    broken_lock_ = std::move(read).error();
  }
}

/// Reports an invalid level in the log, for the user, and in `skipped`, for the program.
void HostCore::check_log_level() {
  const auto level = log_level(options_);
  if (level) return;
  const Error wrong = level.error().graded(ErrorGrade::warning);
  context_.log->write(LogLevel::warn, in_one_line(wrong));
  broken_.push_back(wrong);
}

HostCore::~HostCore() {
  stop_watching();
  context_.timers->stop();
  const auto deadline = std::chrono::steady_clock::now() + shutdown_timeout();
  const auto modules = module_list();
  for (const auto& module : modules) module->begin_shut_down();
  for (const auto& module : modules) module->shut_down(deadline);
  if (context_.workers->stop(deadline) != 0) {
    context_.log->write(LogLevel::warn, "a thread hangs in the code of a plugin and is abandoned");
  }
}

void HostCore::stop_watching() noexcept {
  std::unique_ptr<FileWatcher> ended;  // destroyed without the lock, since it waits for a callback
  {
    const std::lock_guard lock(scanning_);
    ended = std::move(watcher_);
  }
}

ModuleContext HostCore::make_context() const {
  auto images = std::make_shared<ImageFolder>(
      ImageOptions{.parent = options_.image_folder,
                   .map_original = options_.map_original && options_.lock_file.empty()});
  auto timers = std::make_shared<TimerQueue>();
  auto workers = std::make_shared<Workers>();
  auto reaper = std::make_shared<ImageReaper>(images, timers, workers);
  const auto level = log_level(options_);
  auto log = std::make_shared<Log>(level ? *level : options_.log_level, options_.log_sink);
  return {.directory = {},
          .restart = options_.restart,
          .images = std::move(images),
          .reaper = std::move(reaper),
          .timers = std::move(timers),
          .workers = std::move(workers),
          .log = log,
          .events = std::make_shared<Events>(log, options_.on_event),
          .contain_crashes = options_.contain_crashes && platform::can_contain(),
          .check_calls = options_.check_calls,
          .count_calls = options_.count_calls};
}

void HostCore::rescan() {
  const std::lock_guard lock(scanning_);
  Scan found = scan(search_paths(options_.app, options_.plugin_path), known_files_,
                    std::chrono::system_clock::now());
  watch_all(found);
  catalog_->list(
      std::move(found.modules), std::move(found.skipped),
      [this](ModuleOrigin origin, std::shared_ptr<const Manifest> manifest) {
        return std::make_shared<Module>(std::move(origin), std::move(manifest), context_);
      },
      std::move(found.broken));
}

void HostCore::watch_all(Scan& found) {
  if (watcher_ == nullptr) return;
  for (const FoundModule& module : found.modules) {
    if (auto added = watcher_->add(module.file); !added) {
      found.skipped.push_back(added.error().graded(ErrorGrade::warning));
    }
  }
}

void HostCore::file_changed(const std::filesystem::path& file) {
  const auto module = catalog_->current()->module_of(file);
  if (module != nullptr && module->changed()) module->restart_soon(RestartReason::file_changed);
}

PluginInfo HostCore::describe(const Registration& registration) {
  const ModuleDescriptionPtr& module = registration.description;
  // A library with kinds may have been loaded since.
  const bool is_recent = module->kinds == kinds_revision();
  return PluginInfos::of(
      is_recent ? module : tenon::detail::describe(module->manifest, module->file),
      registration.index);
}

std::vector<PluginInfo> HostCore::plugins(const Kind& kind) const {
  const auto catalog = catalog_->current();
  std::vector<PluginInfo> result;
  for (const Registration* one : catalog->registry().newest(kind, kind.latest().version)) {
    result.push_back(describe(*one));
  }
  return result;
}

std::vector<PluginInfo> HostCore::registered() const {
  const auto catalog = catalog_->current();
  std::vector<PluginInfo> result;
  for (const Registration* one : catalog->registry().all()) result.push_back(describe(*one));
  return result;
}

std::vector<Error> HostCore::skipped() const {
  std::vector<Error> all = broken_;
  std::vector<Error> of_catalog = catalog_->current()->skipped();
  std::move(of_catalog.begin(), of_catalog.end(), std::back_inserter(all));
  return all;
}

/// Returns the error of an unusable file that has the name in a reference, or nullptr. Without a
/// default domain, a short name matches names of all domains.
const Error* HostCore::broken(const Catalog& catalog, std::string_view reference) const {
  const bool short_name =
      options_.default_domain.empty() && reference.find('/') == std::string_view::npos;
  const auto wanted =
      Reference::parse(reference, short_name ? "any.domain" : options_.default_domain);
  if (!wanted) return nullptr;
  const std::string_view name = wanted->name;
  return catalog.bindings().broken(short_name ? name.substr(name.find('/') + 1) : name);
}

/// Returns the domain for names without one.
std::string_view HostCore::domain_for(const Kind& kind) const noexcept {
  return options_.default_domain.empty() ? kind.id.substr(0, kind.id.find('/'))
                                         : std::string_view(options_.default_domain);
}

/// Finds the plugin of a reference that is only a name, which is the most common form. Returns
/// nullptr for others: see look_up.
const Registration* HostCore::find_plain(const Catalog& catalog, const Kind& kind,
                                         std::int32_t target,
                                         std::string_view reference) const noexcept {
  // Names have no ':' before the '/', so a reference with a prefix is not found.
  if (reference.find('/') != std::string_view::npos) {
    return catalog.registry().find_plain(kind, target, reference);
  }
  if (reference.find(':') != std::string_view::npos) return nullptr;  // it has a prefix
  const std::string_view domain = domain_for(kind);
  std::array<char, 512> whole;
  if (domain.size() + 1 + reference.size() > whole.size()) return nullptr;
  char* end = std::ranges::copy(domain, whole.data()).out;
  *end++ = '/';
  end = std::ranges::copy(reference, end).out;
  return catalog.registry().find_plain(kind, target, {whole.data(), end});
}

/// Returns a pointer that is valid as long as the catalog.
Result<const Registration*> HostCore::look_up(const Catalog& catalog, const Kind& kind,
                                              std::int32_t target, std::string_view reference,
                                              const Package* requester) const {
  if (requester == nullptr) {
    if (const auto* plain = find_plain(catalog, kind, target, reference)) return plain;
  }
  auto parsed = Reference::parse(reference, domain_for(kind));
  if (!parsed) return std::move(parsed).error();
  auto found = catalog.registry().find(kind, target, *parsed, requester);
  if (!found && found.error().code() == "not-found") {
    if (const Error* file = catalog.bindings().broken(parsed->name)) return *file;
  }
  if (found && *parsed->match_rank((*found)->package_version()) > 0) {
    context_.log->write(LogLevel::warn,
                        parsed->name + " " + parsed->version->to_string() + " is not available; " +
                            (*found)->package_version().to_string() + " is used instead");
  }
  return found;
}

Result<PluginInfo> HostCore::find(const Kind& kind, std::string_view reference) const {
  const auto catalog = catalog_->current();
  auto found = look_up(*catalog, kind, kind.latest().version, reference, nullptr);
  if (!found) return std::move(found).error();
  return describe(**found);
}

Result<std::vector<PluginInfo>> HostCore::find_all(std::string_view reference) const {
  const auto catalog = catalog_->current();
  auto found = catalog->registry().find_all(reference, options_.default_domain);
  if (!found && found.error().code() == "not-found") {
    if (const Error* file = broken(*catalog, reference)) return *file;
  }
  if (!found) return std::move(found).error();
  std::vector<PluginInfo> result;
  for (const Registration* one : *found) result.push_back(describe(*one));
  return result;
}

Result<InstancePtr> HostCore::create(const Kind& kind, std::string_view reference,
                                     const std::optional<TextMap>& config) const {
  const std::int32_t target = kind.latest().version;
  const auto catalog = catalog_->current();
  auto found = look_up(*catalog, kind, target, reference, nullptr);
  if (!found) return std::move(found).error();
  const Registration& chosen = **found;
  return chosen.module->create(kind, target, chosen.name(), config, Owner::program);
}

Result<ChosenPlugin> HostCore::choose_for(const Package& requester, const Kind& kind,
                                          std::int32_t version, std::string_view reference) {
  if (inherited()) return forked_error(std::string(reference));
  const auto catalog = catalog_->current();
  auto found = look_up(*catalog, kind, version, reference, &requester);
  if (!found) return std::move(found).error();
  return ChosenPlugin{(*found)->module, (*found)->name()};
}

std::vector<std::string> HostCore::names_for(const Package& requester, const Kind& kind,
                                             std::int32_t version) {
  if (inherited()) return {};
  const auto catalog = catalog_->current();
  std::vector<std::string> names;
  for (const Registration* one : catalog->registry().newest(kind, version, &requester)) {
    names.push_back(one->name());
  }
  return names;
}

Result<void> HostCore::check_loadable(const Manifest& before, const Manifest& fresh,
                                      const Bundle& bundle) {
  if (broken_lock_) return *broken_lock_;
  const std::filesystem::path& file = bundle[0].path;
  auto other_content =
      content_mismatch(lock_, options_.lock_file, fresh.name, fresh.version, bundle);
  if (other_content) return std::move(*other_content);
  const bool same =
      total_order(before.version, fresh.version) == 0 && before.requirements == fresh.requirements;
  if (same) return {};  // it was checked when it was found
  const auto catalog = catalog_->current();
  std::vector<Package> users;
  for (const auto& module : catalog->modules()) {
    if (module->origin().file != file && module->in_use()) {
      users.push_back(package_of(*module->manifest()));
    }
  }
  auto refused = catalog->bindings().restart_refusal(package_of(before), package_of(fresh), users,
                                                     file.string());
  if (refused) return std::move(*refused);
  return {};
}

std::vector<std::shared_ptr<Module>> HostCore::module_list() const {
  return catalog_->current()->modules();
}

std::vector<ModuleInfo> HostCore::modules() const {
  std::vector<ModuleInfo> result;
  for (const auto& module : module_list()) result.push_back(module->info());
  std::sort(result.begin(), result.end(),
            [](const auto& a, const auto& b) { return a.package < b.package; });
  return result;
}

std::vector<PackageInfo> HostCore::packages() const {
  const auto catalog = catalog_->current();
  return PackageDescriptions(catalog->bindings(), catalog->files()).all();
}

/// Returns the package of the plugin that a reference names, or, if no plugin has that name, the
/// package of that name.
Result<NamedPackage> HostCore::named_package(const Catalog& catalog,
                                             const PackageDescriptions& packages,
                                             const std::string& reference) const {
  const Bindings& bindings = catalog.bindings();
  auto plugins = catalog.registry().find_all(reference, options_.default_domain);
  if (plugins) {
    const Registration* first = plugins->front();
    const auto taken = std::find_if(plugins->begin(), plugins->end(),
                                    [](const Registration* one) { return !one->refused; });
    if (taken == plugins->end()) return *first->refused;
    auto wanted =
        Reference::parse(reference, (*taken)->name().substr(0, (*taken)->name().find('/')));
    return NamedPackage{
        reference, std::move(*wanted),
        bindings.repository().find((*taken)->package(), (*taken)->package_version())};
  }
  if (plugins.error().code() != "not-found") return std::move(plugins).error();
  auto wanted = Reference::parse(reference, options_.default_domain);
  const PackageId best = wanted ? packages.find(*wanted) : none;
  if (best == none) {
    if (const Error* file = broken(catalog, reference)) return *file;
  }
  if (best == none && wanted && !bindings.repository().versions(wanted->name).empty()) {
    return packages.not_found(reference, *wanted);
  }
  if (best == none) return std::move(plugins).error();
  const Package& package = bindings.repository().package(best);
  if (auto refused = bindings.refusal(package.name, package.version)) return std::move(*refused);
  return NamedPackage{reference, std::move(*wanted), best};
}

ResolvedPackages HostCore::resolve(const std::vector<std::string>& references) const {
  const auto catalog = catalog_->current();
  const PackageDescriptions packages(catalog->bindings(), catalog->files());
  ResolvedPackages resolved;
  std::vector<NamedPackage> named;
  for (const std::string& reference : references) {
    auto one = named_package(*catalog, packages, reference);
    if (one) {
      named.push_back(std::move(*one));
    } else {
      resolved.errors.push_back(std::move(one).error());
    }
  }
  resolved.packages = packages.closure_of(named);
  for (const NamedPackage& one : named) {
    const Package& package = catalog->bindings().repository().package(one.package);
    if (*one.wanted.match_rank(package.version) == 0) continue;
    resolved.warnings.push_back(
        Error({.code = "version-substituted",
               .where = one.reference,
               .found = package.name + " " + package.version.to_string(),
               .needed = "version " + one.wanted.version->to_string() + ", which is not available",
               .fix = "name an available version, or reinstall that one",
               .grade = ErrorGrade::warning}));
  }
  return resolved;
}

Result<void> HostCore::write_lock(const std::filesystem::path& file) const {
  const auto catalog = catalog_->current();
  const Bindings& bindings = catalog->bindings();
  const PackageDescriptions packages(bindings, catalog->files());
  if (!bindings.resolution().conflicts.empty())
    return bindings.resolution().conflicts.front().error;
  std::vector<LockedPackage> locked;
  for (const PackageId id : bindings.resolution().packages) {
    const Package& package = bindings.repository().package(id);
    if (package.dev) {
      return Error(
          {.code = "not-lockable",
           .where = packages.file(id).string(),
           .found = "a package in development: " + package.name,
           .needed = "released packages, whose content does not change",
           .fix = "remove it from the plugin path, or move it to a folder of its version"});
    }
    locked.push_back({.name = package.name, .version = package.version});
    if (packages.file(id).empty()) continue;
    if (auto done = lock_content(packages.file(id), locked.back()); !done) return done;
  }
  return write_lock_file(file, std::move(locked), bindings.host());
}

Result<RestartOutcome> HostCore::restart(std::string_view package, const RestartOptions& options) {
  bool found = false;
  auto outcome = RestartOutcome::not_loaded;
  for (const auto& module : module_list()) {
    if (module->manifest()->name != package) continue;
    found = true;
    auto done = module->restart(RestartReason::requested, options);
    if (!done) return done;
    if (*done != RestartOutcome::not_loaded) outcome = *done;
  }
  if (!found) {
    return Error({.code = "not-found",
                  .where = std::string(package),
                  .found = "no module of that package",
                  .needed = "the name of a package that this host has found",
                  .fix = "see Host::modules"});
  }
  return outcome;
}

std::unique_ptr<CatalogChange> HostCore::prepare(const Module& module,
                                                 std::shared_ptr<const Manifest> fresh) {
  return catalog_->prepare(module, std::move(fresh));
}

Host::ChangedRestarts HostCore::restart_changed() {
  Host::ChangedRestarts restarts;
  for (const auto& module : module_list()) {
    if (!module->changed()) continue;
    if (auto done = module->restart(RestartReason::file_changed, {}); done) {
      restarts.restarted.push_back(module->manifest()->name);
    } else {
      restarts.failed.push_back(std::move(done).error());
    }
  }
  return restarts;
}

}  // namespace tenon::inline v0_1::detail
