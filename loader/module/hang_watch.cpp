// SPDX-License-Identifier: BSL-1.0
#include "module/hang_watch.hpp"

#include <utility>

#include "module/lifecycle_lock.hpp"
#include "module/module.hpp"
#include "module/restart.hpp"

namespace tenon::inline v0_1::detail {

void HangWatch::watch(const std::shared_ptr<Operation>& operation, Clock::time_point when) noexcept
    try {
  plan(operation, when);
} catch (const std::bad_alloc&) {
}

void HangWatch::plan(const std::shared_ptr<Operation>& operation, Clock::time_point when) {
  operation->keep(shared_.context->timers->plan(when, [weak = module_.weak_from_this(),
                                                       watched = std::weak_ptr(operation)] {
    const auto module = weak.lock();
    const auto operation_now = watched.lock();
    return module == nullptr || operation_now == nullptr || module->hangs().check(operation_now);
  }));
}

/// If the operation is overdue, a worker abandons it, because that may run functions of the plugin.
/// Returns whether this check need not be repeated.
bool HangWatch::check(const std::shared_ptr<Operation>& operation) {
  if (!in_progress(*operation)) return true;
  const auto now = Clock::now();
  if (!operation->overdue(now)) {
    plan(operation, operation->next_check(now));
    return true;
  }
  // If it fails, or the function has returned meanwhile, the next check finds the operation again.
  static_cast<void>(shared_.context->workers->run([module = module_.shared_from_this()] {
    ModuleLock lock(module->hangs().shared_.mutex);
    module->hangs().abandon_overdue(lock);
  }));
  return false;
}

bool HangWatch::in_progress(const Operation& operation) const noexcept {
  const ModuleLock lock(shared_.mutex);
  return &operation == module_.restarts().current().get() ||
         module_.retired().is_unloading(operation);
}

void HangWatch::abandon_overdue(ModuleLock& lock) noexcept {
  const auto now = Clock::now();
  try {
    if (const auto& restart = module_.restarts().current(); restart != nullptr) {
      if (const auto hang = restart->overdue(now)) abandon_restart(lock, *hang);
    }
  } catch (const std::bad_alloc&) {
    // It is found again by the next check.
  }
  module_.retired().abandon_overdue(lock, now);
}

/// Abandons the restart, which has failed. Waiting calls continue immediately, unless another
/// worker must resume the old generation first.
void HangWatch::abandon_restart(ModuleLock& lock, const Operation::Hang& hang) {
  const auto restart = module_.restarts().current();
  // Copied before anything changes, because that needs memory.
  const auto recovery = [module = module_.weak_from_this().lock(), restart, hang] {
    module->hangs().recover(restart, hang);
  };
  module_.restarts().abandon();
  module_.lifecycle().reserve();  // for `recover`
  if (restart->phase() != Restart::Phase::suspending && !restart->has_suspended()) {
    module_.serve_again();
  }
  lock.unlock();
  shared_.run_on_worker(recovery);
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
    module_.restarts().begin_report(abandoned->request());
  }
  module_.restarts().complete(abandoned->request(), failed);
  if (lost) module_.faults().count(RestartReason::hang, failed.message);
  module_.unload_if_unused();
}

}  // namespace tenon::inline v0_1::detail
