// SPDX-License-Identifier: BSL-1.0
//
// The state of a module, which its parts share: its lock and what that guards, and its connections
// to the host.
#pragma once

#include <tenon/abi.h>
#include <tenon/events.hpp>
#include <tenon/restart.hpp>
#include <tenon/result.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/fork.hpp"
#include "base/lock_order.hpp"
#include "base/log.hpp"
#include "base/module_lock.hpp"
#include "base/timer_queue.hpp"
#include "base/workers.hpp"
#include "call/call_trace.hpp"
#include "call/events.hpp"
#include "call/supervised_work.hpp"
#include "catalog/crash_records.hpp"
#include "catalog/plugin_module.hpp"
#include "code/generation.hpp"
#include "code/generation_owner.hpp"
#include "code/loaded_code.hpp"
#include "code/module_host.hpp"
#include "image/host_state.hpp"
#include "image/image.hpp"
#include "image/image_reaper.hpp"
#include "manifest/manifest.hpp"
#include "platform/containment.hpp"
#include "platform/file.hpp"
#include "state/exclusive_ticket.hpp"
#include "state/failures.hpp"
#include "state/instance_count.hpp"
#include "state/live_instances.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The parts of a host that its modules share. Modules may outlive the host.
struct ModuleContext {
  HostLink host;
  RestartPolicy restart;
  std::shared_ptr<ImageDirectory> images;
  std::shared_ptr<ImageReaper> reaper;
  std::shared_ptr<TimerQueue> timers;
  std::shared_ptr<Workers> workers;
  std::shared_ptr<Log> log;
  std::shared_ptr<Events> events;
  std::shared_ptr<CallTrace> trace = std::make_shared<CallTrace>();
  /// nullptr if crashes are not contained. Code that outlives the host still needs them.
  std::shared_ptr<const platform::CrashHandlers> crash_handlers;
  /// nullptr if crashes are not remembered.
  std::shared_ptr<CrashRecords> crash_records;
  bool check_calls = false;
  /// Whether code that begins to serve counts its calls.
  std::atomic<bool> count_calls{false};
};

/// In the parts of a module, "the lock" is `mutex`. A function that requires it may release it
/// meanwhile where its comment says so.
class ModuleState {
 public:
  using Clock = std::chrono::steady_clock;

  /// `calls`, `owner`: the module itself.
  ModuleState(ModuleOrigin from, std::shared_ptr<const Manifest> found,
              std::shared_ptr<const ModuleContext> host, CallSwitch& calls, GenerationOwner& owner);
  /// Runs no code of the module. Code that serves stays loaded.
  ~ModuleState();
  ModuleState(const ModuleState&) = delete;
  ModuleState& operator=(const ModuleState&) = delete;

  const ModuleOrigin origin;
  const std::string where;  // for messages
  const std::shared_ptr<const ModuleContext> context;
  const std::shared_ptr<HostStateReport> host_state;
  const platform::ProcessMark process;
  CallSwitch& calls;
  GenerationOwner& owner;

  mutable Mutex mutex{LockRank::module};
  Condition changed;  // the gate opened, or the lifecycle ticket is free
  Condition done;     // a restart completed, or a generation ended

  /// Instances, including those being created or destroyed.
  InstanceCount uses;

  ExclusiveTicket lifecycle TENON_GUARDED_BY(module_lock);
  LiveInstances instances TENON_GUARDED_BY(module_lock);
  /// Of the code that serves, or of the file.
  std::shared_ptr<const Manifest> manifest TENON_GUARDED_BY(module_lock);
  /// Of the file that was loaded last.
  platform::FileIdentity identity TENON_GUARDED_BY(module_lock);
  /// The generation that serves, or nullptr.
  GenerationPtr generation TENON_GUARDED_BY(module_lock);
  /// The number of the last generation that served, counted from 1.
  std::uint64_t generation_number TENON_GUARDED_BY(module_lock) = 0;
  /// True once the host ends.
  bool shut_down TENON_GUARDED_BY(module_lock) = false;
  /// The failures that count; they decide about quarantine.
  Failures failures TENON_GUARDED_BY(module_lock);
  /// Nothing serves before this time, because of a crash.
  Clock::time_point paused_until TENON_GUARDED_BY(module_lock){};

