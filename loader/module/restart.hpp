// SPDX-License-Identifier: BSL-1.0
//
// One replacement of a module's code, all or nothing: from the new file to the moment at which its
// generation serves, or back to the one that served before.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "module/module.hpp"
#include "module/state.hpp"

namespace tenon::detail {

/// Performed by a worker that holds the module's lifecycle lock. A function of a plugin that does
/// not return in time costs the worker that lock: the restart is given up, others go on, and the
/// worker touches nothing of the module any more when the function returns after all.
class Restart : public Operation, public std::enable_shared_from_this<Restart> {
 public:
  /// REQUIRED: the lock of the module.
  Restart(Module& module, std::shared_ptr<RestartRequest> request);

  /// Errors: those of loading, of the plugins' create, configure and functions around state;
  /// restart-refused, state-refused, restart-failed.
  Result<void> run();
  /// Ends a run that has failed: goes back, and returns the error.
  Result<void> fail(Error error);
  /// Returns to the generation that served before, where it was frozen: resumes what was suspended,
  /// and opens the gate.
  void go_back() noexcept;

  RestartRequest& request() const noexcept { return *request_; }
  const std::shared_ptr<RestartRequest>& shared_request() const noexcept { return request_; }

  /// Called once a step is overdue. REQUIRED: the lock of the module.
  void give_up() noexcept {
    given_up_in_ = phase_.load();
    given_up_.store(true);
  }
  bool given_up() const noexcept { return given_up_.load(); }
  /// A restart that resumes what this one, which was given up, has suspended. REQUIRED: the lock of
  /// the module.
  std::shared_ptr<Restart> successor() const;

  /// Where it is, for whoever gives it up.
  enum class Phase {
    filling,     // in the new generation
    saving,      // in the old one, which can serve again at once
    suspending,  // in the old one, which cannot
  };
  Phase phase() const noexcept { return given_up() ? given_up_in_ : phase_.load(); }
  /// Whether the old generation has to be resumed. REQUIRED: the lock of the module.
  bool has_suspended() const noexcept { return !suspended_.empty(); }

  /// After a run that succeeded: the generation that served before, if one did.
  std::shared_ptr<Retired> take_old() noexcept { return std::move(old_); }
  /// After a run that failed: the new generation, as far as it got.
  GenerationPtr& fresh() noexcept { return fresh_.generation; }
  /// What happened, after the run.
  const Event& event() const noexcept { return event_; }
  /// Whether a run that succeeded has ended a quarantine, and the event that says so.
  bool has_released() const noexcept { return released_; }
  Event released_event() const;

 private:
  struct Member {
    std::uint32_t index;
    std::uint64_t serial;
    bool session;
  };
  struct Saved {
    Member member;
    std::optional<Bytes> state;  // nothing: there is none
  };
  using Change = std::pair<std::uint32_t, InstanceRecord>;

  Result<void> attempt();
  Result<void> check_reloadable() const;
  bool has_state() const;
  std::vector<Member> members() const;
  std::vector<Change> take_changes();
  Result<std::size_t> follow_changes();
  Result<void> follow(std::uint32_t index, const InstanceRecord& wanted);
  Result<void> freeze();
  Result<void> move_over();
  Result<void> hand_over();
  Result<void> close_gate();
  Result<void> save_states();
  Result<void> suspend();
  Result<void> restore_states();
  Result<bool> publish();
  Event restarted_event() const;
  Error lost() const;

  const std::shared_ptr<Module> owner_;
  Module& module_;
  const std::shared_ptr<RestartRequest> request_;
  Generation* const serving_;  // nullptr after a crash; not used once given up
  std::atomic<bool> given_up_{false};
  std::atomic<Phase> phase_{Phase::filling};
  Phase given_up_in_ = Phase::filling;  // written before given_up_
  bool session_ = false;                // some instance has one
  bool handed_over_ = false;            // the old generation has let go of them
  bool frozen_ = false;
  bool released_ = false;
  Module::Clock::time_point deadline_;
  Module::Clock::time_point closed_at_;
  Module::Loaded fresh_;
  std::vector<InstanceRecord> made_;     // in the new generation, by index
  std::vector<std::uint32_t> sessions_;  // instances that are created once it has
  std::vector<Member> members_;          // whose state moves over
  std::vector<Saved> saved_;
  StateForms state_forms_;
  std::vector<std::uint32_t> suspended_;  // guarded by the module
  std::shared_ptr<Retired> old_;
  Event event_;
};

}  // namespace tenon::detail
