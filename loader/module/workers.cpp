// SPDX-License-Identifier: BSL-1.0
#include "module/workers.hpp"

#include <algorithm>
#include <condition_variable>
#include <list>
#include <thread>
#include <utility>

#include "module/lock_order.hpp"
#include "module/threads.hpp"

namespace tenon::detail {

struct Workers::State {
  struct Worker {
    std::thread thread;
    bool finished = false;
  };

  Mutex mutex{LockRank::workers};
  std::condition_variable_any changed;
  std::list<Worker> workers;
  bool stopped = false;

  /// Takes the threads that have finished, to be joined without the lock. REQUIRED: the lock.
  std::list<Worker> take_finished() {
    std::list<Worker> finished;
    for (auto worker = workers.begin(); worker != workers.end();) {
      const auto next = std::next(worker);
      if (worker->finished) finished.splice(finished.end(), workers, worker);
      worker = next;
    }
    return finished;
  }
};

namespace {

template <class List>
void join(List& finished) {
  for (auto& worker : finished) {
    if (worker.thread.joinable()) worker.thread.join();
  }
}

}  // namespace

Workers::Workers() : state_(std::make_shared<State>()) {}

Workers::~Workers() {
  stop(Clock::now());
}

Result<void> Workers::run(std::function<void()> job) {
  std::list<State::Worker> finished;
  Result<void> started;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stopped) return {};
    finished = state_->take_finished();
    std::list<State::Worker> fresh(1);  // of the others once it runs
    auto& worker = fresh.front();
    auto thread =
        start_thread("a restart", [state = state_, &worker, job = std::move(job)]() mutable {
          job();
          job = nullptr;  // it may own the last reference to anything
          const std::lock_guard end(state->mutex);
          worker.finished = true;
          state->changed.notify_all();
        });
    if (thread) {
      worker.thread = std::move(*thread);
      state_->workers.splice(state_->workers.end(), fresh);
    } else {
      started = std::move(thread).error();
    }
  }
  join(finished);
  return started;
}

std::size_t Workers::stop(Clock::time_point deadline) noexcept {
  std::list<State::Worker> finished;
  std::size_t stuck = 0;
  {
    std::unique_lock lock(state_->mutex);
    state_->stopped = true;
    const auto unfinished = [&] {
      return static_cast<std::size_t>(
          std::count_if(state_->workers.begin(), state_->workers.end(), [](const auto& worker) {
            return !worker.finished && worker.thread.get_id() != std::this_thread::get_id();
          }));
    };
    state_->changed.wait_until(lock, deadline, [&] { return unfinished() == 0; });
    stuck = unfinished();
    finished = state_->take_finished();
    for (auto& worker : state_->workers) {
      if (worker.thread.joinable()) worker.thread.detach();
    }
  }
  join(finished);
  return stuck;
}

}  // namespace tenon::detail