  /// Returns whether this process is a forked child of the one that created the module. Its locks,
  /// background threads and files must then not be used, and its state does not change.
  bool inherited() const noexcept { return process.inherited(); }
  std::shared_ptr<const Manifest> manifest_now() const TENON_EXCLUDES(module_lock);
  /// Returns whether the module is in use or quarantined and its file has changed since it was
  /// loaded.
  bool file_has_changed() const TENON_EXCLUDES(module_lock);
  /// Reports an event, and removes the record of a quarantine that has ended.
  void report(const Event& event) const noexcept TENON_EXCLUDES(module_lock);
  /// Runs a job on a worker, or on the calling thread if there is none. REQUIRED: the calling
  /// thread may run code of plugins.
  template <class Job>
  void run_on_worker(const Job& job) const noexcept TENON_EXCLUDES(module_lock) {
    try {
      if (context->workers->run(job)) return;
    } catch (const std::bad_alloc&) {
    }
    job();
  }
  /// Returns a pointer to a part of the module that keeps the module alive; nullptr if the module
  /// is being destroyed.
  template <class Part>
  std::shared_ptr<Part> keep(Part* part) const noexcept {
    auto module = owner.weak_from_this().lock();
    return module != nullptr ? std::shared_ptr<Part>(std::move(module), part) : nullptr;
  }
  /// Returns a pointer to a part of the module that does not keep it alive.
  template <class Part>
  std::weak_ptr<Part> observe(Part* part) const noexcept {
    return keep(part);
  }

  /// Return the errors of a restart that is refused, of a thread that waited in vain for the
  /// lifecycle ticket, and of a restart that was abandoned.
  Error refused(std::string found) const;
  Error busy() const;
  /// Returns the error of a create inside more than `most` creates and configure methods.
  Error too_deep(int most) const;
  Error hang_error(const SupervisedWork::Overdue& hang) const;

  /// Returns whether code of it serves, or instances wait for that.
  bool used() const noexcept TENON_REQUIRES(module_lock) {
    return generation != nullptr || !uses.none();
  }
  /// Returns whether code of it serves, or instances wait for that, without creates in progress.
  bool loaded() const noexcept TENON_REQUIRES(module_lock) {
    return generation != nullptr || instances.count() != 0;
  }
  /// Returns whether nothing may serve: in quarantine, and during the pause after a crash.
  bool stopped() const noexcept TENON_REQUIRES(module_lock) {
    return quarantined() || paused_until > Clock::now();
  }
  /// Returns whether the module has failed so often that it is no longer used.
  bool quarantined() const noexcept TENON_REQUIRES(module_lock) { return failures.quarantined(); }
  /// Returns an event of the code that serves.
  Event event(Event::Type type) const TENON_REQUIRES(module_lock);

  /// Stops creates until the module serves again, or until the deadline.
  void block_creates(Clock::time_point deadline) noexcept TENON_REQUIRES(module_lock);
  bool creates_are_blocked() const noexcept TENON_REQUIRES(module_lock) { return creates_blocked_; }
  /// Stops also creates of threads inside the generation, until the module serves again.
  void seal() noexcept TENON_REQUIRES(module_lock) { sealed_ = true; }
  bool is_sealed() const noexcept TENON_REQUIRES(module_lock) { return sealed_; }
  /// Closes the gate until the next generation serves, or until the deadline of the policy.
  void block_calls() noexcept TENON_REQUIRES(module_lock);
  /// Returns the deadline of threads that wait for the gate or for a create.
  Clock::time_point gate_deadline() const noexcept TENON_REQUIRES(module_lock) {
    return gate_deadline_;
  }

  /// Begins or ends the counting of calls in the code that serves, as the host demands now. If
  /// memory is short, nothing changes.
  void apply_count_calls() noexcept TENON_REQUIRES(module_lock);
  /// Makes new code serve. REQUIRED: no generation serves.
  void adopt(LoadedCode&& fresh) noexcept TENON_REQUIRES(module_lock);
  /// Opens the gate to the generation that serves, and lets creates continue.
  void serve_again() noexcept TENON_REQUIRES(module_lock);
  /// Ends the blocking of creates, without a generation that serves.
  void serve_nothing() noexcept TENON_REQUIRES(module_lock);
  /// Lets creates begin without the lock if no condition prevents it. Called whenever a condition
  /// changes.
  void open_to_creates() noexcept TENON_REQUIRES(module_lock);
  /// The generation in which creates begin without the lock; nullptr if they need the lock. They
  /// count in `uses`, enter the generation and then call this again. Needs no lock.
  Generation* open_generation() const noexcept { return open_.load(); }
  /// Makes creates need the lock until `open_to_creates`.
  void close_to_creates() noexcept TENON_REQUIRES(module_lock) { open_.store(nullptr); }

 private:
  std::atomic<Generation*> open_{nullptr};
  // No create may begin, but inside the generation.
  bool creates_blocked_ TENON_GUARDED_BY(module_lock) = false;
  // No create may begin or end.
  bool sealed_ TENON_GUARDED_BY(module_lock) = false;
  Clock::time_point gate_deadline_ TENON_GUARDED_BY(module_lock);
  // Of the last generation.
  std::shared_ptr<const std::vector<PluginMethods>> methods_ TENON_GUARDED_BY(module_lock);
};

}}}  // namespace tenon::v0_1::detail
