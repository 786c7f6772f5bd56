// SPDX-License-Identifier: BSL-1.0
#include "restart/restart_schedule.hpp"

#include <algorithm>
#include <new>

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// The delay before another attempt of a restart that could not begin.
constexpr auto retry_delay = std::chrono::milliseconds(200);

}  // namespace

void RestartSchedule::plan(RestartReason reason, const RestartOptions& options,
                           Clock::time_point when) {
  Clock::time_point& planned = due(reason);
  if (planned <= when || state_.shut_down) return;
  state_.context->timers->at(
      when, [weak = state_.observe(this), reason, options, when, count = state_.generation_number] {
        const auto schedule = weak.lock();
        return schedule == nullptr || !schedule->take(reason, when) ||
               schedule->begin(reason, options, when, count);
      });
  planned = when;
}

void RestartSchedule::retry(RestartReason reason, const RestartOptions& options) {
  plan(reason, options, Clock::now() + retry_delay);
}

/// Removes a planned restart that is due. Returns false if it is no longer planned, or must not
/// begin.
bool RestartSchedule::take(RestartReason reason, Clock::time_point when) {
  const ModuleLock lock(state_.mutex);
  if (due(reason) != when) return false;
  due(reason) = Clock::time_point::max();
  return is_requested(reason) || !state_.quarantined();
}

/// `when`, `count`: for when the restart was planned, and the generation number at that time.
/// Returns false, with the restart planned again, if it could not begin.
bool RestartSchedule::begin(RestartReason reason, const RestartOptions& options,
                            Clock::time_point when, std::uint64_t count) {
  try {
    const auto begun = restarts_.begin_planned(reason, options, count);
    if (begun) return true;
    state_.context->log->write(LogLevel::warn, in_one_line(begun.error()));
  } catch (const std::bad_alloc&) {
  }
  const ModuleLock lock(state_.mutex);
  due(reason) = std::min(due(reason), when);
  return false;
}

}}}  // namespace tenon::v0_1::detail
