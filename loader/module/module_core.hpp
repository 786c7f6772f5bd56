// SPDX-License-Identifier: BSL-1.0
//
// The core of a module: all that it needs once it is used. The first instance loads the module, the
// last one unloads it, and a restart replaces its code in between.
#pragma once

#include <tenon/detail/guard.hpp>
#include <tenon/events.hpp>
#include <tenon/module_info.hpp>
#include <tenon/plugin_info.hpp>
#include <tenon/restart.hpp>
#include <tenon/result.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "code/generation.hpp"
#include "code/generation_owner.hpp"
#include "code/live_instance.hpp"
#include "code/loaded_code.hpp"
#include "manifest/manifest.hpp"
#include "module/module_loader.hpp"
#include "platform/file.hpp"
#include "restart/restart_step.hpp"
#include "restart/restarts.hpp"
#include "restart/retired_generations.hpp"
#include "state/module_state.hpp"
#include "supervise/call_deadlines.hpp"
#include "supervise/hang_watch.hpp"
#include "supervise/module_faults.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Directs calls and creates to the generation that serves. Each other concern of a module has a
/// class, and ModuleCore owns one object of each: they share its ModuleState, and each knows only
/// those that come before it.
///
/// Thread-safe. No lock is held while a plugin, a callback or the dynamic loader runs.
///
/// Calls wait only at a closed gate. Instances are created and released at any time, except that
/// creates wait for the short moment in which a restart publishes. One thread at a time loads or
/// restarts the module and holds the lifecycle ticket. That is no mutex, so that a thread that
/// finds a hanging worker can take it over.
class ModuleCore final : public CallSwitch, private CodeSource {
 public:
  using Clock = std::chrono::steady_clock;

  /// `owner`: the module, which owns this. `has_ended`: begin_shut_down was called for the module.
  ModuleCore(ModuleOrigin origin, std::shared_ptr<const Manifest> manifest,
             std::shared_ptr<const ModuleContext> context, GenerationOwner& owner, bool has_ended);

  /// See ModuleState::inherited.
  bool inherited() const noexcept { return state_.inherited(); }
  // See PluginModule.
  std::shared_ptr<const Manifest> manifest() const { return state_.manifest_now(); }
  ModuleInfo info() const;
  /// See ModuleState::apply_count_calls.
  void apply_count_calls() noexcept;
  /// Returns the step of the restart in progress, if there is one.
  std::optional<RestartStep> restart_step() const;
  bool in_use() const;
  bool idle() const;
  std::optional<Event> take_manifest(std::shared_ptr<const Manifest> found,
                                     const platform::FileIdentity& identity);
  Result<InstancePtr> create(const Kind& kind, std::int32_t target, std::string_view name,
                             const std::optional<TextMap>& config, Owner owner, Generation* caller);
  bool builds(const Generation* caller) const noexcept;
  /// Destroys an instance. Unloads the module after the last one. Called by InstanceDeleter.
  void release(LiveInstance& instance) noexcept;

  /// Records that the plugin of an instance accepted a configuration, in a call that has not ended.
  void remember_config(LiveInstance& instance, const TextMap& config);

  /// Returns the restarts of the module, which keep it alive.
  std::shared_ptr<Restarts> restarts() { return state_.keep(&restarts_); }
  /// Restarts on a worker, as soon as possible.
  void restart_soon(RestartReason reason);
  /// See ModuleState::file_has_changed.
  bool changed() const { return state_.file_has_changed(); }
  /// Called when the host is destroyed: nothing is created, called or restarted after this.
  void begin_shut_down() noexcept;
  /// Unloads the module if no instance is left. Reports code that hangs after the deadline, and
  /// leaves it loaded. REQUIRED: begin_shut_down was called.
  void shut_down(Clock::time_point deadline) noexcept;

  /// See GenerationOwner.
  void fault(Generation& generation, RestartReason why, const Error& error) noexcept {
    faults_.report(generation, why, error, restarts_);
  }
  /// Reports a change of the floating-point modes of the calling thread by a function of a plugin.
  void float_modes_changed() const noexcept;

  /// Returns whether the plugin itself implements a method of the latest interface in the code that
  /// serves, or that served last.
  bool implements(const LiveInstance& instance, std::string_view method) const;

  /// Returns the plugin of an instance in the manifest of the code that serves; empty in a forked
  /// child.
  PluginInfo plugin_info(const LiveInstance& instance) const;

  /// How a call leaves the closed gate.
  enum class Gate {
    refused,    // nothing serves
    in_loader,  // the thread must not wait: a signal handler has interrupted the loader
    cancelled,  // the call was cancelled
    too_late,   // the deadline of the call has passed
    opened,
    inside,  // the restart waits for the thread, which continues in the generation behind the gate
  };
  struct GateWait {
    Gate result;
    Generation* behind = nullptr;
  };
  /// Waits until the gate opens, until its deadline, or until `call` is cancelled or past its own.
  GateWait pass_gate(tenon_call* call) noexcept;
  /// Returns why nothing serves, for a call of `method` of `plugin` if they are given.
  Error unavailable(std::string_view plugin = {}, std::string_view method = {}) const;
  /// Ensures that calls are checked for missed deadlines at this time.
  void check_deadlines_at(std::int64_t deadline) noexcept { deadlines_.check_at(deadline); }

 private:
  class Claim;

  // Instances.
  bool wait_while_blocked() noexcept TENON_REQUIRES(module_lock);
  bool lets_in() const noexcept TENON_REQUIRES(module_lock);
  Result<void> become_ready() TENON_REQUIRES(module_lock);
  Result<InstancePtr> create_in(Generation& generation, const GenerationGuard& guard,
                                const CreateRequest& request);
  bool is_building(const Generation& generation) const noexcept TENON_REQUIRES(module_lock);
  InstancePtr add(Generation& generation, PluginObject& object, const CreateRequest& request,
                  std::shared_ptr<const TextMap> config) TENON_REQUIRES(module_lock);
  void drop_use(Owner owner) noexcept;

  // Loading.
  Result<void> ensure_serving() TENON_REQUIRES(module_lock);
  Result<void> load_and_serve(Event& loaded) TENON_REQUIRES(module_lock);
  Result<LoadedCode> load(bool force) override;
  void unload_if_unused() noexcept override;
  GateWait pass_inherited_gate() noexcept TENON_NO_THREAD_SAFETY_ANALYSIS;
  void wait_for_others(Clock::time_point deadline) noexcept TENON_REQUIRES(module_lock);

  ModuleState state_;
  std::atomic<std::uint64_t> serials_{0};  // used by creates so far
  // While an instance uses the module, and while one of the program does.
  std::shared_ptr<PluginModule> self_ TENON_GUARDED_BY(module_lock);
  std::shared_ptr<void> host_ TENON_GUARDED_BY(module_lock);

  ModuleLoader loader_{state_};
  HangWatch hangs_{state_};
  RetiredGenerations retired_{state_, hangs_};
  CallDeadlines deadlines_{state_, retired_};
  ModuleFaults faults_{state_};
  Restarts restarts_{{state_, hangs_, retired_, faults_, *this}};
};

}}}  // namespace tenon::v0_1::detail
