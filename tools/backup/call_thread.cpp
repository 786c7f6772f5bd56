// SPDX-License-Identifier: BSL-1.0
#include "call_thread.hpp"

#include <tenon/mutex.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace backup {
namespace {

using Moment = std::chrono::steady_clock::time_point;

/// The time in which a call must return after its deadline, and after it was cancelled.
constexpr std::chrono::milliseconds deadline_grace(500);
constexpr std::chrono::seconds cancel_grace(5);

}  // namespace

struct CallThread::State {
  tenon::sync::Mutex mutex;
  tenon::sync::ConditionVariable changed;
  Task task TENON_GUARDED_BY(mutex);  // empty: idle
  std::exception_ptr thrown TENON_GUARDED_BY(mutex);
  // When the current call is abandoned, if ever.
  std::optional<Moment> abandon_at TENON_GUARDED_BY(mutex);
  bool cancelled TENON_GUARDED_BY(mutex) = false;
  bool ended TENON_GUARDED_BY(mutex) = false;
  tenon::Call call;
};

CallThread::CallThread() : state_(std::make_shared<State>()), thread_(&CallThread::serve, state_) {}

CallThread::~CallThread() {
  if (!thread_.joinable()) return;
  canceller()();
  try {
    if (!finish()) return;
  } catch (...) {  // what the task threw cannot be reported here
  }
  {
    const tenon::sync::Lock lock(state_->mutex);
    state_->ended = true;
    state_->changed.notify_all();
  }
  thread_.join();
}

void CallThread::serve(const std::shared_ptr<State>& state) {
  tenon::sync::Lock lock(state->mutex);
  for (;;) {
    state->changed.wait(lock,
                        [&]() TENON_REQUIRES(state->mutex) { return state->ended || state->task; });
    if (state->ended) return;
    const Task* const task = &state->task;  // does not change while it runs
    lock.unlock();
    std::exception_ptr thrown;
    try {
      Context context(*state);
      (*task)(context);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    state->thrown = thrown;
    state->task = nullptr;
    state->changed.notify_all();
  }
}

void CallThread::start(Task task) {
  const tenon::sync::Lock lock(state_->mutex);
  state_->cancelled = false;
  state_->abandon_at.reset();
  state_->task = std::move(task);
  state_->changed.notify_all();
}

bool CallThread::finish() {
  do {
    if (wait_until(Moment::max())) return true;
  } while (!abandon_if_overdue());
  return false;
}

bool CallThread::wait_until(Moment until) {
  tenon::sync::Lock lock(state_->mutex);
  while (state_->task) {
    const Moment end = std::min(until, state_->abandon_at.value_or(until));
    if (end <= std::chrono::steady_clock::now()) return false;
    if (end == Moment::max()) {
      state_->changed.wait(lock);
    } else {
      state_->changed.wait_until(lock, end);
    }
  }
  if (state_->thrown) std::rethrow_exception(std::exchange(state_->thrown, nullptr));
  return true;
}

std::function<void()> CallThread::canceller() const {
  return [state = state_] {
    const tenon::sync::Lock lock(state->mutex);
    state->cancelled = true;
    const Moment latest = std::chrono::steady_clock::now() + cancel_grace;
    state->abandon_at = std::min(state->abandon_at.value_or(latest), latest);
    state->call.cancel();
    state->changed.notify_all();
  };
}

/// Returns false if the current call is no longer overdue.
bool CallThread::abandon_if_overdue() {
  {
    const tenon::sync::Lock lock(state_->mutex);
    const auto now = std::chrono::steady_clock::now();
    const bool is_overdue = state_->abandon_at && *state_->abandon_at <= now;
    if (!state_->task || !is_overdue) return false;
    state_->ended = true;
    state_->changed.notify_all();
  }
  thread_.detach();
  return true;
}

tenon::Call* CallThread::Context::begin(std::optional<std::chrono::nanoseconds> timeout) {
  const tenon::sync::Lock lock(state_.mutex);
  if (state_.cancelled || state_.ended) return nullptr;
  state_.call.reset();
  const std::optional<Moment> before = std::exchange(state_.abandon_at, std::nullopt);
  if (timeout) {
    const Moment now = std::chrono::steady_clock::now();
    state_.call.set_deadline(now + *timeout);
    state_.abandon_at = now + *timeout + deadline_grace;
    // A waiting thread checks again when the previous call would have been abandoned.
    if (!before || *state_.abandon_at < *before) state_.changed.notify_all();
  }
  return &state_.call;
}

void CallThread::Context::pause(std::chrono::nanoseconds time) {
  tenon::sync::Lock lock(state_.mutex);
  state_.changed.wait_for(lock, time, [this]() TENON_REQUIRES(state_.mutex) {
    return state_.cancelled || state_.ended;
  });
}

}  // namespace backup
