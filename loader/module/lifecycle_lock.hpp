// SPDX-License-Identifier: BSL-1.0
//
// The lock for loading, restarting and unloading a module.
#pragma once

#include "module/module.hpp"

namespace tenon::inline v0_1::detail {

/// A ticket of the module. Threads wait for it until a deadline, because modules that load each
/// other's plugins while they start could wait for each other. A holder that hangs loses its
/// ticket.
class Module::LifecycleLock {
 public:
  /// Waits for the ticket. REQUIRED: the lock is held, here and in the destructor.
  LifecycleLock(Module& module, Lock& lock) : module_(module) {
    const auto deadline = Clock::now() + module.shared_.context.restart.drain_timeout;
    while (module.lifecycle_ != 0 && Clock::now() < deadline) {
      module.shared_.changed.wait_until(lock, deadline);
      module.abandon_overdue(lock);
    }
    if (module.lifecycle_ == 0) take();
  }
  /// Takes the ticket from a holder that hangs. REQUIRED: the lock is held.
  explicit LifecycleLock(Module& module) : module_(module) { take(); }
  ~LifecycleLock() {
    if (!*this) return;
    module_.lifecycle_ = 0;
    module_.lifecycle_thread_ = {};
    module_.open_to_creates();
    module_.shared_.changed.notify_all();
    if (module_.shared_.shut_down) module_.shared_.done.notify_all();
  }
  LifecycleLock(const LifecycleLock&) = delete;
  LifecycleLock& operator=(const LifecycleLock&) = delete;

  /// Returns whether the ticket is held and was not lost. REQUIRED: the lock is held.
  explicit operator bool() const noexcept { return ticket_ != 0 && module_.lifecycle_ == ticket_; }

 private:
  void take() {
    ticket_ = ++module_.tickets_;
    module_.lifecycle_ = ticket_;
    module_.lifecycle_thread_ = std::this_thread::get_id();
    module_.open_to_creates();
  }

  Module& module_;
  std::uint64_t ticket_ = 0;
};

}  // namespace tenon::inline v0_1::detail
