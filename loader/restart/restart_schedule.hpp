// SPDX-License-Identifier: BSL-1.0
//
// The restarts of a module that begin at a later time, and for whose result no thread waits.
#pragma once

#include <tenon/restart.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <cstdint>

#include "state/module_state.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Begins the restarts of a schedule.
class BeginRestart {
 public:
  /// `count`: the generation number at the time when the restart was planned. Error: no-thread.
  virtual Result<void> begin_planned(RestartReason reason, const RestartOptions& options,
                                     std::uint64_t count) TENON_EXCLUDES(module_lock) = 0;

 protected:
  ~BeginRestart() = default;
};

/// Returns whether a restart was requested from outside, and does not follow a fault.
inline bool is_requested(RestartReason reason) noexcept {
  return reason == RestartReason::requested || reason == RestartReason::file_changed;
}

/// Plans at most one requested restart and one after a fault. They are independent of each other.
class RestartSchedule {
 public:
  using Clock = std::chrono::steady_clock;

  RestartSchedule(ModuleState& state, BeginRestart& restarts) noexcept
      : state_(state), restarts_(restarts) {}
  RestartSchedule(const RestartSchedule&) = delete;
  RestartSchedule& operator=(const RestartSchedule&) = delete;

  /// Plans a restart on a worker, unless an earlier one of its sort is planned.
  void plan(RestartReason reason, const RestartOptions& options, Clock::time_point when)
      TENON_REQUIRES(module_lock);
  /// Plans a restart again that could not begin.
  void retry(RestartReason reason, const RestartOptions& options) TENON_REQUIRES(module_lock);
  /// Cancels the restart after a fault: the code that failed was replaced.
  void cancel_after_fault() noexcept TENON_REQUIRES(module_lock) {
    due_after_fault_ = Clock::time_point::max();
  }

 private:
  Clock::time_point& due(RestartReason reason) noexcept TENON_REQUIRES(module_lock) {
    return is_requested(reason) ? due_on_request_ : due_after_fault_;
  }
  bool take(RestartReason reason, Clock::time_point when);
  bool begin(RestartReason reason, const RestartOptions& options, Clock::time_point when,
             std::uint64_t count);

  ModuleState& state_;
  BeginRestart& restarts_;
  Clock::time_point due_after_fault_ TENON_GUARDED_BY(module_lock) = Clock::time_point::max();
  Clock::time_point due_on_request_ TENON_GUARDED_BY(module_lock) = Clock::time_point::max();
};

}}}  // namespace tenon::v0_1::detail
