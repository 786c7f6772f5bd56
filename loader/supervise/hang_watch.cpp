// SPDX-License-Identifier: BSL-1.0
#include "supervise/hang_watch.hpp"

#include <algorithm>
#include <new>

namespace tenon { inline namespace v0_1 { namespace detail {

void HangWatch::watch(const std::shared_ptr<SupervisedWork>& work, Clock::time_point when) noexcept
    try {
  plan(work, when);
} catch (const std::bad_alloc&) {
}

void HangWatch::plan(const std::shared_ptr<SupervisedWork>& work, Clock::time_point when) {
  work->keep(state_.context->timers->plan(
      when, [weak = state_.observe(this), watched = std::weak_ptr(work)] {
        const auto hangs = weak.lock();
        const auto operation_now = watched.lock();
        return hangs == nullptr || operation_now == nullptr || hangs->check(operation_now);
      }));
}

/// If the work is overdue, a worker abandons it, because that may run functions of the plugin.
/// Returns whether this check need not be repeated.
bool HangWatch::check(const std::shared_ptr<SupervisedWork>& work) {
  if (!is_in_progress(*work)) return true;
  const auto now = Clock::now();
  if (!work->overdue(now)) {
    plan(work, work->next_check(now));
    return true;
  }
  // If it fails, or the function has returned meanwhile, the next check finds the work again.
  static_cast<void>(state_.context->workers->run([hangs = state_.keep(this)] {
    const ModuleLock lock(hangs->state_.mutex);
    hangs->abandon_overdue();
  }));
  return false;
}

bool HangWatch::is_in_progress(const SupervisedWork& work) const noexcept {
  const ModuleLock lock(state_.mutex);
  return std::ranges::any_of(parts_, [&](const Supervised* part) TENON_REQUIRES(module_lock) {
    return part->is_in_progress(work);
  });
}

void HangWatch::abandon_overdue() noexcept {
  const auto now = Clock::now();
  for (Supervised* part : parts_) part->abandon_overdue(now);
}

}}}  // namespace tenon::v0_1::detail
