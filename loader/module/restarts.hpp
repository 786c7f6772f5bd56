// SPDX-License-Identifier: BSL-1.0
//
// Requests of restarts of a module, and their performance on workers.
#pragma once

#include <tenon/events.hpp>
#include <tenon/restart.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "module/module_shared.hpp"
#include "module/retired_generations.hpp"

namespace tenon::inline v0_1::detail {

class LifecycleLock;
class Module;
class Restart;
class RestartGroup;

/// A requested restart. Members that change are guarded by the module.
struct RestartRequest {
  RestartRequest(RestartReason reason, const RestartOptions& options, bool waited_for,
                 std::uint64_t asked_at, std::shared_ptr<RestartGroup> group)
      : reason(reason),
        options(options),
        waited_for(waited_for),
        asked_at(asked_at),
        group(std::move(group)) {}

  const RestartReason reason;
  const RestartOptions options;
  const bool waited_for;                      // a thread waits for the result
  const std::uint64_t asked_at;               // the generation number at the time of the request
  const std::shared_ptr<RestartGroup> group;  // nullptr if the module is restarted alone
  bool completed = false;
  bool reporting = false;             // its event is not reported yet
  Result<void> result = no_memory();  // until it is set
  std::shared_ptr<Retired> old;       // the replaced generation, or the new one that failed

 private:
  static Error no_memory();
};

/// Thread-safe. REQUIRED, except where a comment says otherwise: the lock is not held.
class Restarts {
 public:
  using Clock = std::chrono::steady_clock;
  using RequestPtr = std::shared_ptr<RestartRequest>;

  Restarts(Module& module, ModuleShared& shared) noexcept : module_(module), shared_(shared) {}
  Restarts(const Restarts&) = delete;
  Restarts& operator=(const Restarts&) = delete;

  /// See Host::restart.
  Result<RestartOutcome> request(RestartReason reason, const RestartOptions& options);
  /// Starts a restart on a worker. `waited_for`: the caller waits for the result, and for the end
  /// of the old generation. `count`: the generation number when the reason for the restart
  /// appeared. Error: no-thread.
  Result<RequestPtr> begin(RestartReason reason, const RestartOptions& options, bool waited_for,
                           std::uint64_t count, std::shared_ptr<RestartGroup> group = nullptr);
  /// Waits until the restart has completed, and then while a worker unloads the generation that it
  /// retired.
  Result<void> wait_for(ModuleLock& lock, RestartRequest& request);
  /// Reports how a restart ended, then completes its request. A failed restart after a fault counts
  /// as another failure.
  void complete(RestartRequest& request, const Event& what);

  // REQUIRED for the functions below: the lock.

  /// Returns the restart in progress; nullptr if there is none.
  const std::shared_ptr<Restart>& current() const noexcept { return current_; }
  /// Announces the event of a restart, before the lifecycle lock is released. Until `complete` the
  /// module is not unloaded, so that no event of a later time is reported first.
  void begin_report(RestartRequest& request) noexcept;
  /// Return whether events are not reported yet, and whether another thread reports one.
  bool reports() const noexcept { return reports_ != 0; }
  bool others_report() const noexcept;
  /// Returns whether the group of the restart in progress waits for the calling thread.
  bool waits_for_this_thread() const noexcept;
  /// Returns whether the calling thread is inside the module, or restarts it.
  bool is_inside() const noexcept;
  /// Ends the quarantine of a module that is not used. Releases the lock.
  void release_unused(ModuleLock& lock);
  /// Returns when a thread that waits for the restart checks it next. A gate that closes after the
  /// check is not overdue before this time.
  Clock::time_point next_check() const noexcept;
  /// Abandons the restart in progress, and returns it.
  std::shared_ptr<Restart> abandon() noexcept;
  /// Resumes what an abandoned restart has suspended. Returns false if that was abandoned as well.
  bool resume(ModuleLock& lock, const Restart& abandoned);

 private:
  void perform(const RequestPtr& request);
  Result<void> run_and_lock(const std::shared_ptr<Restart>& restart, ModuleLock& lock);
  bool may_begin(RestartRequest& request, const LifecycleLock& lifecycle, ModuleLock& lock);
  bool is_needed(const RestartRequest& request, ModuleLock& lock);
  void end(Restart& restart, Result<void> done);
  void report(const Event& what, bool returned) noexcept;
  void complete(RestartRequest& request) noexcept;
  void leave_group(const RestartRequest& request) noexcept;
  void finish_late(Restart& restart);

  Module& module_;
  ModuleShared& shared_;
  // Guarded by the lock.
  std::shared_ptr<Restart> current_;
  std::size_t reports_ = 0;
};

}  // namespace tenon::inline v0_1::detail
