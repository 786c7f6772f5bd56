// SPDX-License-Identifier: BSL-1.0
//
// The clock of a host: one thread that starts tasks when they are due. Tasks are short: they change
// a little state and pass what may take long to a worker, so that no module delays another.
#pragma once

#include <tenon/result.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

namespace tenon::detail {

/// Thread-safe. Tasks run one at a time and never run the code of a plugin or of the program.
class TimerQueue {
 public:
  using Clock = std::chrono::steady_clock;

 private:
  struct State;

 public:
  /// A task that was planned. Drops it when it ends, unless it has begun.
  class Timer {
   public:
    Timer(Timer&& other) noexcept = default;
    Timer& operator=(Timer&& other) noexcept;
    ~Timer() { drop(); }

    Clock::time_point when() const noexcept { return when_; }
    /// The task runs however long this lives.
    void release() noexcept { state_.reset(); }

   private:
    friend class TimerQueue;
    Timer(const std::shared_ptr<State>& state, Clock::time_point when,
          std::uint64_t number) noexcept
        : state_(state), when_(when), number_(number) {}
    void drop() noexcept;

    std::weak_ptr<State> state_;
    Clock::time_point when_;
    std::uint64_t number_;
  };

  TimerQueue();
  /// Stops the queue.
  ~TimerQueue();
  TimerQueue(const TimerQueue&) = delete;
  TimerQueue& operator=(const TimerQueue&) = delete;

  /// Starts the thread; until then tasks wait. Errors: no-thread.
  Result<void> start();
  /// Runs a task at this time, or as soon as possible after it. A stopped queue drops the task.
  void at(Clock::time_point when, std::function<void()> task) {
    plan(when, std::move(task)).release();
  }
  /// The same for who may lose interest.
  [[nodiscard]] Timer plan(Clock::time_point when, std::function<void()> task);
  /// Drops the tasks that are left and waits for the one that runs. Called from a task, it does not
  /// wait.
  void stop() noexcept;

 private:
  static void run(State& state);

  // Shared with the thread, since a task may destroy the queue.
  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace tenon::detail
