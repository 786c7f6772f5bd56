// SPDX-License-Identifier: BSL-1.0
#include "module/module_core.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "base/forked.hpp"
#include "base/test_point.hpp"
#include "call/thread_records.hpp"
#include "catalog/description.hpp"
#include "platform/float_modes.hpp"
#include "supervise/ticket_hold.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
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

SetupScope::SetupScope(const CallSwitch& module) noexcept
    : module_(module), outer_(std::exchange(innermost_setup, this)) {
  // In place: a copy would read 8 bytes that were just written in two parts, which is slow.
  static_assert(sizeof(platform::FloatModes) <= sizeof float_modes_);
  static_assert(alignof(platform::FloatModes) <= alignof(decltype(float_modes_)));
  new (&float_modes_) platform::FloatModes;
}

SetupScope::~SetupScope() {
  innermost_setup = outer_;
  const auto& modes = *std::launder(reinterpret_cast<const platform::FloatModes*>(&float_modes_));
  if (modes.restore_changed()) static_cast<const ModuleCore&>(module_).float_modes_changed();
}

int SetupScope::depth(const CallSwitch& module) noexcept {
  int depth = 0;
  for (const SetupScope* scope = innermost_setup; scope != nullptr; scope = scope->outer_) {
    if (&scope->module_ == &module) ++depth;
  }
  return depth;
}

ModuleCore::ModuleCore(ModuleOrigin origin, std::shared_ptr<const Manifest> manifest,
                       std::shared_ptr<const ModuleContext> context, GenerationOwner& owner,
                       bool has_ended)
    : state_(std::move(origin), std::move(manifest), std::move(context), *this, owner) {
  state_.shut_down = has_ended;
}

ModuleInfo ModuleCore::info() const {
  const ModuleLock lock(state_.mutex);
  ModuleInfo info{state_.manifest->name,    state_.manifest->version.to_string(),
                  state_.origin.file,       state_.generation != nullptr,
                  state_.generation_number, state_.instances.count(),
                  retired_.draining(),      retired_.still_mapped(),
                  state_.quarantined()};
  info.methods = loader_.counted();
  for (const MethodCalls& method : info.methods) {
    info.calls.calls += method.calls;
    info.calls.failures += method.failures;
    info.calls.in_flight += method.in_flight;
  }
  return info;
}

void ModuleCore::apply_count_calls() noexcept {
  const ModuleLock lock(state_.mutex);
  state_.apply_count_calls();
}

std::optional<RestartStep> ModuleCore::restart_step() const {
  const ModuleLock lock(state_.mutex);
  return restarts_.step();
}

bool ModuleCore::in_use() const {
  const ModuleLock lock(state_.mutex);
  return state_.used();
}

bool ModuleCore::idle() const {
  const ModuleLock lock(state_.mutex);
  return !state_.used() && !state_.lifecycle.held() && retired_.empty();
}

std::optional<Event> ModuleCore::take_manifest(std::shared_ptr<const Manifest> found,
                                               const platform::FileIdentity& identity) {
  const ModuleLock lock(state_.mutex);
  const bool changed = !(identity == state_.identity);
  if (state_.used() || state_.lifecycle.held()) {
    if (changed && state_.quarantined()) {
      restarts_.plan(RestartReason::file_changed, {}, Clock::now());
    }
    return std::nullopt;
  }
  state_.manifest = std::move(found);
  if (!changed || !faults_.release()) return std::nullopt;
  return state_.event(Event::Type::released);
}

void ModuleCore::restart_soon(RestartReason reason) {
  const ModuleLock lock(state_.mutex);
  restarts_.plan(reason, {}, Clock::now());
}

void ModuleCore::float_modes_changed() const noexcept {
  if (!inherited()) state_.host_state->float_modes("configure");
}

// -- Instances ----------------------------------------------------------------

/// A use of the module by an instance that is being created, so that the module is not unloaded
/// meanwhile. Ends with this object unless the instance takes it over.
class ModuleCore::Claim {
 public:
  Claim(ModuleCore& module, Owner owner) noexcept : module_(module), owner_(owner) {
    module_.state_.uses.add(owner);
  }
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
  ModuleCore& module_;
  const Owner owner_;
  bool passed_ = false;
};

