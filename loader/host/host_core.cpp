// SPDX-License-Identifier: BSL-1.0
#include "host/host_core.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <type_traits>
#include <utility>

#include "base/forked.hpp"
#include "base/test_point.hpp"
#include "catalog/package_resolution.hpp"
#include "code/exit_report.hpp"
#include "restart/restart_group.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// Limits the times of a policy, so that the sum of two of them and the present time is a time.
HostOptions with_limited_times(HostOptions options) {
  const auto limit = [](auto& time) {
    using Time = std::remove_reference_t<decltype(time)>;
    time = std::clamp(time, Time::zero(),
                      std::chrono::duration_cast<Time>(100 * std::chrono::years(1)));
  };
  RestartPolicy& restart = options.restart;
  limit(restart.gate_timeout);
  limit(restart.drain_timeout);
  limit(restart.step_timeout);
  limit(restart.failures.initial_backoff);
  limit(restart.failures.max_backoff);
  limit(restart.failures.window);
  return options;
}

/// Returns the parts that modules use, without the host.
std::shared_ptr<ModuleContext> make_context(const HostOptions& options) {
  auto context = std::make_shared<ModuleContext>();
  context->restart = options.restart;
  context->images = std::make_shared<ImageDirectory>(ImageOptions{
      .parent = options.copy_directory,
      .load_in_place =
          options.load_in_place && options.lock_file.empty() && options.trust_rules.empty()});
  context->timers = std::make_shared<TimerQueue>();
  context->workers = std::make_shared<Workers>();
  context->reaper =
      std::make_shared<ImageReaper>(context->images, context->timers, context->workers);
  if (options.contain_crashes && platform::can_contain()) {
    context->crash_handlers = std::make_shared<const platform::CrashHandlers>();
  }
  if (options.report_exits) report_exits();
  const auto level = log_level_of_environment(options.app);
  context->log = std::make_shared<Log>((level ? *level : std::nullopt).value_or(options.log_level),
                                       options.log_sink);
  context->events = std::make_shared<Events>(context->log, context->trace, options.on_event);
  if (options.remember_crashes) {
    context->crash_records = std::make_shared<CrashRecords>(options.app, context->log);
  }
  context->check_calls = options.check_calls;
  context->count_calls = options.count_calls;
  return context;
}

/// The Host that the thread destroys, and the deadline of its destructor.
struct Ending {
  const HostCore* core = nullptr;
  HostCore::Clock::time_point deadline;
};
constinit thread_local Ending ending;

}  // namespace

HostCore::HostCore(HostOptions options)
    : control_(options.control ? std::make_unique<HostControl>() : nullptr),
      options_(with_control(with_limited_times(std::move(options)))),
      context_(make_context(options_)),
      settings_(options_, context_->log),
      lookup_(options_.default_domain, context_->log) {}

HostOptions HostCore::with_control(HostOptions options) const {
  if (control_ != nullptr) options.on_event = control_->listener(std::move(options.on_event));
  return options;
}

std::shared_ptr<HostCore> HostCore::make(HostOptions options) {
  std::shared_ptr<HostCore> core(new HostCore(std::move(options)));
  std::shared_ptr<HostCore> use(core.get(), [kept = core](HostCore* unused) mutable noexcept {
    unused->shut_down();
    kept = nullptr;  // weak pointers may keep this function
  });
  core->self_ = use;
  core->context_->host = HostLink(core, use);
  core->start();
  core->self_use_ = std::move(use);
  return core;
}

void HostCore::start() {
  if (auto started = context_->timers->start(); !started) {
    startup_problems_.push_back(started.error().with_severity(Severity::warning));
  }
  if (options_.contain_crashes && !platform::can_contain()) {
    startup_problems_.push_back(
        Error({.code = "containment-unavailable",
               .where = "HostOptions::contain_crashes",
               .found = "a system on which crashes cannot be contained",
               .needed = "Linux with glibc on x86-64, or on aarch64 with gcc; no ThreadSanitizer",
               .fix = "do not set the option; crashes then end the process",
               .severity = Severity::warning}));
  }
  begin_trace_file();
  rules_.read(options_, startup_problems_);
  check_log_level();
  catalog_->begin(rules_.for_catalogs(), make_builtins());
  if (options_.watch) {
    auto watching = finder_.watch([weak = weak_from_this()](const auto& file) {
      if (const auto core = weak.lock()) core->file_changed(file);
    });
    if (!watching) startup_problems_.push_back(watching.error().with_severity(Severity::warning));
  }
  rescan();
  log_problems();
  if (control_ == nullptr) return;
  if (auto started = control_->start(weak_from_this()); !started) {
    startup_problems_.push_back(started.error().with_severity(Severity::warning));
  }
}

void HostCore::begin_trace_file() {
  if (options_.trace_file.empty()) return;
  auto file = TraceFile::create(options_.trace_file, options_.app, context_->trace, context_->log);
  if (file) {
    trace_file_ = *std::move(file);
  } else {
    startup_problems_.push_back(file.error().with_severity(Severity::warning));
  }
}

