// SPDX-License-Identifier: BSL-1.0
#include "state/module_state.hpp"

#include <random>

#include "catalog/description.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// Returns the generator for the delays of one module. Seeds it from the system once in a process,
/// because that takes as long as reading a few manifests.
std::minstd_rand next_random() {
  static std::atomic<std::uint32_t> seed{std::random_device{}()};
  return std::minstd_rand(seed.fetch_add(0x9e3779b9));
}

}  // namespace

ModuleState::ModuleState(ModuleOrigin from, std::shared_ptr<const Manifest> found,
                         std::shared_ptr<const ModuleContext> host, CallSwitch& calls,
                         GenerationOwner& owner)
    : origin(std::move(from)),
      where(location_of(*found, origin.file)),
      context(std::move(host)),
      host_state(std::make_shared<HostStateReport>(found->name, context->log)),
      calls(calls),
      owner(owner),
      instances(calls),
      manifest(std::move(found)),
      failures(context->restart.failures, next_random()) {}

ModuleState::~ModuleState() {
  if (generation != nullptr) leave_loaded(std::move(generation));
}

std::shared_ptr<const Manifest> ModuleState::manifest_now() const {
  const ModuleLock lock(mutex);
  return manifest;
}

bool ModuleState::file_has_changed() const {
  platform::FileIdentity loaded;
  {
    const ModuleLock lock(mutex);
    const bool watched = used() || quarantined();
    if (!watched || origin.builtin != nullptr) return false;
    loaded = identity;
  }
  const auto now = platform::identity_of(origin.file);
  return now && !(*now == loaded);
}

Event ModuleState::event(Event::Type type) const {
  return {.type = type,
          .package = manifest->name,
          .package_version = manifest->version.to_string(),
          .generation = generation_number};
}

void ModuleState::report(const Event& event) const noexcept {
  if (event.type == Event::Type::released && context->crash_records != nullptr)
    context->crash_records->release(origin.file);
  context->events->report(event);
}

// -- The gate -----------------------------------------------------------------

void ModuleState::block_creates(Clock::time_point deadline) noexcept {
  creates_blocked_ = true;
  gate_deadline_ = deadline;
}

void ModuleState::block_calls() noexcept {
  calls.close();
  gate_deadline_ = Clock::now() + context->restart.gate_timeout;
}

void ModuleState::adopt(LoadedCode&& fresh) noexcept {
  generation = std::move(fresh.generation);
  manifest = std::move(fresh.manifest);
  identity = fresh.identity;
  ++generation_number;
  instances.visit([this](LiveInstance& instance) TENON_REQUIRES(module_lock) {
    instance.set_methods(generation->methods_of(instance.index()));
    if (instance.builder() == generation.get()) instance.set_builder(nullptr);
  });
  methods_ = generation->methods();
  apply_count_calls();
  serve_again();
}

void ModuleState::apply_count_calls() noexcept {
  if (generation == nullptr) return;
  try {
    generation->objects().count_calls(context->count_calls.load() || context->trace->is_on());
  } catch (const std::bad_alloc&) {
  }
}

void ModuleState::serve_again() noexcept {
  const bool serves = generation != nullptr && !quarantined() && !shut_down;
  calls.interrupting.store(false);  // before a call can enter
  if (serves) generation->objects().serve(calls);
  creates_blocked_ = sealed_ = false;
  paused_until = {};
  changed.notify_all();
}

void ModuleState::serve_nothing() noexcept {
  calls.interrupting.store(false);
  creates_blocked_ = sealed_ = false;
  changed.notify_all();
}

void ModuleState::open_to_creates() noexcept {
  const bool open = !lifecycle.held() && !creates_blocked_ && !shut_down && !quarantined();
  open_.store(open ? generation.get() : nullptr);
}

// -- Errors -------------------------------------------------------------------

Error ModuleState::refused(std::string found) const {
  return Error({.code = "restart-refused",
                .status = TENON_FAILED_PRECONDITION,
                .message = std::move(found),
                .where = where});
}

Error ModuleState::busy() const {
  return Error({.code = "module-busy",
                .status = TENON_UNAVAILABLE | TENON_RETRYABLE,
                .message = "another thread is loading or restarting the module and does not end",
                .where = where});
}

Error ModuleState::too_deep(int most) const {
  return Error({.status = TENON_RESOURCE_EXHAUSTED,
                .message = "plugins of the module create each other without end",
                .where = where,
                .found = "more than " + std::to_string(most) + " nested creates and configures",
                .needed = "at most " + std::to_string(most),
                .fix = "do not create a plugin in its own create or configure function"});
}

Error ModuleState::hang_error(const SupervisedWork::Overdue& hang) const {
  return Error({.code = "restart-failed",
                .status = TENON_DEADLINE_EXCEEDED,
                .message = hang.function + " of " + hang.plugin +
                           (hang.ended_thread ? " ended its thread" : " did not return in time") +
                           "; its thread and its code are abandoned",
                .where = where,
                .plugin = hang.plugin,
                .method = hang.function});
}

}}}  // namespace tenon::v0_1::detail