/// Waits until a generation can get instances. Releases the lock meanwhile.
Result<void> ModuleCore::become_ready() {
  for (;;) {
    if (state_.lifecycle.held_here()) {
      return state_.refused(
          "the module creates an instance of itself while it is loaded or restarted");
    }
    if (state_.shut_down || state_.stopped()) {
      return faults_.unavailable({}, {});
    }
    if (state_.creates_are_blocked() && !lets_in()) {
      if (!wait_while_blocked()) return state_.busy();
    } else if (state_.generation == nullptr) {
      if (auto loaded = ensure_serving(); !loaded) return loaded;
    } else {
      return {};
    }
  }
}

/// Returns whether the calling thread may create although creates are blocked, because the restart
/// may wait for the thread.
bool ModuleCore::lets_in() const noexcept {
  if (state_.is_sealed() || state_.generation == nullptr) return false;
  return this_thread_is_in(*state_.generation) || restarts_.waits_for_this_thread();
}

/// Returns false if the deadline passes. Releases the lock meanwhile.
bool ModuleCore::wait_while_blocked() noexcept {
  const Clock::time_point deadline = state_.gate_deadline() + SupervisedWork::grace;
  const auto may_create = [&]() TENON_REQUIRES(module_lock) {
    return !state_.creates_are_blocked() || lets_in();
  };
  if (state_.changed.wait_until(state_.mutex, deadline, may_create)) return true;
  hangs_.abandon_overdue();
  return !state_.creates_are_blocked();
}

bool ModuleCore::is_building(const Generation& generation) const noexcept {
  return state_.lifecycle.held_here() && &generation != state_.generation.get();
}

bool ModuleCore::builds(const Generation* caller) const noexcept {
  if (caller == nullptr || state_.open_generation() != nullptr) return false;
  const ModuleLock lock(state_.mutex);
  // A thread that holds the lifecycle ticket and creates for a generation is inside its code.
  return is_building(*caller) && caller->owner().get() == &state_.owner;
}

Result<InstancePtr> ModuleCore::create(const Kind& kind, std::int32_t target, std::string_view name,
                                       const std::optional<TextMap>& config, Owner owner,
                                       Generation* caller) {
  const SetupScope setup(*this);
  if (SetupScope::depth(*this) > max_depth) return state_.too_deep(max_depth);
  const CreateRequest request{kind, target, name, config, owner, ++serials_};
  Claim claim(*this, owner);
  if (builds(caller)) {
    const GenerationGuard guard(*caller, *this);
    auto made = create_in(*caller, guard, request);
    if (made && *made == nullptr) return state_.busy();  // the restart was given up meanwhile
    return claim.end_with(std::move(made));
  }
  if (Generation* generation = state_.open_generation(); generation != nullptr) {
    const GenerationGuard guard(*generation, *this);
    if (state_.open_generation() == generation) {
      auto made = create_in(*generation, guard, request);
      if (!made || *made != nullptr) return claim.end_with(std::move(made));
    }
  }
  for (;;) {
    Generation* generation = nullptr;
    std::optional<GenerationGuard> guard;
    {
      const ModuleLock lock(state_.mutex);
      if (auto ready = become_ready(); !ready) return std::move(ready).error();
      generation = state_.generation.get();
      guard.emplace(*generation, *this, ordered_by_lock);  // keeps it loaded
    }
    auto made = create_in(*generation, *guard, request);
    if (!made || *made != nullptr) return claim.end_with(std::move(made));
  }
}

/// Creates an instance in the generation that the thread has entered. Returns nullptr if a restart
/// publishes meanwhile; the object is then destroyed.
Result<InstancePtr> ModuleCore::create_in(Generation& generation, const GenerationGuard& guard,
                                          const CreateRequest& request) {
  PluginObject object;
  if (auto created = generation.create(request.kind, request.target, request.name, guard, object);
      !created) {
    return std::move(created).error();
  }
  try {
    std::shared_ptr<const TextMap> config;
    if (request.config) {
      config = std::make_shared<const TextMap>(*request.config);
      if (auto done = object.configure(*config); !done) {
        generation.destroy(object, guard);
        return std::move(done).error();
      }
    }
    TENON_TEST_POINT("create: created");
    const ModuleLock lock(state_.mutex);
    if ((state_.generation.get() == &generation && !state_.is_sealed()) ||
        is_building(generation)) {
      return add(generation, object, request, std::move(config));
    }
  } catch (...) {  // out of memory
    generation.destroy(object, guard);
    throw;
  }
  generation.destroy(object, guard);
  return InstancePtr();
}

