// SPDX-License-Identifier: BSL-1.0
//
// The work of a restart worker on a module, visible to other threads: the function of a plugin that
// it is in, and the deadline of that function. A thread that finds the function overdue continues
// without the worker.
#pragma once

#include <tenon/detail/guard.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/lock_order.hpp"
#include "base/timer_queue.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Thread-safe. The worker performs the steps; any thread may check for overdue ones.
class SupervisedWork {
 public:
  using Clock = std::chrono::steady_clock;
  /// A function that respects the deadline of its call returns a little after it, and later on a
  /// busy machine. It is abandoned after this time.
  static constexpr auto grace = std::chrono::milliseconds(250);

  /// `step_limit`: the longest time of one step.
  explicit SupervisedWork(Clock::duration step_limit) noexcept : step_limit_(step_limit) {}
  SupervisedWork(const SupervisedWork&) = delete;
  SupervisedWork& operator=(const SupervisedWork&) = delete;

  /// Sets the time after which every step is overdue. Clock::time_point::max(): none.
  void set_limit(Clock::time_point limit) noexcept;

  /// A step that has not ended in time.
  struct Overdue {
    std::string plugin;
    std::string function;
    bool ended_thread;  // the function ended its thread
  };
  /// Returns the current step if it is overdue.
  std::optional<Overdue> overdue(Clock::time_point now) const;
  /// Returns the earliest time at which a step can be overdue.
  Clock::time_point next_check(Clock::time_point now) const noexcept;
  /// Owns a timer that checks this work, until the work is destroyed.
  void keep(TimerQueue::Timer timer);

  /// Returns whether the calling thread performs work.
  static bool is_performed() noexcept { return current_ != nullptr; }
  /// Never returns. The current step of the calling thread, which it wants to end, becomes overdue.
  [[noreturn]] static void hang() noexcept;

  /// Marks the calling thread as the one that performs the work.
  class Scope {
   public:
    explicit Scope(SupervisedWork& work) noexcept;
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    SupervisedWork* const outer_;
  };

  /// One function of a plugin, or of the dynamic loader, in the work that the calling thread
  /// performs. Does nothing on other threads. The texts must outlive it.
  class Step {
   public:
    Step(std::string_view plugin, std::string_view function) noexcept : work_(current_) {
      if (work_ != nullptr) begin(plugin, function);
    }
    ~Step() {
      if (work_ != nullptr) end();
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    void begin(std::string_view plugin, std::string_view function) noexcept;
    void end() noexcept;

    SupervisedWork* const work_;
    std::string_view outer_plugin_;
    std::string_view outer_function_;
    Clock::time_point outer_deadline_;
  };

 private:
  static constinit thread_local SupervisedWork* current_ TENON_TLS_AT_FIXED_OFFSET;

  const Clock::duration step_limit_;
  mutable Mutex mutex_{LockRank::operation};
  Clock::time_point limit_ TENON_GUARDED_BY(mutex_) = Clock::time_point::max();
  std::string_view plugin_ TENON_GUARDED_BY(mutex_);
  std::string_view function_ TENON_GUARDED_BY(mutex_);  // empty if no step is in progress
  bool ended_thread_ TENON_GUARDED_BY(mutex_) = false;
  Clock::time_point deadline_ TENON_GUARDED_BY(mutex_);
  std::vector<TimerQueue::Timer> timers_ TENON_GUARDED_BY(mutex_);
};

}}}  // namespace tenon::v0_1::detail
