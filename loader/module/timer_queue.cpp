// SPDX-License-Identifier: BSL-1.0
#include "module/timer_queue.hpp"

#include <condition_variable>
#include <map>
#include <utility>

#include "module/lock_order.hpp"
#include "module/threads.hpp"

namespace tenon::detail {

struct TimerQueue::State {
  Mutex mutex{LockRank::timers};
  std::condition_variable_any changed;
  std::multimap<Clock::time_point, std::function<void()>> tasks;
  bool stopped = false;
};

TimerQueue::TimerQueue() : state_(std::make_shared<State>()) {}

TimerQueue::~TimerQueue() {
  stop();
}

Result<void> TimerQueue::start() {
  auto thread = start_thread("timers", [state = state_] { run(*state); });
  if (!thread) return std::move(thread).error();
  thread_ = std::move(*thread);
  return {};
}

void TimerQueue::at(Clock::time_point when, std::function<void()> task) {
  const std::lock_guard lock(state_->mutex);
  if (state_->stopped) return;
  state_->tasks.emplace(when, std::move(task));
  state_->changed.notify_one();
}

void TimerQueue::stop() noexcept {
  decltype(State::tasks) dropped;  // destroyed after the lock: tasks may own anything
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopped = true;
    dropped.swap(state_->tasks);
    state_->changed.notify_one();
  }
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void TimerQueue::run(State& state) {
  std::unique_lock lock(state.mutex);
  while (!state.stopped) {
    if (state.tasks.empty()) {
      state.changed.wait(lock);
      continue;
    }
    const auto first = state.tasks.begin();
    const Clock::time_point due = first->first;
    if (due > Clock::now()) {
      state.changed.wait_until(lock, due);
      continue;
    }
    std::function<void()> task = std::move(first->second);
    state.tasks.erase(first);
    lock.unlock();
    task();
    task = nullptr;  // before the lock: it may own the last reference to anything
    lock.lock();
  }
}

}  // namespace tenon::detail