/// Adds an instance. If an allocation fails, the caller still owns the object.
InstancePtr ModuleCore::add(Generation& generation, PluginObject& object,
                            const CreateRequest& request, std::shared_ptr<const TextMap> config) {
  auto instance = state_.instances.prepare(request, std::move(config));
  if (&generation != state_.generation.get()) {
    if (state_.generation != nullptr) state_.generation->objects().reserve(instance->index());
    instance->set_builder(&generation);
  }
  generation.objects().insert(instance->index(), object);
  instance->set_methods(generation.methods_of(instance->index()));
  // Nothing fails after this.
  if (self_ == nullptr) self_ = state_.owner.shared_from_this();
  if (request.owner == Owner::program && host_ == nullptr) host_ = state_.context->host.use();
  return state_.instances.add(std::move(instance));
}

void ModuleCore::release(LiveInstance& instance) noexcept {
  const std::uint32_t index = instance.index();
  Generation* generation = nullptr;
  std::optional<GenerationGuard> guard;
  PluginObject object;
  bool has_streams = false;
  bool has_retired = false;
  const auto take = [&](bool streams_ended) TENON_REQUIRES(module_lock) {
    if (generation != nullptr) object = generation->objects().extract(index, streams_ended);
    state_.instances.reuse(index);
  };
  {
    const ModuleLock lock(state_.mutex);
    state_.instances.remove(index);
    Generation* const builder = instance.builder();
    generation = builder != nullptr ? builder : state_.generation.get();
    if (generation != nullptr) guard.emplace(*generation, *this, ordered_by_lock);
    has_streams = generation != nullptr && !generation->streams().empty();
    has_retired = retired_.draining() != 0;
    if (!has_streams && !has_retired) take(true);
  }
  if (has_streams || has_retired) {
    const bool ended = !has_streams || generation->end_streams(index);
    // After those of this generation, which may have been retired meanwhile.
    retired_.revoke_streams(index);
    const ModuleLock lock(state_.mutex);
    take(ended);
  }
  if (generation != nullptr) generation->destroy(object, *guard);
  guard.reset();
  drop_use(instance.owner());
}

/// Ends a use of the module by an instance. The last one unloads the module and drops the
/// references to the module itself and to its host.
void ModuleCore::drop_use(Owner owner) noexcept {
  if (state_.uses.take_unless_last(owner)) return;
  std::shared_ptr<PluginModule> self;
  std::shared_ptr<void> host;  // may be destroyed here, before the module
  {
    const ModuleLock lock(state_.mutex);
    state_.uses.take(owner);
    if (state_.uses.none_of_program()) host.swap(host_);
    if (!state_.uses.none()) return;
    self.swap(self_);
  }
  unload_if_unused();
}

void ModuleCore::unload_if_unused() noexcept {
  std::shared_ptr<Retired> old;
  bool abandoned = false;
  bool inside = false;
  {
    const ModuleLock lock(state_.mutex);
    // An instance of abandoned code was released. Nothing else reclaims it after the host has
    // ended.
    abandoned = state_.shut_down && state_.uses.none();
    if (!abandoned) {
      // The holder of the lifecycle ticket, and a worker that reports a restart, call this again.
      if (state_.generation == nullptr || state_.generation->stays_loaded()) return;
      if (!state_.uses.none() || state_.lifecycle.held() || restarts_.reports()) return;
      state_.close_to_creates();
      inside = this_thread_is_in(*state_.generation);
      try {
        // A create that has found the module open was counted before that.
        if (state_.uses.none()) old = retired_.retire_serving(Event::Type::unloaded);
      } catch (const std::bad_alloc&) {  // a later call may have memory
      }
      if (old == nullptr) return state_.open_to_creates();
      close();
      old->claim_by_this_thread();
    }
  }
  if (abandoned) return retired_.drain_all();
  TENON_TEST_POINT("unload: retired");
  retired_.drain_on_worker(old);
  if (!inside) retired_.wait_for_end(old);
}