/// Logs, for the user, which modules are left out, and which settings are wrong.
void HostCore::log_problems() const {
  const auto catalog = catalog_->current();
  for (const auto* problems :
       {&catalog->content().unreadable, &catalog->bindings().diagnostics()}) {
    for (const Error& problem : *problems) {
      if (problem.code() == "module-left-out" || problem.code() == "broken-settings")
        context_->log->write(LogLevel::warn, in_one_line(problem));
    }
  }
}

std::vector<ListedModule> HostCore::make_builtins() {
  std::vector<ListedModule> builtins;
  for (const tenon_module* builtin : options_.builtins) {
    auto manifest = parse_manifest({builtin->manifest, builtin->manifest_size}, "builtin");
    if (!manifest) {
      startup_problems_.push_back(std::move(manifest).error());
      continue;
    }
    auto kept = std::make_shared<const Manifest>(std::move(*manifest));
    auto module = std::make_shared<Module>(ModuleOrigin{{}, builtin}, kept, context_);
    builtins.push_back({std::move(module), std::move(kept)});
  }
  return builtins;
}

/// Reports an invalid level in the log, for the user, and in `problems`, for the program.
void HostCore::check_log_level() {
  const auto level = log_level_of_environment(options_.app);
  if (level) return;
  const Error wrong = level.error().with_severity(Severity::warning);
  context_->log->write(LogLevel::warn, in_one_line(wrong));
  startup_problems_.push_back(wrong);
}

void HostCore::stop_listening(Clock::time_point deadline) noexcept {
  if (control_ != nullptr && !control_->stop(deadline)) {
    context_->log->write(LogLevel::warn,
                         "the thread that serves control clients hangs and is abandoned");
  }
  if (finder_.stop_watching(deadline)) return;
  context_->log->write(LogLevel::warn,
                       "the thread that watches files hangs in a file system and is abandoned");
}

void HostCore::end(Clock::time_point deadline) noexcept {
  const Ending outer = std::exchange(ending, {this, deadline});
  self_use_ = nullptr;
  ending = outer;
}

void HostCore::shut_down() noexcept {
  const auto deadline = ending.core == this ? ending.deadline : Clock::now() + shutdown_timeout();
  stop_listening(deadline);
  if (!context_->timers->stop(deadline)) {
    context_->log->write(LogLevel::warn, "the thread of the timers hangs and is abandoned");
  }
  const auto modules = module_list();
  for (const auto& module : modules) module->begin_shut_down();
  TENON_TEST_POINT("host: closed");
  for (const auto& module : modules) module->shut_down(deadline);
  if (context_->workers->stop(deadline) != 0) {
    context_->log->write(LogLevel::warn, "a thread hangs in the code of a plugin and is abandoned");
  }
  if (control_ != nullptr) control_->stop_jobs(deadline);
  if (trace_file_ != nullptr && !trace_file_->stop(deadline)) {
    context_->log->write(LogLevel::warn, "the thread that writes the trace hangs and is abandoned");
  }
}

void HostCore::rescan() {
  const auto make = [this](ModuleOrigin origin, std::shared_ptr<const Manifest> manifest) {
    return std::make_shared<Module>(std::move(origin), std::move(manifest), context_);
  };
  for (const Event& released :
       finder_.rescan(rules_.trust(), settings_, context_->crash_records.get(), make))
    context_->events->report(released);
}

