// SPDX-License-Identifier: BSL-1.0
//
// The lock for loading, restarting and unloading a module.
#pragma once

#include <algorithm>
#include <cstdint>

#include "call/supervised_work.hpp"
#include "state/module_state.hpp"
#include "supervise/hang_watch.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Holds the ticket of a module. Threads wait for it until a deadline, because modules that load
/// each other's plugins while they start could wait for each other. A holder that hangs loses its
/// ticket.
class TicketHold {
 public:
  /// Waits for the ticket, at least until a restart that hangs has lost it. In a step of other
  /// work, the wait is shorter: that step must end in time, too. Releases the lock meanwhile.
  TicketHold(ModuleState& state, HangWatch& hangs) TENON_REQUIRES(module_lock) : state_(state) {
    const RestartPolicy& policy = state.context->restart;
    const auto longest_step = policy.step_timeout + SupervisedWork::grace;
    const auto patience = SupervisedWork::is_performed()
                              ? policy.drain_timeout
                              : std::max(policy.drain_timeout, longest_step);
    const auto deadline = ModuleState::Clock::now() + patience;
    while (state.lifecycle.held() && ModuleState::Clock::now() < deadline) {
      state.changed.wait_until(state.mutex, deadline);
      hangs.abandon_overdue();
    }
    if (!state.lifecycle.held()) take();
  }
  /// Takes the ticket from a holder that hangs.
  explicit TicketHold(ModuleState& state) TENON_REQUIRES(module_lock) : state_(state) { take(); }
  ~TicketHold() TENON_REQUIRES(module_lock) {
    if (!*this) return;
    state_.lifecycle.release();
    state_.open_to_creates();
    state_.changed.notify_all();
    if (state_.shut_down) state_.done.notify_all();
  }
  TicketHold(const TicketHold&) = delete;
  TicketHold& operator=(const TicketHold&) = delete;

  /// Returns whether the ticket is held and was not lost.
  explicit operator bool() const noexcept TENON_REQUIRES(module_lock) {
    return state_.lifecycle.is_valid(ticket_);
  }

 private:
  void take() TENON_REQUIRES(module_lock) {
    ticket_ = state_.lifecycle.take();
    state_.open_to_creates();
  }

  ModuleState& state_;
  std::uint64_t ticket_ = 0;
};

}}}  // namespace tenon::v0_1::detail
