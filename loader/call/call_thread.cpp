// SPDX-License-Identifier: BSL-1.0
#include <tenon/call_thread.hpp>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "base/fork.hpp"
#include "base/forked.hpp"
#include "base/keep_until_exit.hpp"
#include "base/lock_order.hpp"
#include "base/own_library.hpp"
#include "base/threads.hpp"

namespace tenon { inline namespace v0_1 {
namespace {

using Clock = std::chrono::steady_clock;

/// The time in which a call must return after its deadline, and after it was cancelled.
constexpr std::chrono::milliseconds deadline_grace(500);
constexpr std::chrono::seconds cancel_grace(5);
/// A longer time could not be added to the present one.
constexpr std::chrono::nanoseconds longest_timeout = std::chrono::hours(24 * 365 * 100);

}  // namespace

struct CallThread::State {
  void serve();
  void end() TENON_EXCLUDES(mutex);

  const platform::LibraryUse library;  // the first member, so that it ends last
  const platform::ProcessMark process;
  std::thread thread;  // used by the owner only
  detail::Mutex mutex{detail::LockRank::operation};
  detail::Condition changed;
  Task task TENON_GUARDED_BY(mutex);          // to be run next
  bool busy TENON_GUARDED_BY(mutex) = false;  // a task has not returned
  std::exception_ptr thrown TENON_GUARDED_BY(mutex);
  // When the current call is abandoned, if ever.
  std::optional<Clock::time_point> abandon_at TENON_GUARDED_BY(mutex);
  bool cancelled TENON_GUARDED_BY(mutex) = false;
  bool ended TENON_GUARDED_BY(mutex) = false;
  Call call;
};

CallThread::CallThread() : state_(std::make_shared<State>()) {}

CallThread::~CallThread() {
  State& state = *state_;
  if (!state.thread.joinable()) return;
  if (state.process.inherited()) {
    detail::keep_until_exit(state_);
    return;
  }
  canceller()();
  try {
    if (!finish()) return;
  } catch (...) {  // what the task threw cannot be reported here
  }
  state.end();
}

/// Ends the idle thread. Destructors of its thread_local objects, which may be of plugins, may
/// hang.
void CallThread::State::end() {
  {
    const sync::Lock lock(mutex);
    ended = true;
    changed.notify_all();
  }
  const auto deadline = Clock::now() + detail::min_patience;
  auto pause = std::chrono::microseconds(1);
  while (!platform::join_if_ended(thread)) {
    if (Clock::now() >= deadline) return detail::leave_running(thread);
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(2 * pause, std::chrono::milliseconds(1));
  }
}

void CallThread::State::serve() {
  sync::Lock lock(mutex);
  for (;;) {
    changed.wait(mutex, [this]() TENON_REQUIRES(mutex) { return ended || task; });
    if (ended) return;
    Task current = std::exchange(task, nullptr);
    lock.unlock();
    std::exception_ptr exception;
    try {
      Context context(*this);
      current(context);
    } catch (...) {
      exception = std::current_exception();
    }
    current = nullptr;  // before the lock: it may own the last reference to an instance
    lock.lock();
    thrown = exception;
    busy = false;
    changed.notify_all();
  }
}

Result<void> CallThread::start(Task task) {
  if (state_->process.inherited()) return detail::forked_error();
  if (!state_->thread.joinable()) {
    auto thread = detail::start_thread("calls of plugins", [state = state_] { state->serve(); });
    if (!thread) return std::move(thread).error();
    state_->thread = *std::move(thread);
  }
  const sync::Lock lock(state_->mutex);
  state_->cancelled = false;
  state_->abandon_at.reset();
  state_->task = std::move(task);
  state_->busy = true;
  state_->changed.notify_all();
  return {};
}

bool CallThread::finish() {
  do {
    if (wait_until(Clock::time_point::max())) return true;
  } while (!abandon_if_overdue());
  return false;
}

bool CallThread::wait_until(Clock::time_point until) {
  sync::Lock lock(state_->mutex);
  while (state_->busy) {
    const auto end = std::min(until, state_->abandon_at.value_or(until));
    const auto now = Clock::now();
    if (end <= now) return false;
    // The system does not accept every time as a deadline.
    state_->changed.wait_until(state_->mutex, std::min(end, now + std::chrono::hours(1)));
  }
  if (state_->thrown) std::rethrow_exception(std::exchange(state_->thrown, nullptr));
  return true;
}

std::function<void()> CallThread::canceller() const {
  return [state = state_] {
    const sync::Lock lock(state->mutex);
    state->cancelled = true;
    const auto latest = Clock::now() + cancel_grace;
    state->abandon_at = std::min(state->abandon_at.value_or(latest), latest);
    state->call.cancel();
    state->changed.notify_all();
  };
}

/// Returns false if the current call is no longer overdue.
bool CallThread::abandon_if_overdue() {
  {
    const sync::Lock lock(state_->mutex);
    const bool is_overdue = state_->abandon_at && *state_->abandon_at <= Clock::now();
    if (!state_->busy || !is_overdue) return false;
    state_->ended = true;
    state_->changed.notify_all();
  }
  detail::leave_running(state_->thread);
  return true;
}

Call* CallThread::Context::begin(std::optional<std::chrono::nanoseconds> timeout) {
  const sync::Lock lock(state_.mutex);
  if (state_.cancelled || state_.ended) return nullptr;
  state_.call.reset();
  state_.call.set_deadline(Clock::time_point::max());
  const auto before = std::exchange(state_.abandon_at, std::nullopt);
  if (timeout) {
    const auto deadline = Clock::now() + std::min(*timeout, longest_timeout);
    state_.call.set_deadline(deadline);
    state_.abandon_at = deadline + deadline_grace;
    // A waiting thread checks again when the previous call would have been abandoned.
    if (!before || *state_.abandon_at < *before) state_.changed.notify_all();
  }
  return &state_.call;
}

void CallThread::Context::pause(std::chrono::nanoseconds time) {
  sync::Lock lock(state_.mutex);
  const auto until = Clock::now() + std::min(time, longest_timeout);
  state_.changed.wait_until(state_.mutex, until, [this]() TENON_REQUIRES(state_.mutex) {
    return state_.cancelled || state_.ended;
  });
}

}}  // namespace tenon::v0_1