bool ModuleCore::implements(const LiveInstance& instance, std::string_view method) const {
  // In a forked child, no other thread changes them.
  const PluginMethods& methods =
      inherited() ? *instance.last_methods() : [&]() -> const PluginMethods& {
    const ModuleLock lock(state_.mutex);
    return *instance.methods();
  }();
  return methods.implement(instance.spec().target, method);
}

PluginInfo ModuleCore::plugin_info(const LiveInstance& instance) const {
  if (inherited()) return {};
  std::shared_ptr<const Manifest> manifest;
  const KindVersion* version = nullptr;
  {
    const ModuleLock lock(state_.mutex);
    manifest = state_.manifest;
    version = instance.methods()->version;
  }
  const InstanceSpec& spec = instance.spec();
  const auto plugin = std::ranges::find_if(manifest->provides, [&](const Provided& one) {
    return one.name == spec.name && one.kind == spec.kind->id && one.version == version->version;
  });
  const auto index = static_cast<std::size_t>(plugin - manifest->provides.begin());
  return PluginInfos::of(describe(std::move(manifest), state_.origin.file), index);
}

// The call that configured may be in a generation that was replaced meanwhile. A restart that has
// not published yet applies the change. If one has published, the new generation is configured
// here.
void ModuleCore::remember_config(LiveInstance& instance, const TextMap& config) {
  if (inherited()) return;  // nothing restarts
  auto kept = std::make_shared<const TextMap>(config);
  Generation* generation = nullptr;
  std::optional<GenerationGuard> guard;
  {
    const ModuleLock lock(state_.mutex);
    instance.set_config(kept);
    if (instance.builder() != nullptr) return;  // it configured the object of the next generation
    state_.instances.touch(instance.index());
    generation = state_.generation.get();
    if (generation == nullptr || this_thread_is_in(*generation)) return;
    guard.emplace(*generation, *this, ordered_by_lock);
  }
  const ObjectPin object(*generation, instance.index());
  if (!object) return;
  if (auto configured = object->configure(*kept); !configured) {
    state_.context->log->write(LogLevel::warn, in_one_line(configured.error()));
  }
}

// -- Loading ------------------------------------------------------------------

/// Remembers the file also if loading fails, so that only another file ends a quarantine.
Result<LoadedCode> ModuleCore::load(bool force) {
  if (state_.origin.builtin != nullptr) return loader_.load_builtin(manifest());
  const auto manifest = this->manifest();
  auto file = loader_.read(manifest->name);
  if (!file) return std::move(file).error();
  {
    const ModuleLock lock(state_.mutex);
    if (state_.generation == nullptr) state_.identity = file->identity;
  }
  return loader_.load(std::move(*file), manifest, force);
}

/// Loads the module, or restarts it after a crash. Releases the lock meanwhile.
Result<void> ModuleCore::ensure_serving() {
  if (state_.instances.count() != 0) {
    const std::uint64_t count = state_.generation_number;
    const ModuleUnlock unlocked(state_.mutex);
    auto request = restarts_.begin(RestartReason::crash, {}, true, count);
    return request ? restarts_.wait_for(**request) : Result<void>(request.error());
  }
  Event loaded;
  if (auto served = load_and_serve(loaded); !served || loaded.generation == 0) return served;
  const ModuleUnlock unlocked(state_.mutex);
  state_.report(loaded);  // without the lifecycle ticket, which the listener may need
  return {};
}

/// Sets `loaded` unless another thread has loaded the module meanwhile. Releases the lock
/// meanwhile.
Result<void> ModuleCore::load_and_serve(Event& loaded) {
  const TicketHold lifecycle(state_, hangs_);
  if (!lifecycle) return state_.busy();
  // The code that another thread has loaded may have crashed since.
  const bool others_decide = state_.generation != nullptr || state_.instances.count() != 0 ||
                             state_.stopped() || state_.shut_down;
  if (others_decide) return {};
  const auto begun = Clock::now();
  auto fresh = [this]() TENON_REQUIRES(module_lock) {
    const ModuleUnlock unlocked(state_.mutex);
    return load(false);
  }();
  if (!fresh) return std::move(fresh).error();
  if (state_.shut_down) {
    // The host has ended without waiting for the load, and nothing else unloads the module.
    const auto late = retired_.never_served(fresh->generation);
    {
      const ModuleUnlock unlocked(state_.mutex);
      retired_.unload(late);
    }
    return faults_.unavailable({}, {});
  }
  const auto change = std::move(fresh->change);
  restarts_.make_serve(std::move(*fresh));
  if (change != nullptr) {
    const ModuleUnlock unlocked(state_.mutex);
    TENON_TEST_POINT("load: served");
    change->publish();
  }
  loaded = state_.event(Event::Type::loaded);
  loaded.load_time = Clock::now() - begun;
  return {};
}

