// SPDX-License-Identifier: BSL-1.0
//
// A module of a host. The first instance loads it, the last one unloads it, and a restart replaces
// its code in between.
#pragma once

#include <tenon/events.hpp>
#include <tenon/gen/guard.hpp>
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
#include <vector>

#include "base/fork.hpp"
#include "base/lock_order.hpp"
#include "call/operation.hpp"
#include "call/thread_records.hpp"
#include "manifest/manifest.hpp"
#include "module/call_deadlines.hpp"
#include "module/generation.hpp"
#include "module/hang_watch.hpp"
#include "module/instance_count.hpp"
#include "module/lifecycle.hpp"
#include "module/live_instances.hpp"
#include "module/module_faults.hpp"
#include "module/module_loader.hpp"
#include "module/module_shared.hpp"
#include "module/restart_schedule.hpp"
#include "module/restarts.hpp"
#include "module/retired_generations.hpp"
#include "platform/file.hpp"

namespace tenon::inline v0_1::detail {

/// Directs calls and creates to the generation that serves. Each other concern of a module has a
/// class, and Module owns one object of each: they share its lock, and reach each other through it.
///
/// Thread-safe. No lock is held while a plugin, a callback or the dynamic loader runs.
///
/// Calls wait only at a closed gate. Instances are created and released at any time, except that
/// creates wait for the short moment in which a restart publishes. One thread at a time loads or
/// restarts the module and holds the lifecycle lock. That is a ticket, not a mutex, so that a
/// thread that finds a hanging worker can take it over.
class Module final : public ServingModule,
                     public FaultSink,
                     public std::enable_shared_from_this<Module> {
 public:
  using Clock = std::chrono::steady_clock;

  Module(ModuleOrigin origin, std::shared_ptr<const Manifest> manifest,
         std::shared_ptr<const ModuleContext> context);
  /// Runs no code of the module. Code that is still loaded stays loaded.
  ~Module();

  const ModuleOrigin& origin() const noexcept { return shared_.origin; }
  /// Returns whether this process is a forked child of the one that created the module. Its locks,
  /// background threads and files must then not be used, and its state does not change.
  bool inherited() const noexcept { return process_.inherited(); }
  /// Returns the manifest of the code that serves, or of the file if none is loaded.
  std::shared_ptr<const Manifest> manifest() const;
  ModuleInfo info() const;
  /// Returns whether code of it is loaded, or instances wait for that.
  bool in_use() const;
  /// Returns whether a host may forget it: it is not in use or about to be, and no code is left.
  bool idle() const;
  /// Sets the manifest that was found in the file, unless the module is in use or about to be: it
  /// then keeps its manifest until it is restarted. A file other than the last one loaded also ends
  /// a quarantine. Returns the event if a quarantine has ended.
  std::optional<Event> take_manifest(std::shared_ptr<const Manifest> found,
                                     const platform::FileIdentity& identity);
  /// Returns whether its manifest equals this one.
  bool has_manifest(const Manifest& manifest) const;

  /// Creates an instance of the plugin `name`, for use as version `target` of a kind. Loads the
  /// module with its first instance. If the calling thread loads or restarts the module and
  /// `caller` is its new generation, the object is created there. Errors: those of loading and of
  /// the plugin; `module-quarantined`, `module-restarting`, `module-busy`; resource-exhausted if
  /// plugins of the module create each other without end.
  Result<InstancePtr> create(const Kind& kind, std::int32_t target, std::string_view name,
                             const std::optional<TextMap>& config, Owner owner,
                             Generation* caller = nullptr);
  /// Returns whether the calling thread loads or restarts the module, and `caller` is the new
  /// generation. The address of a generation that was destroyed is allowed.
  bool builds(const Generation* caller) const noexcept;
  /// Destroys an instance. Unloads the module after the last one. Called by InstanceDeleter.
  void release(LiveInstance& instance) noexcept;

  /// Records that the plugin of an instance accepted a configuration, in a call that has not ended.
  void remember_config(LiveInstance& instance, const TextMap& config);

  /// See Host::restart.
  Result<RestartOutcome> restart(RestartReason reason, const RestartOptions& options) {
    return restarts_.request(reason, options);
  }
  /// Restarts on a worker, as soon as possible.
  void restart_soon(RestartReason reason);
  /// Returns whether it is in use or quarantined and its file has changed since it was loaded.
  bool changed() const;
  /// Called when the host is destroyed: nothing is created, called or restarted after this.
  void begin_shut_down() noexcept;
  /// Unloads the module if no instance is left. Reports code that hangs after the deadline, and
  /// leaves it loaded. REQUIRED: begin_shut_down was called.
  void shut_down(Clock::time_point deadline) noexcept;

  void fault(Generation& generation, RestartReason why, const Error& error) noexcept override {
    faults_.report(generation, why, error);
  }

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

  // The parts of the module, for each other.

  ModuleShared& shared() noexcept { return shared_; }
  const ModuleShared& shared() const noexcept { return shared_; }
  Lifecycle& lifecycle() noexcept { return lifecycle_; }
  LiveInstances& instances() noexcept { return instances_; }
  RetiredGenerations& retired() noexcept { return retired_; }
  Restarts& restarts() noexcept { return restarts_; }
  RestartSchedule& schedule() noexcept { return schedule_; }
  HangWatch& hangs() noexcept { return hangs_; }
  ModuleFaults& faults() noexcept { return faults_; }
  CallDeadlines& deadlines() noexcept { return deadlines_; }

  // For the parts. REQUIRED for the next two functions: the lock is not held.

  /// Loads code, without making it serve. Remembers the file also if that fails, so that only
  /// another file ends a quarantine. `insist`: see RestartOptions. REQUIRED: the lifecycle lock is
  /// held.
  Result<LoadedCode> load(bool insist = false);
  /// Unloads the module if no instance is left.
  void unload_if_unused() noexcept;

  // REQUIRED for the functions below: the lock.

  /// Returns whether code of it serves, or instances wait for that.
  bool used() const noexcept { return generation_ != nullptr || !uses_.none(); }
  /// Returns whether code of it serves, or instances wait for that, without creates in progress.
  bool loaded() const noexcept { return generation_ != nullptr || instances_.count() != 0; }
  /// Returns the generation that serves, or nullptr.
  Generation* serving() const noexcept { return generation_.get(); }
  /// Returns the number of the last generation that served, counted from 1.
  std::uint64_t generation_number() const noexcept { return count_; }
  /// Returns an event of the code that serves.
  Event event(Event::Type type) const;

  /// Stops creates until the module serves again, or until the deadline.
  void freeze(Clock::time_point deadline) noexcept;
  /// Stops also creates of threads inside the generation, until the module serves again.
  void seal() noexcept { sealed_ = true; }
  /// Retires the generation that serves, with an event of this type for its end.
  std::shared_ptr<Retired> retire_serving(Event::Type type);
  /// The same in two steps. The second does nothing if that generation no longer serves.
  RetiredGenerations::Place prepare_to_retire(Event::Type type) const;
  std::shared_ptr<Retired> retire_serving(RetiredGenerations::Place place) noexcept;
  /// Makes new code serve. REQUIRED: no generation serves.
  void adopt(LoadedCode&& fresh) noexcept;
  /// Opens the gate to the generation that serves, and lets creates continue.
  void serve_again() noexcept;
  /// Closes the gate, and retires the generation, which no longer serves because it has crashed.
  void retire_crashed();
  /// Retires the generation. Nothing serves until the next restart, as after a crash. The thread
  /// that hangs in the generation keeps it loaded.
  void lose_generation();
  /// Lets creates begin without the lock if no condition prevents it. Called whenever a condition
  /// changes.
  void open_to_creates() noexcept;

 private:
  class Claim;
  using Lock = ModuleLock;

  // Instances.
  Result<void> become_ready(Lock& lock);
  bool wait_while_frozen(Lock& lock) noexcept;
  bool lets_in() const noexcept;
  Result<InstancePtr> create_in(Generation& generation, const GenerationGuard& guard,
                                const CreateRequest& request);
  bool is_building(const Generation& generation) const noexcept;
  InstancePtr add(Generation& generation, Generation::Object& object, const CreateRequest& request,
                  std::shared_ptr<const TextMap> config);
  void drop_use(Owner owner) noexcept;

  // Loading and the gate.
  Result<void> load_first(Lock& lock);
  Result<LoadedCode> load_and_lock(Lock& lock);
  void close_gate() noexcept;

  void wait_for_others(Lock& lock, Clock::time_point deadline) noexcept;

  ModuleShared shared_;
  const platform::ProcessMark process_;

  // The generation in which creates begin without the lock; nullptr if they need the lock. They
  // count in `uses_`, enter the generation and then load this again.
  std::atomic<Generation*> open_{nullptr};
  std::atomic<std::uint64_t> serials_{0};  // used by creates so far
  InstanceCount uses_;                     // instances, including those being created or destroyed
  bool frozen_ = false;                    // no create may begin, but inside the generation
  bool sealed_ = false;                    // no create may begin or end
  Clock::time_point gate_deadline_;        // while frozen or while the gate is closed
  std::shared_ptr<Module> self_;           // while `uses_` counts an instance
  std::shared_ptr<void> host_;             // while `uses_` counts one of the program

  std::shared_ptr<const Manifest> manifest_;
  platform::FileIdentity identity_;
  GenerationPtr generation_;
  std::uint64_t count_ = 0;                                    // generation number of the last one
  std::shared_ptr<const std::vector<PluginMethods>> methods_;  // of the last one

  Lifecycle lifecycle_;
  LiveInstances instances_{*this, *this};
  ModuleLoader loader_{*this, shared_};
  RetiredGenerations retired_{*this, shared_};
  ModuleFaults faults_{*this, shared_};
  RestartSchedule schedule_{*this, shared_};
  Restarts restarts_{*this, shared_};
  HangWatch hangs_{*this, shared_};
  CallDeadlines deadlines_{*this, shared_};
};

}  // namespace tenon::inline v0_1::detail
