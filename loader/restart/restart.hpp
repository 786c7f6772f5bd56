// SPDX-License-Identifier: BSL-1.0
//
// One restart of a module: loads the new file and makes its generation serve, or returns to the
// previous generation.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "call/supervised_work.hpp"
#include "code/loaded_code.hpp"
#include "restart/restart_group.hpp"
#include "restart/restart_step.hpp"
#include "restart/restarts.hpp"
#include "restart/state_transfer.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Performed by a worker that holds the module's lifecycle lock. If a function of a plugin does not
/// return in time, the worker loses the lock and the restart is abandoned. When the function
/// returns after all, the worker no longer touches the module.
class Restart : public SupervisedWork, public std::enable_shared_from_this<Restart> {
 public:
  /// `owner` keeps the module alive.
  Restart(const RestartParts& parts, std::shared_ptr<Restarts> owner,
          std::shared_ptr<RestartRequest> request) TENON_REQUIRES(module_lock);

  /// Performs the restart. Errors: those of loading, of the plugins' create, configure and state
  /// functions; restart-refused, state-refused, restart-failed.
  Result<void> run();
  /// Ends a failed run: rolls back and returns the error.
  Result<void> fail(Error error);
  /// Returns to the previous generation if the module is frozen: resumes the suspended instances
  /// and opens the gate.
  void roll_back() noexcept;

  RestartRequest& request() const noexcept { return *request_; }
  const std::shared_ptr<RestartRequest>& shared_request() const noexcept { return request_; }

  /// Returns what the restart does at the moment.
  RestartStep step() const TENON_REQUIRES(module_lock);

  /// Abandons the restart because a step is overdue.
  void abandon() noexcept TENON_REQUIRES(module_lock);
  bool abandoned() const noexcept { return abandoned_.load(); }
  /// Returns a restart that resumes the instances that this abandoned one has suspended.
  std::shared_ptr<Restart> successor() const TENON_REQUIRES(module_lock);

  /// The generation in which plugin code runs.
  enum class Phase {
    filling,     // the new one
    saving,      // the old one, which can serve again immediately
    suspending,  // the old one, which cannot
  };
  Phase phase() const noexcept { return abandoned() ? abandoned_in_ : phase_.load(); }
  /// Returns whether the old generation must be resumed.
  bool has_suspended() const noexcept TENON_REQUIRES(module_lock) { return !suspended_.empty(); }

  /// After success: returns the previous generation, if there was one.
  std::shared_ptr<Retired> take_old() noexcept { return std::move(old_); }
  /// After a failure: the new generation, perhaps incomplete.
  GenerationPtr& fresh() noexcept { return next_.generation; }
  /// The event of the run, valid after it.
  const Event& event() const noexcept { return event_; }
  /// Returns whether the restart has ended a quarantine.
  bool has_released() const noexcept { return released_; }
  Event released_event() const;
  /// Returns whether the thread that ran it has no thread_local object of the new generation, or of
  /// a module that this may have used.
  bool leaves_thread_clean() const noexcept { return leaves_thread_clean_; }

 private:
  Result<void> attempt();
  Result<void> check_switched_on() const;
  Result<void> check_reloadable() const;
  bool moves_state(const RestartMember& member) const;
  bool has_state() const;
  std::vector<RestartMember> members() const;
  std::vector<LiveInstances::Change> take_changes();
  bool is_made(const RestartMember& member) const;
  Result<std::size_t> apply_changes();
  bool is_built(std::uint32_t index, const InstanceRecord& record);
  Result<void> apply(std::uint32_t index, const InstanceRecord& record);
  Result<void> arrive(RestartGroup::Stage stage);
  Result<void> block_creates();
  Result<void> switch_over();
  Result<void> hand_over();
  Result<void> block_calls();
  Result<void> drain_old();
  Result<void> save_states();
  Result<void> suspend();
  Result<void> restore_states();
  Result<bool> publish();
  void take_late_changes() noexcept TENON_REQUIRES(module_lock);
  void commit(Event restarted, RetiredGenerations::Place place) noexcept
      TENON_REQUIRES(module_lock);
  void apply_late_changes(Generation& published, const GenerationGuard& guard);
  Event restarted_event() const TENON_REQUIRES(module_lock);
  Error abandoned_error() const;

  const RestartParts parts_;
  const std::shared_ptr<Restarts> owner_;
  ModuleState& state_;
  const std::shared_ptr<RestartRequest> request_;
  Generation* const serving_;  // nullptr after a crash; not used after abandon
  const Clock::time_point begun_ = Clock::now();
  std::atomic<bool> draining_{false};  // waits until calls have left the old generation
  std::atomic<bool> abandoned_{false};
  std::atomic<Phase> phase_{Phase::filling};
  Phase abandoned_in_ = Phase::filling;  // written before abandoned_
  bool session_ = false;                 // some instance has one
  bool handed_over_ = false;             // the old generation has closed them
  bool blocks_creates_ = false;
  bool released_ = false;
  bool leaves_thread_clean_ = false;
  Clock::time_point deadline_;                           // of the functions of the plugins
  Clock::time_point latest_ = Clock::time_point::max();  // how long it waits for its group
  Clock::time_point closed_at_;
  LoadedCode next_;
  std::vector<InstanceRecord> made_;     // in the new generation, by index
  std::vector<std::uint32_t> sessions_;  // instances that are created after that
  std::vector<RestartMember> members_;   // instances whose state moves
  StateTransfer states_;
  std::vector<std::uint32_t> suspended_;  // guarded by the module
  // Changes after the group could no longer fail, which are applied once the new generation serves.
  std::vector<PluginObject> ended_late_;
  std::vector<LiveInstances::Change> configured_late_;
  std::shared_ptr<Retired> old_;
  Event event_;
};

}}}  // namespace tenon::v0_1::detail
