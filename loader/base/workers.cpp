// SPDX-License-Identifier: BSL-1.0
#include "base/workers.hpp"

#include <algorithm>
#include <condition_variable>
#include <list>
#include <thread>
#include <utility>

#include "base/lock_order.hpp"
#include "base/threads.hpp"

namespace tenon::inline v0_1::detail {

namespace {

// Threads are reused because starting one takes longer than unloading most modules.
constexpr auto longest_reuse = std::chrono::seconds(1);

}  // namespace

struct Workers::State {
  struct Worker {
    std::thread thread;
    std::function<bool()> next = nullptr;  // the job that was passed to an idle worker
    bool finished = false;
  };

  Mutex mutex{LockRank::workers};
  std::condition_variable_any changed;
  std::list<Worker> workers;
  Worker* idle = nullptr;
  std::condition_variable_any woken;  // wakes the idle worker
  bool stopped = false;

  /// Removes the finished workers, so that they can be joined without the lock. REQUIRED: the lock
  /// is held.
  std::list<Worker> take_finished() {
    std::list<Worker> finished;
    for (auto worker = workers.begin(); worker != workers.end();) {
      const auto next = std::next(worker);
      if (worker->finished) finished.splice(finished.end(), workers, worker);
      worker = next;
    }
    return finished;
  }

  /// Runs `job` on the calling worker thread, and further jobs as long as they return true.
  void work(Worker& worker, std::function<bool()> job) {
    const auto last_start = Clock::now() + longest_reuse;
    for (bool more = true; more;) {
      more = job();
      job = nullptr;  // before the lock: it may own the last reference to anything
      std::unique_lock lock(mutex);
      more = more && idle == nullptr && wait_for_job(worker, lock, last_start);
      job = std::exchange(worker.next, nullptr);
      if (more) continue;
      worker.finished = true;
      changed.notify_all();
    }
  }

  bool wait_for_job(Worker& worker, std::unique_lock<Mutex>& lock, Clock::time_point until) {
    idle = &worker;
    woken.wait_until(lock, until, [&] { return worker.next != nullptr || stopped; });
    if (idle == &worker) idle = nullptr;
    return worker.next != nullptr;
  }

  /// Passes a job to the idle worker. Returns false if there is none. REQUIRED: the lock is held.
  bool pass_on(std::function<bool()>& job) {
    if (idle == nullptr || stopped) return false;
    std::exchange(idle, nullptr)->next = std::move(job);
    woken.notify_all();
    return true;
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
  return start([job = std::move(job)] {
    job();
    return false;
  });
}

Result<void> Workers::run_reusing_thread(std::function<bool()> job) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->pass_on(job)) return {};
  }
  return start(std::move(job));
}

Result<void> Workers::start(std::function<bool()> job) {
  std::list<State::Worker> finished;
  Result<void> started;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stopped) return {};
    finished = state_->take_finished();
    std::list<State::Worker> fresh(1);  // moved to the other workers after the thread has started
    auto& worker = fresh.front();
    auto thread =
        start_thread("a restart", [state = state_, &worker, job = std::move(job)]() mutable {
          state->work(worker, std::move(job));
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
  std::thread idle;
  std::size_t stuck = 0;
  {
    std::unique_lock lock(state_->mutex);
    state_->stopped = true;
    state_->woken.notify_all();
    if (state_->idle != nullptr) idle = std::move(state_->idle->thread);
    const auto unfinished = [&] {
      return static_cast<std::size_t>(
          std::count_if(state_->workers.begin(), state_->workers.end(), [](const auto& worker) {
            return !worker.finished && worker.thread.joinable() &&
                   worker.thread.get_id() != std::this_thread::get_id();
          }));
    };
    state_->changed.wait_until(lock, deadline, [&] { return unfinished() == 0; });
    stuck = unfinished();
    finished = state_->take_finished();
    for (auto& worker : state_->workers) {
      if (worker.thread.joinable()) worker.thread.detach();
    }
  }
  if (idle.joinable()) idle.join();
  join(finished);
  return stuck;
}

}  // namespace tenon::inline v0_1::detail
