// SPDX-License-Identifier: BSL-1.0
#include "module/module.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "call/thread_records.hpp"
#include "catalog/description.hpp"
#include "module/forked.hpp"
#include "module/lifecycle_lock.hpp"
#include "module/restart.hpp"
#include "platform/float_modes.hpp"

namespace tenon::inline v0_1::detail {
namespace {

// How long the destructor of a host waits for each module, however long others took.
constexpr auto min_drain = std::chrono::milliseconds(500);

// Creates and configure methods of a module inside each other on one thread.
constexpr int max_depth = 16;

constinit thread_local const SetupScope* innermost_setup = nullptr;

// For a thread that enters the serving generation under the lock of the module. A restart takes the
// lock before it reads the slots.
constexpr auto ordered_by_lock = std::memory_order_relaxed;

// How often a call at a closed gate checks whether it was cancelled. Call::cancel takes no lock of
// a module, so it cannot wake the thread.
constexpr auto cancel_interval = std::chrono::milliseconds(10);

}  // namespace

SetupScope::SetupScope(const ServingModule& module) noexcept
    : module_(module), outer_(std::exchange(innermost_setup, this)) {
  const platform::FloatModes modes;
  static_assert(sizeof modes <= sizeof float_modes_);
  std::memcpy(&float_modes_, &modes, sizeof modes);
}

SetupScope::~SetupScope() {
  innermost_setup = outer_;
  platform::FloatModes modes;
  std::memcpy(static_cast<void*>(&modes), &float_modes_, sizeof modes);
  const auto& module = static_cast<const Module&>(module_);
  if (modes.restore_changed() && !module.inherited()) {
    module.shared().host_state->float_modes("configure");
  }
}

int SetupScope::depth(const ServingModule& module) noexcept {
  int depth = 0;
  for (const SetupScope* scope = innermost_setup; scope != nullptr; scope = scope->outer_) {
    if (&scope->module_ == &module) ++depth;
  }
  return depth;
}

Module::Module(ModuleOrigin origin, std::shared_ptr<const Manifest> manifest,
               std::shared_ptr<const ModuleContext> context)
    : shared_(std::move(origin), manifest->name, std::move(context)),
      manifest_(std::move(manifest)) {}

Module::~Module() {
  if (generation_ != nullptr) leave_loaded(std::move(generation_));
}

std::shared_ptr<const Manifest> Module::manifest() const {
  const Lock lock(shared_.mutex);
  return manifest_;
}

ModuleInfo Module::info() const {
  const Lock lock(shared_.mutex);
  ModuleInfo info{manifest_->name,
                  manifest_->version.to_string(),
                  shared_.origin.file,
                  generation_ != nullptr,
                  count_,
                  instances_.count(),
                  retired_.draining(),
                  retired_.still_mapped(),
                  faults_.quarantined()};
  info.methods = loader_.counted();
  for (const MethodCalls& method : info.methods) {
    info.calls.calls += method.calls;
    info.calls.failures += method.failures;
    info.calls.in_flight += method.in_flight;
  }
  return info;
}

bool Module::in_use() const {
  const Lock lock(shared_.mutex);
  return used();
}

bool Module::idle() const {
  const Lock lock(shared_.mutex);
  return !used() && !lifecycle_.held() && retired_.empty();
}

std::optional<Event> Module::take_manifest(std::shared_ptr<const Manifest> found,
                                           const platform::FileIdentity& identity) {
  const Lock lock(shared_.mutex);
  const bool changed = !(identity == identity_);
  if (used() || lifecycle_.held()) {
    if (changed && faults_.quarantined()) {
      schedule_.plan(RestartReason::file_changed, {}, Clock::now());
    }
    return std::nullopt;
  }
  manifest_ = std::move(found);
  if (!changed || !faults_.release()) return std::nullopt;
  return event(Event::Type::released);
}

bool Module::has_manifest(const Manifest& manifest) const {
  const Lock lock(shared_.mutex);
  return manifest_.get() == &manifest || same_manifest(*manifest_, manifest);
}

bool Module::changed() const {
  Lock lock(shared_.mutex);
  const bool watched = used() || faults_.quarantined();
  if (!watched || shared_.origin.builtin != nullptr) return false;
  const platform::FileIdentity loaded = identity_;
  lock.unlock();
  const auto now = platform::identity_of(shared_.origin.file);
  return now && !(*now == loaded);
}

void Module::restart_soon(RestartReason reason) {
  const Lock lock(shared_.mutex);
  schedule_.plan(reason, {}, Clock::now());
}

Event Module::event(Event::Type type) const {
  return {.type = type,
          .package = manifest_->name,
          .package_version = manifest_->version.to_string(),
          .generation = count_};
}

// -- Instances ----------------------------------------------------------------

/// A use of the module by an instance that is being created, so that the module is not unloaded
/// meanwhile. Ends with this object unless the instance takes it over.
class Module::Claim {
 public:
  Claim(Module& module, Owner owner) noexcept : module_(module), owner_(owner) {
    module_.uses_.add(owner);
  }
  /// REQUIRED: the lock is not held.
  ~Claim() {
    if (!passed_) module_.drop_use(owner_);
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  /// Passes the use to the instance if there is one.
  Result<InstancePtr> end_with(Result<InstancePtr> made) noexcept {
    passed_ = made.has_value();
    return made;
  }

 private:
  Module& module_;
  const Owner owner_;
  bool passed_ = false;
};

/// Waits until a generation can get instances. The lock is held on return.
Result<void> Module::become_ready(Lock& lock) {
  for (;;) {
    if (lifecycle_.held_here()) {
      return shared_.refused(
          "the module creates an instance of itself while it is loaded or restarted");
    }
    if (shared_.shut_down || faults_.stopped()) {
      return faults_.unavailable({}, {});
    }
    if (frozen_ && !lets_in()) {
      if (!wait_while_frozen(lock)) return shared_.busy();
    } else if (generation_ == nullptr) {
      if (auto loaded = load_first(lock); !loaded) return loaded;
    } else {
      return {};
    }
  }
}

/// Returns whether the calling thread may create although the module is frozen, because the restart
/// may wait for the thread. REQUIRED: the lock.
bool Module::lets_in() const noexcept {
  if (sealed_ || generation_ == nullptr) return false;
  return this_thread_is_in(*generation_) || restarts_.waits_for_this_thread();
}

/// Returns false if the deadline passes. REQUIRED: the lock.
bool Module::wait_while_frozen(Lock& lock) noexcept {
  const Clock::time_point deadline = gate_deadline_ + Operation::grace;
  const auto may_create = [&] { return !frozen_ || lets_in(); };
  if (shared_.changed.wait_until(lock, deadline, may_create)) return true;
  hangs_.abandon_overdue(lock);
  return !frozen_;
}

/// REQUIRED: the lock.
bool Module::is_building(const Generation& generation) const noexcept {
  return lifecycle_.held_here() && &generation != generation_.get();
}

bool Module::builds(const Generation* caller) const noexcept {
  if (caller == nullptr || open_.load() != nullptr) return false;
  const Lock lock(shared_.mutex);
  // A thread that holds the lifecycle lock and creates for a generation is inside its code.
  return is_building(*caller) && caller->module().get() == this;
}

Result<InstancePtr> Module::create(const Kind& kind, std::int32_t target, std::string_view name,
                                   const std::optional<TextMap>& config, Owner owner,
                                   Generation* caller) {
  const SetupScope setup(*this);
  if (SetupScope::depth(*this) > max_depth) return shared_.too_deep(max_depth);
  const CreateRequest request{kind, target, name, config, owner, ++serials_};
  Claim claim(*this, owner);
  if (builds(caller)) {
    const GenerationGuard guard(*caller, *this);
    auto made = create_in(*caller, guard, request);
    if (made && *made == nullptr) return shared_.busy();  // the restart was given up meanwhile
    return claim.end_with(std::move(made));
  }
  if (Generation* generation = open_.load(); generation != nullptr) {
    const GenerationGuard guard(*generation, *this);
    if (open_.load() == generation) {
      auto made = create_in(*generation, guard, request);
      if (!made || *made != nullptr) return claim.end_with(std::move(made));
    }
  }
  for (;;) {
    Lock lock(shared_.mutex);
    if (auto ready = become_ready(lock); !ready) return std::move(ready).error();
    Generation& generation = *generation_;
    const GenerationGuard guard(generation, *this, ordered_by_lock);  // keeps it loaded
    lock.unlock();
    auto made = create_in(generation, guard, request);
    if (!made || *made != nullptr) return claim.end_with(std::move(made));
  }
}

/// Creates an instance in the generation that the thread has entered. Returns nullptr if a restart
/// publishes meanwhile; the object is then destroyed.
Result<InstancePtr> Module::create_in(Generation& generation, const GenerationGuard& guard,
                                      const CreateRequest& request) {
  Generation::Object object;
  if (auto created = generation.create(request.kind, request.target, request.name, guard, object);
      !created) {
    return std::move(created).error();
  }
  try {
    std::shared_ptr<const TextMap> config;
    if (request.config) {
      config = std::make_shared<const TextMap>(*request.config);
      if (auto done = generation.configure(object, *config, guard); !done) {
        generation.end(object, guard);
        return std::move(done).error();
      }
    }
    const Lock lock(shared_.mutex);
    if ((generation_.get() == &generation && !sealed_) || is_building(generation)) {
      return add(generation, object, request, std::move(config));
    }
  } catch (...) {  // out of memory
    generation.end(object, guard);
    throw;
  }
  generation.end(object, guard);
  return InstancePtr();
}

/// Adds an instance. If an allocation fails, the caller still owns the object. REQUIRED: the lock.
InstancePtr Module::add(Generation& generation, Generation::Object& object,
                        const CreateRequest& request, std::shared_ptr<const TextMap> config) {
  auto instance = instances_.prepare(request, std::move(config));
  if (&generation != generation_.get()) {
    if (generation_ != nullptr) generation_->reserve(instance->index());
    instance->set_builder(&generation);
  }
  generation.list(instance->index(), object);
  instance->set_methods(generation.methods_of(instance->index()));
  // Nothing fails after this.
  if (self_ == nullptr) self_ = shared_from_this();
  if (request.owner == Owner::program && host_ == nullptr) host_ = shared_.context->host.use();
  return instances_.add(std::move(instance));
}

void Module::release(LiveInstance& instance) noexcept {
  const std::uint32_t index = instance.index();
  {
    Lock lock(shared_.mutex);
    instances_.remove(index);
    Generation* const builder = instance.builder();
    if (generation_ == nullptr && builder == nullptr) {
      retired_.revoke_streams(lock, index);
      instances_.reuse(index);
    } else {
      Generation& generation = builder != nullptr ? *builder : *generation_;
      const GenerationGuard guard(generation, *this, ordered_by_lock);
      bool streams_ended = true;
      if (!generation.streams().empty()) {
        lock.unlock();
        streams_ended = generation.end_streams(index);
        lock.lock();
      }
      // After those of this generation, which may have been retired meanwhile.
      retired_.revoke_streams(lock, index);
      const Generation::Object object = generation.take(index, streams_ended);
      instances_.reuse(index);
      lock.unlock();
      generation.end(object, guard);
    }
  }
  drop_use(instance.owner());
}

/// Ends a use of the module by an instance. The last one unloads the module and drops the
/// references to the module itself and to its host. REQUIRED: the lock is not held.
void Module::drop_use(Owner owner) noexcept {
  if (uses_.take_unless_last(owner)) return;
  std::shared_ptr<Module> self;
  std::shared_ptr<void> host;  // may be destroyed here, before the module
  {
    const Lock lock(shared_.mutex);
    uses_.take(owner);
    if (uses_.none_of_program()) host.swap(host_);
    if (!uses_.none()) return;
    self.swap(self_);
  }
  unload_if_unused();
}

void Module::unload_if_unused() noexcept {
  Lock lock(shared_.mutex);
  if (shared_.shut_down && uses_.none()) {
    // An instance of abandoned code was released. Nothing else reclaims it after the host has
    // ended.
    lock.unlock();
    return retired_.drain_all();
  }
  // The holder of the lifecycle lock, and a worker that reports a restart, call this again.
  if (generation_ == nullptr || generation_->stays_loaded()) return;
  if (!uses_.none() || lifecycle_.held() || restarts_.reports()) return;
  open_.store(nullptr);
  const bool inside = this_thread_is_in(*generation_);
  std::shared_ptr<Retired> old;
  try {
    // A create that has found the module open was counted before that.
    if (uses_.none()) old = retire_serving(Event::Type::unloaded);
  } catch (const std::bad_alloc&) {  // a later call may have memory
  }
  if (old == nullptr) return open_to_creates();
  close();
  old->take();
  lock.unlock();
  retired_.drain_on_worker(old);
  if (inside) return;
  lock.lock();
  retired_.wait_for_end(lock, old);
}

bool Module::implements(const LiveInstance& instance, std::string_view method) const {
  Lock lock(shared_.mutex, std::defer_lock);
  if (!inherited()) lock.lock();
  return instance.methods()->implement(instance.spec().target, method);
}

PluginInfo Module::plugin_info(const LiveInstance& instance) const {
  if (inherited()) return {};
  std::shared_ptr<const Manifest> manifest;
  const KindVersion* version = nullptr;
  {
    const Lock lock(shared_.mutex);
    manifest = manifest_;
    version = instance.methods()->version;
  }
  const InstanceSpec& spec = instance.spec();
  const auto plugin = std::ranges::find_if(manifest->provides, [&](const Provided& one) {
    return one.name == spec.name && one.kind == spec.kind->id && one.version == version->version;
  });
  const auto index = static_cast<std::size_t>(plugin - manifest->provides.begin());
  return PluginInfos::of(describe(std::move(manifest), shared_.origin.file), index);
}

// The call that configured may be in a generation that was replaced meanwhile. A restart that has
// not published yet applies the change. If one has published, the new generation is configured
// here.
void Module::remember_config(LiveInstance& instance, const TextMap& config) {
  if (inherited()) return;  // nothing restarts
  auto kept = std::make_shared<const TextMap>(config);
  Lock lock(shared_.mutex);
  instance.set_config(kept);
  if (instance.builder() != nullptr) return;  // it configured the object of the next generation
  instances_.touch(instance.index());
  Generation* generation = generation_.get();
  if (generation == nullptr || this_thread_is_in(*generation)) return;
  const GenerationGuard guard(*generation, *this, ordered_by_lock);
  lock.unlock();
  if (auto configured = generation->configure(instance.index(), *kept); !configured) {
    shared_.context->log->write(LogLevel::warn, in_one_line(configured.error()));
  }
}

// -- Loading ------------------------------------------------------------------

Result<LoadedCode> Module::load(bool insist) {
  if (shared_.origin.builtin != nullptr) return loader_.load_builtin(manifest());
  const auto manifest = this->manifest();
  auto file = loader_.read(manifest->name);
  if (!file) return std::move(file).error();
  {
    const Lock lock(shared_.mutex);
    if (generation_ == nullptr) identity_ = file->identity;
  }
  return loader_.load(std::move(*file), manifest, insist);
}

/// Loads without the lock, which is held on return, also after an exception.
Result<LoadedCode> Module::load_and_lock(Lock& lock) try {
  auto fresh = load();
  lock.lock();
  return fresh;
} catch (...) {
  lock.lock();
  throw;
}

/// Loads the module, or restarts it after a crash. The lock is held on return.
Result<void> Module::load_first(Lock& lock) {
  if (instances_.count() != 0) {
    const std::uint64_t count = count_;
    lock.unlock();
    auto request = restarts_.begin(RestartReason::crash, {}, true, count);
    lock.lock();
    return request ? restarts_.wait_for(lock, **request) : Result<void>(request.error());
  }
  Event loaded;
  {
    const LifecycleLock lifecycle(*this, lock);
    if (!lifecycle) return shared_.busy();
    // Another thread may have loaded the module meanwhile, and its code may have crashed since.
    if (generation_ != nullptr || instances_.count() != 0 || faults_.stopped() || shared_.shut_down)
      return {};
    lock.unlock();
    const auto begun = Clock::now();
    auto fresh = load_and_lock(lock);
    if (!fresh) return std::move(fresh).error();
    if (shared_.shut_down) {
      // The host has ended without waiting for the load, and nothing else unloads the module.
      const auto late = retired_.never_served(fresh->generation);
      lock.unlock();
      retired_.unload(late);
      lock.lock();
      return faults_.unavailable({}, {});
    }
    adopt(std::move(*fresh));
    lock.unlock();
    if (fresh->change != nullptr) fresh->change->publish();
    lock.lock();
    loaded = event(Event::Type::loaded);
    loaded.loading = Clock::now() - begun;
  }
  lock.unlock();
  shared_.report(loaded);  // without the lifecycle lock, which the listener may need
  lock.lock();
  return {};
}

void Module::adopt(LoadedCode&& fresh) noexcept {
  generation_ = std::move(fresh.generation);
  manifest_ = std::move(fresh.manifest);
  identity_ = fresh.identity;
  ++count_;
  schedule_.cancel_after_fault();
  instances_.visit([this](LiveInstance& instance) {
    instance.set_methods(generation_->methods_of(instance.index()));
    if (instance.builder() == generation_.get()) instance.set_builder(nullptr);
  });
  methods_ = generation_->methods();
  serve_again();
}

// -- The gate -----------------------------------------------------------------

void Module::serve_again() noexcept {
  const bool serves = generation_ != nullptr && !faults_.quarantined() && !shared_.shut_down;
  interrupting.store(false);  // before a call can enter
  if (serves) generation_->serve(*this);
  frozen_ = sealed_ = false;
  faults_.end_pause();
  shared_.changed.notify_all();
}

void Module::open_to_creates() noexcept {
  const bool open = !lifecycle_.held() && !frozen_ && !shared_.shut_down && !faults_.quarantined();
  open_.store(open ? generation_.get() : nullptr);
}

/// Closes the gate until the next generation serves, or until its deadline. REQUIRED: the lock.
void Module::close_gate() noexcept {
  close();
  gate_deadline_ = Clock::now() + shared_.context->restart.gate_timeout;
}

void Module::freeze(Clock::time_point deadline) noexcept {
  frozen_ = true;
  gate_deadline_ = deadline;
}

std::shared_ptr<Retired> Module::retire_serving(Event::Type type) {
  return retired_.retire(generation_, event(type));
}

RetiredGenerations::Place Module::prepare_to_retire(Event::Type type) const {
  if (generation_ == nullptr) return {};
  return retired_.prepare(*generation_, event(type));
}

std::shared_ptr<Retired> Module::retire_serving(RetiredGenerations::Place place) noexcept {
  if (generation_ == nullptr) return nullptr;
  return retired_.retire(generation_, std::move(place));
}

void Module::retire_crashed() {
  close_gate();
  retire_serving(Event::Type::drained);
  open_to_creates();
  retired_.schedule_reclaim();
}

void Module::lose_generation() {
  close_gate();
  frozen_ = sealed_ = false;
  interrupting.store(false);
  retire_serving(Event::Type::drained);
  shared_.changed.notify_all();
  retired_.schedule_reclaim();
}

Module::GateWait Module::pass_gate(tenon_call* call) noexcept {
  if (InLoader::is_here()) return {Gate::in_loader};
  Lock lock(shared_.mutex, std::defer_lock);
  if (!inherited()) lock.lock();
  if (generation_ != nullptr && this_thread_has_entered(*generation_)) {
    return {Gate::inside, generation_.get()};
  }
  if (inherited()) return {Gate::refused};  // no thread could open it
  const Clock::time_point deadline{std::chrono::nanoseconds(call->deadline)};
  while (closed()) {
    if (generation_ != nullptr && restarts_.waits_for_this_thread()) {
      return {Gate::inside, generation_.get()};
    }
    if (shared_.shut_down || faults_.stopped()) return {Gate::refused};
    const CancelReason reason = Call::of(call).cancelled();
    if (reason == CancelReason::deadline) return {Gate::too_late};
    if (reason != CancelReason::none) return {Gate::cancelled};
    const auto end = gate_deadline_ + Operation::grace;
    shared_.changed.wait_until(lock, std::min({end, deadline, Clock::now() + cancel_interval}));
    if (Clock::now() < gate_deadline_ + Operation::grace) continue;
    hangs_.abandon_overdue(lock);
    if (closed()) return {Gate::refused};
  }
  return {Gate::opened};
}

Error Module::unavailable(std::string_view plugin, std::string_view method) const {
  if (inherited()) return forked_error(shared_.where, plugin, method);
  const Lock lock(shared_.mutex);
  return faults_.unavailable(plugin, method);
}

// -- Destruction of the host --------------------------------------------------

void Module::begin_shut_down() noexcept {
  const Lock lock(shared_.mutex);
  shared_.shut_down = true;
  close();
  open_to_creates();
  shared_.changed.notify_all();
}

void Module::shut_down(Clock::time_point deadline) noexcept {
  Lock lock(shared_.mutex);
  wait_for_others(lock, deadline);
  std::vector<Event> left;
  if (restarts_.current() != nullptr) {
    const auto abandoned = restarts_.abandon();
    abandoned->request().result = shared_.busy();
    abandoned->request().completed = true;  // a thread of a plugin may wait for it
    shared_.done.notify_all();
    lifecycle_.release();
    left.push_back(overdue(event(Event::Type::drain_overdue), "a restart"));
  }
  if (frozen_) {
    // An abandoned restart may still use it.
    if (generation_ != nullptr) leave_loaded(std::move(generation_));
  } else if (generation_ != nullptr) {
    retire_serving(Event::Type::unloaded);
  }
  // A hanging module must not use up the time of the others.
  retired_.drain_before_shut_down(lock, std::max(deadline, Clock::now() + min_drain));
  std::ranges::move(retired_.left_at_shut_down(), std::back_inserter(left));
  lock.unlock();
  for (const Event& event : left) shared_.report(event);
}

/// Waits for workers that load, restart or unload, until the deadline. If a listener destroys the
/// host on a worker, does not wait for that worker. REQUIRED: the lock.
void Module::wait_for_others(Lock& lock, Clock::time_point deadline) noexcept {
  const auto others_work = [&] {
    return (lifecycle_.held() && !lifecycle_.held_here()) || restarts_.others_report() ||
           retired_.others_unload();
  };
  while (others_work() && Clock::now() < deadline) {
    shared_.done.wait_until(lock, std::min(deadline, restarts_.next_check()));
    hangs_.abandon_overdue(lock);
  }
}

}  // namespace tenon::inline v0_1::detail
