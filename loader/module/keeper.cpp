// SPDX-License-Identifier: BSL-1.0
#include "module/keeper.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace tenon::detail {

struct Keeper::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::multimap<Clock::time_point, std::function<void()>> tasks;
  bool stopped = false;
  std::thread thread;
};

Keeper::Keeper() : state_(std::make_shared<State>()) {}

Keeper::~Keeper() {
  stop();
}

bool Keeper::at(Clock::time_point when, std::function<void()> task) {
  std::lock_guard lock(state_->mutex);
  if (state_->stopped) return false;
  state_->tasks.emplace(when, std::move(task));
  if (!state_->thread.joinable()) {
    state_->thread = std::thread([state = state_] { run(*state); });
  }
  state_->changed.notify_one();
  return true;
}

void Keeper::stop() noexcept {
  decltype(State::tasks) dropped;  // ends after the lock: what a task holds may be anything
  std::unique_lock lock(state_->mutex);
  state_->stopped = true;
  dropped.swap(state_->tasks);
  state_->changed.notify_one();
  std::thread thread = std::move(state_->thread);
  lock.unlock();
  if (!thread.joinable()) return;
  if (thread.get_id() == std::this_thread::get_id()) {
    thread.detach();
  } else {
    thread.join();
  }
}

void Keeper::run(State& state) {
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
    } else {
      std::function<void()> task = std::move(first->second);
      state.tasks.erase(first);
      lock.unlock();
      task();
      task = nullptr;  // before the lock: what it holds may end here
      lock.lock();
    }
  }
}

}  // namespace tenon::detail
