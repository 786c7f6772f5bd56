// SPDX-License-Identifier: BSL-1.0
#include "module/hang_watch.hpp"

#include <utility>

#include "module/lifecycle_lock.hpp"
#include "module/module.hpp"
#include "module/restart.hpp"

namespace tenon::inline v0_1::detail {

void HangWatch::watch(const std::shared_ptr<Operation>& operation, Clock::time_point when) noexcept
    try {
  operation->keep(shared_.context->timers->plan(
      when, [weak = module_.weak_from_this(), watched = std::weak_ptr(operation)] {
        const auto module = weak.lock();
        const auto operation_now = watched.lock();
        if (module == nullptr || operation_now == nullptr) return;
        HangWatch& hangs = module->hangs();
        if (!hangs.check(*operation_now)) return;
        hangs.watch(operation_now, operation_now->next_check(Clock::now()));
      }));
} catch (const std::bad_alloc&) {
}

/// Abandons workers that hang. Returns whether the operation is still in progress.
bool HangWatch::check(const Operation& operation) noexcept {
  ModuleLock lock(shared_.mutex);
  abandon_overdue(lock);
  return &operation == module_.restarts().current().get() ||
         module_.retired().is_unloading(operation);
}

void HangWatch::abandon_overdue(ModuleLock& lock) noexcept {
  const auto now = Clock::now();
  if (const auto& restart = module_.restarts().current(); restart != nullptr) {
    if (const auto hang = restart->overdue(now)) abandon_restart(lock, *hang);
  }
  module_.retired().abandon_overdue(lock, now);
}

/// Abandons the restart, which has failed. Waiting calls continue immediately, unless another
/// worker must resume the old generation first.
void HangWatch::abandon_restart(ModuleLock& lock, const Operation::Hang& hang) noexcept {
  const auto restart = module_.restarts().abandon();
  module_.lifecycle().reserve();  // for `recover`
  if (restart->phase() != Restart::Phase::suspending && !restart->has_suspended()) {
    module_.serve_again();
  }
  lock.unlock();
  shared_.run_on_worker([module = module_.weak_from_this().lock(), restart, hang] {
    module->hangs().recover(restart, hang);
  });
  lock.lock();
}

/// Rolls back for a worker that hangs. If that is impossible, the module gets a new generation.
void HangWatch::recover(const std::shared_ptr<Restart>& abandoned, const Operation::Hang& hang) {
  const bool lost = abandoned->phase() == Restart::Phase::suspending;
  const Error error = shared_.hang_error(hang);
  Event failed;
  {
    ModuleLock lock(shared_.mutex);
    const LifecycleLock lifecycle(module_);
    abandoned->request().result = error;
    failed = module_.event(Event::Type::restart_failed);
    failed.reason = abandoned->request().reason;
    failed.message = in_one_line(error);
    if (lost) {
      module_.lose_generation();
    } else if (abandoned->has_suspended() && !module_.restarts().resume(lock, *abandoned)) {
      return;  // resuming hung as well; its own recovery completes the request
    }
  }
  module_.restarts().complete(abandoned->request(), failed);
  if (lost) module_.faults().count(RestartReason::hang, failed.message);
  module_.unload_if_unused();
}

}  // namespace tenon::inline v0_1::detail
