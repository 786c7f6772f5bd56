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

#include "call/supervised_work.hpp"
#include "code/loaded_code.hpp"
#include "restart/restart_schedule.hpp"
#include "restart/restart_step.hpp"
#include "restart/retired_generations.hpp"
#include "state/module_state.hpp"
#include "supervise/hang_watch.hpp"
#include "supervise/module_faults.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

class TicketHold;
class Restart;
class RestartGroup;

/// A requested restart.
struct RestartRequest {
  RestartRequest(RestartReason reason, const RestartOptions& options, bool waited_for,
                 std::uint64_t generation_at_request, std::shared_ptr<RestartGroup> group)
      : reason(reason),
        options(options),
        waited_for(waited_for),
        generation_at_request(generation_at_request),
        group(std::move(group)) {}

  const RestartReason reason;
  const RestartOptions options;
  const bool waited_for;                      // a thread waits for the result
  const std::uint64_t generation_at_request;  // the generation number at the time of the request
  const std::shared_ptr<RestartGroup> group;  // nullptr if the module is restarted alone
  bool completed TENON_GUARDED_BY(module_lock) = false;
  bool reporting TENON_GUARDED_BY(module_lock) = false;  // its event is not reported yet
  // Written by the worker before `completed`:
  Result<void> result = no_memory();
  std::shared_ptr<Retired> old;  // the replaced generation, or the new one that failed

 private:
  static Error no_memory();
};

/// What the module does for its restarts.
class CodeSource {
 public:
  /// Loads code, without making it serve. `force`: see RestartOptions. Errors: those of
  /// ModuleLoader. REQUIRED: the calling thread holds the lifecycle ticket.
  virtual Result<LoadedCode> load(bool force) TENON_EXCLUDES(module_lock) = 0;
  /// Unloads the module if no instance is left.
  virtual void unload_if_unused() noexcept TENON_EXCLUDES(module_lock) = 0;

 protected:
  ~CodeSource() = default;
};

/// The parts of a module that its restarts use.
struct RestartParts {
  ModuleState& state;
  HangWatch& hangs;
  RetiredGenerations& retired;
  ModuleFaults& faults;
  CodeSource& code;
};

/// Thread-safe.
class Restarts final : public AfterFault, public Supervised, private BeginRestart {
 public:
  using Clock = std::chrono::steady_clock;
  using RequestPtr = std::shared_ptr<RestartRequest>;

  explicit Restarts(const RestartParts& parts) noexcept : parts_(parts), state_(parts.state) {
    parts.hangs.supervise(*this);
  }
  Restarts(const Restarts&) = delete;
  Restarts& operator=(const Restarts&) = delete;

  ModuleState& state() noexcept { return state_; }
  const ModuleState& state() const noexcept { return state_; }

  /// See Host::restart.
  Result<RestartOutcome> request(RestartReason reason, const RestartOptions& options)
      TENON_EXCLUDES(module_lock);
  /// Starts a restart on a worker. `waited_for`: the caller waits for the result, and for the end
  /// of the old generation. `count`: the generation number when the reason for the restart
  /// appeared. Error: no-thread.
  Result<RequestPtr> begin(RestartReason reason, const RestartOptions& options, bool waited_for,
                           std::uint64_t count, std::shared_ptr<RestartGroup> group = nullptr);
  /// Waits until the restart has completed, and then while a worker unloads the generation that it
  /// retired.
  Result<void> wait_for(RestartRequest& request) TENON_EXCLUDES(module_lock);
  /// Ends the quarantine of a module that is not used.
  void release_unused() TENON_EXCLUDES(module_lock);
  /// Abandons workers of the module that hang.
  void abandon_overdue() noexcept TENON_EXCLUDES(module_lock);

  /// Plans a restart on a worker, unless an earlier one of its sort is planned.
  void plan(RestartReason reason, const RestartOptions& options, Clock::time_point when)
      TENON_REQUIRES(module_lock) {
    schedule_.plan(reason, options, when);
  }
  void plan_restart(RestartReason why, Clock::time_point when)
      TENON_REQUIRES(module_lock) override {
    plan(why, {}, when);
  }
  void retire_crashed() TENON_REQUIRES(module_lock) override;
  /// Makes new code serve. REQUIRED: no generation serves.
  void make_serve(LoadedCode&& fresh) noexcept TENON_REQUIRES(module_lock);
  /// Returns whether a restart is in progress.
  bool in_progress() const noexcept TENON_REQUIRES(module_lock) { return current_ != nullptr; }
  /// Returns the step of the restart in progress, if there is one.
  std::optional<RestartStep> step() const TENON_REQUIRES(module_lock);
  bool is_in_progress(const SupervisedWork& work) const noexcept
      TENON_REQUIRES(module_lock) override;
  /// Abandons the restart in progress if it hangs. Releases the lock meanwhile.
  void abandon_overdue(Clock::time_point now) noexcept TENON_REQUIRES(module_lock) override;
  /// Abandons the restart in progress because the host ends.
  void abandon_at_shut_down() noexcept TENON_REQUIRES(module_lock);
  /// Return whether events are not reported yet, and whether another thread reports one.
  bool reports() const noexcept TENON_REQUIRES(module_lock) { return reports_ != 0; }
  bool others_report() const noexcept TENON_REQUIRES(module_lock);
  /// Returns whether the group of the restart in progress waits for the calling thread.
  bool waits_for_this_thread() const noexcept TENON_REQUIRES(module_lock);
  /// Returns whether the calling thread is inside the module, or restarts it.
  bool is_inside() const noexcept TENON_REQUIRES(module_lock);
  /// Returns when a thread that waits for the restart checks it next. A gate that closes after the
  /// check is not overdue before this time.
  Clock::time_point next_check() const noexcept TENON_REQUIRES(module_lock);

 private:
  Result<void> begin_planned(RestartReason reason, const RestartOptions& options,
                             std::uint64_t count) override;
  bool perform(const RequestPtr& request);
  Result<void> run(const std::shared_ptr<Restart>& restart) TENON_REQUIRES(module_lock);
  bool may_begin(RestartRequest& request, const TicketHold& lifecycle) TENON_REQUIRES(module_lock);
  bool is_needed(const RestartRequest& request) TENON_REQUIRES(module_lock);
  void end(Restart& restart, Result<void> done) TENON_REQUIRES(module_lock);
  std::optional<Event> release() TENON_REQUIRES(module_lock);
  void begin_report(RestartRequest& request) noexcept TENON_REQUIRES(module_lock);
  void report(const Event& what, bool returned) noexcept;
  void complete(RestartRequest& request, const Event& what);
  void complete(RestartRequest& request) noexcept;
  void leave_group(const RestartRequest& request) noexcept;
  void finish_late(Restart& restart);
  std::shared_ptr<Restart> abandon() noexcept TENON_REQUIRES(module_lock);
  void abandon(const SupervisedWork::Overdue& hang) TENON_REQUIRES(module_lock);
  void recover(const std::shared_ptr<Restart>& abandoned, const SupervisedWork::Overdue& hang);
  bool resume(const Restart& abandoned) TENON_REQUIRES(module_lock);
  void lose_generation() TENON_REQUIRES(module_lock);

  const RestartParts parts_;
  ModuleState& state_;
  RestartSchedule schedule_{state_, *this};
  std::shared_ptr<Restart> current_ TENON_GUARDED_BY(module_lock);
  std::size_t reports_ TENON_GUARDED_BY(module_lock) = 0;
};

}}}  // namespace tenon::v0_1::detail
