// SPDX-License-Identifier: BSL-1.0
//
// The lock for loading, restarting and unloading a module.
#pragma once

#include <algorithm>

#include "call/operation.hpp"
#include "module/module.hpp"

namespace tenon::inline v0_1::detail {

/// A ticket of the module. Threads wait for it until a deadline, because modules that load each
/// other's plugins while they start could wait for each other. A holder that hangs loses its
/// ticket. REQUIRED for all functions: the lock of the module.
class LifecycleLock {
 public:
  /// Waits for the ticket, at least until a restart that hangs has lost it. In a step of another
  /// operation, the wait is shorter: that step must end in time, too.
  LifecycleLock(Module& module, ModuleLock& lock) : module_(module) {
    const RestartPolicy& policy = module.shared().context->restart;
    const auto longest_step = policy.step_timeout + Operation::grace;
    const auto patience = Operation::is_performed() ? policy.drain_timeout
                                                    : std::max(policy.drain_timeout, longest_step);
    const auto deadline = Module::Clock::now() + patience;
    while (module.lifecycle().held() && Module::Clock::now() < deadline) {
      module.shared().changed.wait_until(lock, deadline);
      module.hangs().abandon_overdue(lock);
    }
    if (!module.lifecycle().held()) take();
  }
  /// Takes the ticket from a holder that hangs.
  explicit LifecycleLock(Module& module) : module_(module) { take(); }
  ~LifecycleLock() {
    if (!*this) return;
    module_.lifecycle().release();
    module_.open_to_creates();
    module_.shared().changed.notify_all();
    if (module_.shared().shut_down) module_.shared().done.notify_all();
  }
  LifecycleLock(const LifecycleLock&) = delete;
  LifecycleLock& operator=(const LifecycleLock&) = delete;

  /// Returns whether the ticket is held and was not lost.
  explicit operator bool() const noexcept { return module_.lifecycle().is_valid(ticket_); }

 private:
  void take() {
    ticket_ = module_.lifecycle().take();
    module_.open_to_creates();
  }

  Module& module_;
  std::uint64_t ticket_ = 0;
};

}  // namespace tenon::inline v0_1::detail
