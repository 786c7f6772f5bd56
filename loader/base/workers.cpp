// SPDX-License-Identifier: BSL-1.0
#include "base/workers.hpp"

#include <algorithm>
#include <list>
#include <thread>
#include <utility>

#include "base/lock_order.hpp"
#include "base/threads.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

namespace {

// Threads are reused because starting one takes longer than unloading most modules.
constexpr auto longest_reuse = std::chrono::seconds(1);

}  // namespace

struct Workers::State {
  struct Worker {
    std::thread thread;
    std::function<bool()> next = nullptr;  // the job that was passed to an idle worker
    bool finished = false;  // the thread may still destroy thread_local objects of plugins

    bool is_other() const noexcept {
      return thread.joinable() && thread.get_id() != std::this_thread::get_id();
    }
  };

  Mutex mutex{LockRank::workers};
  Condition changed;
  std::list<Worker> workers TENON_GUARDED_BY(mutex);
  Worker* idle TENON_GUARDED_BY(mutex) = nullptr;
  Condition woken;  // wakes the idle worker
  bool stopped TENON_GUARDED_BY(mutex) = false;

  /// Removes workers whose threads have ended.
  void remove_ended() TENON_REQUIRES(mutex) {
    workers.remove_if([](Worker& worker) {
      return worker.finished && worker.is_other() && platform::join_if_ended(worker.thread);
    });
  }

  /// Returns the number of workers, other than the calling thread, that have or have not finished.
  std::size_t count_others(bool finished) const TENON_REQUIRES(mutex) {
    return static_cast<std::size_t>(
        std::ranges::count_if(workers, [finished](const Worker& worker) {
          return worker.finished == finished && worker.is_other();
        }));
  }

  /// Waits until the threads of finished workers have ended, without the lock.
  void wait_for_ends(Clock::time_point deadline) TENON_REQUIRES(mutex) {
    constexpr auto max_pause = std::chrono::milliseconds(1);
    auto pause = std::chrono::microseconds(1);
    for (remove_ended(); count_others(true) != 0 && Clock::now() < deadline; remove_ended()) {
      const sync::Unlock unlocked(mutex);
      std::this_thread::sleep_for(pause);
      pause = std::min<std::chrono::microseconds>(2 * pause, max_pause);
    }
  }

  /// Runs `job` on the calling worker thread, and further jobs as long as they return true.
  void work(Worker& worker, std::function<bool()> job) {
    const auto last_start = Clock::now() + longest_reuse;
    for (bool more = true; more;) {
      more = job();
      job = nullptr;  // before the lock: it may own the last reference to anything
      sync::Lock lock(mutex);
      more = more && idle == nullptr && wait_for_job(worker, last_start);
      job = std::exchange(worker.next, nullptr);
      if (more) continue;
      worker.finished = true;
      changed.notify_all();
    }
  }

  bool wait_for_job(Worker& worker, Clock::time_point until) TENON_REQUIRES(mutex) {
    idle = &worker;
    woken.wait_until(mutex, until,
                     [&]() TENON_REQUIRES(mutex) { return worker.next != nullptr || stopped; });
    if (idle == &worker) idle = nullptr;
    return worker.next != nullptr;
  }

  /// Passes a job to the idle worker, which the caller then wakes. Returns false if there is none.
  bool pass_on(std::function<bool()>& job) TENON_REQUIRES(mutex) {
    if (idle == nullptr || stopped) return false;
    std::exchange(idle, nullptr)->next = std::move(job);
    return true;
  }
};

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
  const bool passed_on = [&] {
    const sync::Lock lock(state_->mutex);
    return state_->pass_on(job);
  }();
  if (!passed_on) return start(std::move(job));
  state_->woken.notify_all();  // without the lock, which the worker needs immediately
  return {};
}

Result<void> Workers::start(std::function<bool()> job) {
  const sync::Lock lock(state_->mutex);
  if (state_->stopped) return {};
  state_->remove_ended();
  std::list<State::Worker> fresh(1);  // moved to the other workers after the thread has started
  auto& worker = fresh.front();
  auto thread =
      start_thread("a restart", [state = state_, &worker, job = std::move(job)]() mutable {
        state->work(worker, std::move(job));
      });
  if (!thread) return std::move(thread).error();
  worker.thread = std::move(*thread);
  state_->workers.splice(state_->workers.end(), fresh);
  return {};
}

std::size_t Workers::stop(Clock::time_point deadline) noexcept {
  sync::Lock lock(state_->mutex);
  state_->stopped = true;
  // Its jobs are done. Only its thread has to end.
  if (state_->idle != nullptr) std::exchange(state_->idle, nullptr)->finished = true;
  state_->woken.notify_all();
  state_->changed.wait_until(state_->mutex, deadline, [this]() TENON_REQUIRES(state_->mutex) {
    return state_->count_others(false) == 0;
  });
  state_->wait_for_ends(std::max(deadline, Clock::now() + min_patience));
  const std::size_t stuck = state_->count_others(false) + state_->count_others(true);
  for (auto& worker : state_->workers) {
    if (worker.thread.joinable()) leave_running(worker.thread);
  }
  return stuck;
}

}}}  // namespace tenon::v0_1::detail