// -- The gate -----------------------------------------------------------------

ModuleCore::GateWait ModuleCore::pass_gate(tenon_call* call) noexcept {
  if (InLoader::is_here()) return {Gate::in_loader};
  if (inherited()) return pass_inherited_gate();
  const ModuleLock lock(state_.mutex);
  Generation* const serving = state_.generation.get();
  if (serving != nullptr && this_thread_has_entered(*serving)) return {Gate::inside, serving};
  const Clock::time_point deadline{std::chrono::nanoseconds(call->deadline)};
  while (closed()) {
    if (state_.generation != nullptr && restarts_.waits_for_this_thread()) {
      return {Gate::inside, state_.generation.get()};
    }
    if (state_.shut_down || state_.stopped()) return {Gate::refused};
    const CancelReason reason = Call::of(call).cancel_reason();
    if (reason == CancelReason::deadline) return {Gate::too_late};
    if (reason != CancelReason::none) return {Gate::cancelled};
    const auto end = state_.gate_deadline() + SupervisedWork::grace;
    state_.changed.wait_until(state_.mutex,
                              std::min({end, deadline, Clock::now() + cancel_interval}));
    if (Clock::now() < state_.gate_deadline() + SupervisedWork::grace) continue;
    hangs_.abandon_overdue();
    if (closed()) return {Gate::refused};
  }
  return {Gate::opened};
}

/// No other thread of this process could open the gate, or changes anything.
ModuleCore::GateWait ModuleCore::pass_inherited_gate() noexcept {
  Generation* const serving = state_.generation.get();
  if (serving != nullptr && this_thread_has_entered(*serving)) return {Gate::inside, serving};
  return {Gate::refused};
}

Error ModuleCore::unavailable(std::string_view plugin, std::string_view method) const {
  if (inherited()) return forked_error(state_.where, plugin, method);
  const ModuleLock lock(state_.mutex);
  return faults_.unavailable(plugin, method);
}

// -- Destruction of the host --------------------------------------------------

void ModuleCore::begin_shut_down() noexcept {
  const ModuleLock lock(state_.mutex);
  state_.shut_down = true;
  close();
  state_.open_to_creates();
  state_.changed.notify_all();
}

void ModuleCore::shut_down(Clock::time_point deadline) noexcept {
  std::vector<Event> left;
  {
    const ModuleLock lock(state_.mutex);
    wait_for_others(deadline);
    if (restarts_.in_progress()) {
      restarts_.abandon_at_shut_down();
      left.push_back(overdue(state_.event(Event::Type::drain_overdue), "a restart"));
    }
    if (state_.creates_are_blocked()) {
      // An abandoned restart may still use it.
      if (state_.generation != nullptr) leave_loaded(std::move(state_.generation));
    } else if (state_.generation != nullptr) {
      retired_.retire_serving(Event::Type::unloaded);
    }
  }
  // A hanging module must not use up the time of the others.
  retired_.drain_before_shut_down(std::max(deadline, Clock::now() + min_drain));
  {
    const ModuleLock lock(state_.mutex);
    std::ranges::move(retired_.left_at_shut_down(), std::back_inserter(left));
  }
  for (const Event& event : left) state_.report(event);
}

/// Waits for workers that load, restart or unload, until the deadline. If a listener destroys the
/// host on a worker, does not wait for that worker. Releases the lock
/// meanwhile.
void ModuleCore::wait_for_others(Clock::time_point deadline) noexcept {
  const auto others_work = [&]() TENON_REQUIRES(module_lock) {
    return (state_.lifecycle.held() && !state_.lifecycle.held_here()) ||
           restarts_.others_report() || retired_.others_unload();
  };
  while (others_work() && Clock::now() < deadline) {
    state_.done.wait_until(state_.mutex, std::min(deadline, restarts_.next_check()));
    hangs_.abandon_overdue();
  }
}

}}}  // namespace tenon::v0_1::detail
