// SPDX-License-Identifier: BSL-1.0
//
// What a worker does to a module, as others see it: which function of which plugin it is in, and
// until when that may take. Whoever finds the function overdue goes on without the worker.
#pragma once

#include <tenon/gen/instance.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/lock_order.hpp"
#include "base/timer_queue.hpp"

namespace tenon::detail {

/// Thread-safe. The worker makes the steps; any thread may look.
class Operation {
 public:
  using Clock = std::chrono::steady_clock;
  /// A function that heeds the deadline of its call returns a little after it, and later where the
  /// processors are busy. It is given up after this time.
  static constexpr auto grace = std::chrono::milliseconds(250);

  /// `step_limit`: how long one step may take.
  explicit Operation(Clock::duration step_limit) noexcept : step_limit_(step_limit) {}
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// No step goes on after this time, however late it began. Clock::time_point::max(): no limit.
  void set_limit(Clock::time_point limit) noexcept;

  /// A step that has not ended in time.
  struct Hang {
    std::string plugin;
    std::string function;
  };
  std::optional<Hang> overdue(Clock::time_point now) const;
  /// The earliest time at which a step can be overdue.
  Clock::time_point next_look(Clock::time_point now) const noexcept;
  /// Drops a timer that looks at this operation when the operation ends.
  void keep(TimerQueue::Timer timer);

  /// Whether the calling thread performs one.
  static bool is_performed() noexcept { return performed_ != nullptr; }

  /// The calling thread performs the operation while this lives.
  class Performance {
   public:
    explicit Performance(Operation& operation) noexcept;
    ~Performance();
    Performance(const Performance&) = delete;
    Performance& operator=(const Performance&) = delete;

   private:
    Operation* const outer_;
  };

  /// One function of a plugin, or of the system's loader, in the operation that the calling thread
  /// performs; nothing on other threads. The texts outlive it.
  class Step {
   public:
    Step(std::string_view plugin, std::string_view function) noexcept : operation_(performed_) {
      if (operation_ != nullptr) begin(plugin, function);
    }
    ~Step() {
      if (operation_ != nullptr) end();
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    void begin(std::string_view plugin, std::string_view function) noexcept;
    void end() noexcept;

    Operation* const operation_;
    std::string_view outer_plugin_;
    std::string_view outer_function_;
    Clock::time_point outer_deadline_;
  };

 private:
  static constinit thread_local Operation* performed_ TENON_TLS_AT_FIXED_OFFSET;

  const Clock::duration step_limit_;
  mutable Mutex mutex_{LockRank::operation};
  Clock::time_point limit_ = Clock::time_point::max();
  std::string_view plugin_;
  std::string_view function_;  // empty: no step is under way
  Clock::time_point deadline_;
  std::vector<TimerQueue::Timer> timers_;
};

}  // namespace tenon::detail
