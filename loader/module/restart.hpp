// SPDX-License-Identifier: BSL-1.0
//
// One replacement of a module's code, all or nothing: from the new file to the moment at which its
// generation serves, or back to the one that served before.
#pragma once

#include <optional>
#include <vector>

#include "module/module.hpp"
#include "module/state.hpp"

namespace tenon::detail {

/// Made and used by the thread that has the module's right to replace what serves.
/// `serving_` stays valid as long: who has the right alone takes it away, and what breaks down is
/// kept.
class Restart {
 public:
  Restart(Module& module, RestartReason reason, const RestartHow& how);

  /// Errors: those of loading, of the plugins' create, configure and functions around state;
  /// restart-refused, state-refused, restart-failed.
  Result<void> run();

  /// After a run that succeeded: the generation that served before, if one did, and what happened.
  std::optional<Module::Left> take_old() { return std::move(old_); }
  const Event& event() const noexcept { return event_; }

 private:
  struct Saved {
    std::uint32_t index;
    std::optional<Bytes> state;  // nothing: there is none
  };

  Result<void> check_reloadable() const;
  bool has_session() const;
  bool has_state() const;
  Result<void> catch_up();
  Result<void> make(const InstanceRecord& wanted);
  Result<void> close_gate();
  Result<void> move_over();
  Result<void> save_states();
  Result<void> suspend();
  Result<void> restore_states();
  Result<bool> publish();
  void go_back() noexcept;

  Module& module_;
  const RestartReason reason_;
  const RestartHow how_;
  Generation* const serving_;  // nullptr after a crash
  bool session_ = false;
  Module::Clock::time_point deadline_;
  Module::Clock::time_point closed_at_;
  Module::Loaded fresh_;
  std::vector<InstanceRecord> made_;  // in the new generation
  std::vector<Saved> saved_;
  StateForms state_forms_;
  std::vector<std::uint32_t> suspended_;
  std::optional<Module::Left> old_;
  Event event_;
};

}  // namespace tenon::detail
