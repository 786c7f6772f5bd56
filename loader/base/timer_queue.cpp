// SPDX-License-Identifier: BSL-1.0
#include "base/timer_queue.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "base/lock_order.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// After this time, a task that was not done runs again.
constexpr auto pause = std::chrono::milliseconds(200);

/// Runs a task, and returns whether it is done.
bool run_once(const TimerQueue::Task& task) {
  try {
    return task();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

struct TimerQueue::State {
  Mutex mutex{LockRank::timers};
  Condition changed;
  using Key = std::pair<Clock::time_point, std::uint64_t>;
  using Tasks = std::map<Key, Task>;
  Tasks tasks TENON_GUARDED_BY(mutex);
  std::uint64_t planned TENON_GUARDED_BY(mutex) = 0;  // tasks, until now
  Tasks repeated TENON_GUARDED_BY(mutex);             // those that were not done
  // When they become tasks again.
  Clock::time_point repeat_at TENON_GUARDED_BY(mutex) = Clock::time_point::max();
  std::optional<Key> running TENON_GUARDED_BY(mutex);  // unless it was cancelled meanwhile
  // The time at which the thread wakes up. It is not woken for later tasks, nor for cancelled ones:
  // most tasks are deadlines that are met.
  Clock::time_point wake_up TENON_GUARDED_BY(mutex) = Clock::time_point::max();
  bool stopped TENON_GUARDED_BY(mutex) = false;
};

TimerQueue::TimerQueue() : state_(std::make_shared<State>()) {}

TimerQueue::~TimerQueue() {
  stop(Clock::now());
}

Result<void> TimerQueue::start() {
  return thread_.start("timers", [state = state_] { run(*state); });
}

TimerQueue::Timer TimerQueue::plan(Clock::time_point when, Task task) {
  const sync::Lock lock(state_->mutex);
  const std::uint64_t number = state_->planned++;
  if (!state_->stopped) {
    state_->tasks.emplace(std::pair(when, number), std::move(task));
    if (when < state_->wake_up) state_->changed.notify_one();
  }
  return {state_, when, number};
}

TimerQueue::Timer& TimerQueue::Timer::operator=(Timer&& other) noexcept {
  if (this == &other) return *this;
  cancel();
  state_ = std::move(other.state_);
  when_ = other.when_;
  number_ = other.number_;
  return *this;
}

void TimerQueue::Timer::cancel() noexcept {
  const auto state = state_.lock();
  if (state == nullptr) return;
  State::Tasks::node_type dropped;  // destroyed after the lock: it may own anything
  const State::Key key{when_, number_};
  const sync::Lock lock(state->mutex);
  if (state->running == key) state->running.reset();
  dropped = state->tasks.extract(key);
  if (dropped.empty()) dropped = state->repeated.extract(key);
}

bool TimerQueue::stop(Clock::time_point deadline) noexcept {
  State::Tasks dropped;  // destroyed after the lock: tasks may own anything
  {
    const sync::Lock lock(state_->mutex);
    state_->stopped = true;
    dropped.swap(state_->tasks);
    dropped.merge(state_->repeated);
    state_->changed.notify_all();
  }
  return thread_.end(deadline);
}

void TimerQueue::run(State& state) {
  constexpr auto never = Clock::time_point::max();
  sync::Lock lock(state.mutex);
  while (!state.stopped) {
    const auto now = Clock::now();
    if (state.repeat_at <= now) {
      state.tasks.merge(state.repeated);
      state.repeat_at = never;
    }
    const auto first = state.tasks.begin();
    const auto due =
        std::min(first != state.tasks.end() ? first->first.first : never, state.repeat_at);
    if (due > now) {
      state.wake_up = due;
      if (due == never) {
        state.changed.wait(state.mutex);
      } else {
        state.changed.wait_until(state.mutex, due);
      }
      continue;
    }
    state.wake_up = Clock::time_point::min();  // after this task
    auto task = state.tasks.extract(first);
    state.running = task.key();
    lock.unlock();
    const bool done = run_once(task.mapped());
    lock.lock();
    if (!done && state.running && !state.stopped) {
      state.repeated.insert(std::move(task));
      state.repeat_at = std::min(state.repeat_at, Clock::now() + pause);
    }
    state.running.reset();
    lock.unlock();
    task = {};  // without the lock: it may own anything
    lock.lock();
  }
}

}}}  // namespace tenon::v0_1::detail