void HostCore::file_changed(const std::filesystem::path& file) {
  const auto module = std::static_pointer_cast<Module>(catalog_->current()->module_of(file));
  if (module != nullptr && module->changed()) module->restart_soon(RestartReason::file_changed);
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

std::vector<Error> HostCore::problems() const {
  std::vector<Error> all = startup_problems_;
  std::vector<Error> of_catalog = catalog_->current()->problems();
  std::move(of_catalog.begin(), of_catalog.end(), std::back_inserter(all));
  return all;
}

Result<PluginInfo> HostCore::find(const Kind& kind, std::string_view reference) const {
  const auto catalog = catalog_->current();
  auto found = lookup_.find(*catalog, kind, kind.latest().version, reference);
  if (!found) return std::move(found).error();
  return describe(**found);
}

Result<std::vector<PluginInfo>> HostCore::find_all(std::string_view reference) const {
  const auto catalog = catalog_->current();
  auto found = lookup_.find_all(*catalog, reference);
  if (!found) return std::move(found).error();
  std::vector<PluginInfo> result;
  for (const Registration* one : *found) result.push_back(describe(*one));
  return result;
}

Result<InstancePtr> HostCore::create(const Kind& kind, std::string_view reference,
                                     const std::optional<TextMap>& config) const {
  const std::int32_t target = kind.latest().version;
  const auto catalog = catalog_->current();
  auto found = lookup_.find(*catalog, kind, target, reference);
  if (!found) return std::move(found).error();
  const Registration& chosen = **found;
  TENON_TEST_POINT("create: chosen");
  return chosen.module()->create(kind, target, chosen.name(), config, Owner::program);
}

Result<PluginChoice> HostCore::choose_for(const Package& requester, const Kind& kind,
                                          std::int32_t version, std::string_view reference) {
  if (inherited()) return forked_error(std::string(reference));
  const auto catalog = catalog_->current();
  auto found = lookup_.find(*catalog, kind, version, reference, &requester);
  if (!found) return std::move(found).error();
  return PluginChoice{(*found)->module(), (*found)->name()};
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
  const bool is_other_version = total_order(before.version, fresh.version) != 0;
  if (is_other_version) {
    if (auto refused = refusal_by(*settings_.current(), options_.app, fresh.name, fresh.version,
                                  bundle[0].path))
      return *std::move(refused);
  }
  std::vector<Error> warnings;
  auto loadable = rules_.check_loadable(*catalog_->current(), before, fresh, bundle,
                                        catalog_->files(), warnings);
  for (const Error& warning : warnings) {
    // `problems` has reported the module itself.
    if (warning.where() != bundle[0].path.string())
      context_->log->write(LogLevel::warn, in_one_line(warning));
  }
  return loadable;
}

Result<void> HostCore::check_restart(const Manifest& manifest, const std::filesystem::path& file) {
  auto refused =
      refusal_by(*settings_.current(), options_.app, manifest.name, manifest.version, file);
  // The code that serves may have another version than the pinned one, see check_loadable.
  if (!refused || refused->code() != "disabled") return {};
  return *std::move(refused);
}

std::vector<std::shared_ptr<Module>> HostCore::module_list() const {
  std::vector<std::shared_ptr<Module>> modules;
  for (const auto& module : catalog_->current()->modules())
    modules.push_back(std::static_pointer_cast<Module>(module));
  return modules;
}

std::vector<ModuleInfo> HostCore::modules() const {
  std::vector<ModuleInfo> result;
  for (const auto& module : module_list()) result.push_back(module->info());
  std::sort(result.begin(), result.end(),
            [](const auto& a, const auto& b) { return a.package < b.package; });
  return result;
}

void HostCore::count_calls(bool on) {
  context_->count_calls.store(on);
  apply_count_calls();
}

Result<void> HostCore::begin_trace() {
  if (!context_->trace->begin()) {
    return Error({.code = "in-use",
                  .where = "trace",
                  .found = "a trace of this host that is being recorded",
                  .needed = "one at a time",
                  .fix = "end the other one, or use its file"});
  }
  apply_count_calls();
  return {};
}

void HostCore::end_trace() {
  context_->trace->end();
  apply_count_calls();
}

void HostCore::apply_count_calls() {
  for (const auto& module : module_list()) module->apply_count_calls();
}

std::map<std::string, RestartStep> HostCore::restart_steps() const {
  std::map<std::string, RestartStep> steps;
  for (const auto& module : module_list()) {
    auto step = module->restart_step();
    if (!step) continue;
    const auto manifest = module->manifest();
    steps.emplace(manifest->name + "@" + manifest->version.to_string(), *std::move(step));
  }
  return steps;
}

std::vector<PackageInfo> HostCore::packages() const {
  return packages_of(*catalog_->current());
}

ResolvedPackages HostCore::resolve(const std::vector<std::string>& references) const {
  return detail::resolve(*catalog_->current(), lookup_, references);
}

Result<void> HostCore::write_lock(const std::filesystem::path& file) const {
  return detail::write_lock(*catalog_->current(), file);
}

Result<RestartOutcome> HostCore::restart(std::string_view package, const RestartOptions& options) {
  auto modules = module_list();
  std::erase_if(modules, [package](const auto& module) {
    const auto manifest = module->manifest();
    return manifest->name != package &&
           manifest->name + "@" + manifest->version.to_string() != package;
  });
  if (modules.empty()) {
    return Error({.code = "not-found",
                  .where = std::string(package),
                  .found = "no module of that package",
                  .needed = "the name of a package that this host has found",
                  .fix = "see Host::modules"});
  }
  std::vector<std::shared_ptr<Restarts>> restarts;
  restarts.reserve(modules.size());
  for (const auto& module : modules) restarts.push_back(module->restarts());
  return restart_together(std::move(restarts), options);
}

std::unique_ptr<CatalogChange> HostCore::prepare(const PluginModule& module,
                                                 std::shared_ptr<const Manifest> fresh) {
  return catalog_->prepare(module, std::move(fresh));
}

Host::ChangedRestarts HostCore::restart_changed() {
  Host::ChangedRestarts restarts;
  for (const auto& module : module_list()) {
    if (!module->changed()) continue;
    auto done = module->restarts()->request(RestartReason::file_changed, {});
    if (!done) {
      restarts.failed.push_back(std::move(done).error());
    } else if (*done == RestartOutcome::restarted) {
      restarts.restarted.push_back(module->manifest()->name);
    } else if (*done == RestartOutcome::scheduled) {
      restarts.scheduled.push_back(module->manifest()->name);
    }
  }
  return restarts;
}

}}}  // namespace tenon::v0_1::detail
