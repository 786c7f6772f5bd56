// SPDX-License-Identifier: BSL-1.0
#include "base/timer_queue.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <new>
#include <utility>

#include "base/lock_order.hpp"
#include "base/threads.hpp"

namespace tenon::inline v0_1::detail {
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
  std::condition_variable_any changed;
  std::map<std::pair<Clock::time_point, std::uint64_t>, Task> tasks;
  std::uint64_t planned = 0;  // tasks, until now
  // The time at which the thread wakes up. It is not woken for later tasks, nor for cancelled ones:
  // most tasks are deadlines that are met.
  Clock::time_point wake_up = Clock::time_point::max();
  bool stopped = false;
  bool ended = false;  // the thread touches nothing after this
};

TimerQueue::TimerQueue() : state_(std::make_shared<State>()) {}

TimerQueue::~TimerQueue() {
  stop(Clock::now());
}

Result<void> TimerQueue::start() {
  auto thread = start_internal_thread("timers", [state = state_] { run(*state); });
  if (!thread) return std::move(thread).error();
  thread_ = std::move(*thread);
  return {};
}

TimerQueue::Timer TimerQueue::plan(Clock::time_point when, Task task) {
  const std::lock_guard lock(state_->mutex);
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
  decltype(State::tasks)::node_type dropped;  // destroyed after the lock: it may own anything
  const std::lock_guard lock(state->mutex);
  dropped = state->tasks.extract({when_, number_});
}

bool TimerQueue::stop(Clock::time_point deadline) noexcept {
  deadline = std::max(deadline, Clock::now() + min_patience);
  decltype(State::tasks) dropped;  // destroyed after the lock: tasks may own anything
  std::unique_lock lock(state_->mutex);
  state_->stopped = true;
  dropped.swap(state_->tasks);
  state_->changed.notify_all();
  if (!thread_.joinable()) return true;
  const bool inside = thread_.get_id() == std::this_thread::get_id();
  const bool ended =
      !inside && state_->changed.wait_until(lock, deadline, [this] { return state_->ended; });
  lock.unlock();
  if (ended) {
    thread_.join();
  } else {
    leave_running(thread_);
  }
  return ended || inside;
}

void TimerQueue::run(State& state) {
  decltype(State::tasks)::node_type task;  // destroyed without the lock: it may own anything
  std::unique_lock lock(state.mutex);
  while (!state.stopped) {
    if (state.tasks.empty()) {
      state.wake_up = Clock::time_point::max();
      state.changed.wait(lock);
      continue;
    }
    const auto first = state.tasks.begin();
    const Clock::time_point due = first->first.first;
    if (due > Clock::now()) {
      state.wake_up = due;
      state.changed.wait_until(lock, due);
      continue;
    }
    state.wake_up = Clock::time_point::min();  // after this task
    task = state.tasks.extract(first);
    lock.unlock();
    const bool done = run_once(task.mapped());
    if (done) task = {};
    lock.lock();
    if (done || state.stopped) continue;
    task.key().first = Clock::now() + pause;
    state.tasks.insert(std::move(task));
  }
  state.ended = true;
  state.changed.notify_all();
}

}  // namespace tenon::inline v0_1::detail
