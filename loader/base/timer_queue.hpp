// SPDX-License-Identifier: BSL-1.0
//
// The timers of a host: one thread that runs tasks when they are due. Tasks are short: they pass
// work that may take long to a worker, so that no module delays another.
#pragma once

#include <tenon/result.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/internal_thread.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Thread-safe. Tasks run one at a time and never run the code of a plugin or of the program.
class TimerQueue {
 public:
  using Clock = std::chrono::steady_clock;
  /// Returns whether it is done. If it is not, eg: because no worker could be started, or if it
  /// throws std::bad_alloc, it runs again after a pause. That needs no memory.
  using Task = std::function<bool()>;

 private:
  struct State;

 public:
  /// A scheduled task. Destroying it cancels the task, unless the task has started. It then does
  /// not run again.
  class Timer {
   public:
    Timer(Timer&& other) noexcept = default;
    Timer& operator=(Timer&& other) noexcept;
    ~Timer() { cancel(); }

    Clock::time_point when() const noexcept { return when_; }
    /// Lets the task run even if this object is destroyed before.
    void release() noexcept { state_.reset(); }

   private:
    friend class TimerQueue;
    Timer(const std::shared_ptr<State>& state, Clock::time_point when,
          std::uint64_t number) noexcept
        : state_(state), when_(when), number_(number) {}
    void cancel() noexcept;

    std::weak_ptr<State> state_;
    Clock::time_point when_;
    std::uint64_t number_;
  };

  TimerQueue();
  /// Stops the queue; see `stop`.
  ~TimerQueue();
  TimerQueue(const TimerQueue&) = delete;
  TimerQueue& operator=(const TimerQueue&) = delete;

  /// Starts the thread; tasks wait until then. Errors: no-thread.
  Result<void> start();
  /// Runs a task at this time, or as soon as possible after it. After `stop` the task is dropped.
  void at(Clock::time_point when, Task task) { plan(when, std::move(task)).release(); }
  /// Schedules a task that can be cancelled.
  [[nodiscard]] Timer plan(Clock::time_point when, Task task);
  /// Drops all tasks. Waits for the one that runs until the deadline, and at least for half a
  /// second, unless a task calls this. Returns false, and detaches the thread, if that did not end.
  bool stop(Clock::time_point deadline) noexcept;

 private:
  static void run(State& state);

  // Shared with the thread, since a task may destroy the queue.
  const std::shared_ptr<State> state_;
  InternalThread thread_;
};

}}}  // namespace tenon::v0_1::detail
