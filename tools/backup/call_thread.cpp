// SPDX-License-Identifier: BSL-1.0
#include "lane.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

namespace backup {
namespace {

using Moment = std::chrono::steady_clock::time_point;

/// The time that a call gets after its deadline, and after it was cancelled, to return on its own.
constexpr std::chrono::milliseconds grace_of_deadline(500);
constexpr std::chrono::seconds grace_of_cancel(5);

}  // namespace

struct Lane::State {
  std::mutex mutex;
  std::condition_variable changed;
  Body body;  // empty: nothing to do
  std::exception_ptr thrown;
  std::optional<Moment> late;  // when the call under way is, if ever
  bool cancelled = false;
  bool ended = false;
  tenon::Call call;
};

Lane::Lane() : state_(std::make_shared<State>()), thread_(&Lane::serve, state_) {}

Lane::~Lane() {
  if (!thread_.joinable()) return;
  canceller()();
  try {
    if (!finish()) return;
  } catch (...) {  // what the body threw cannot be reported here
  }
  {
    const std::lock_guard lock(state_->mutex);
    state_->ended = true;
    state_->changed.notify_all();
  }
  thread_.join();
}

void Lane::serve(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    state->changed.wait(lock, [&] { return state->ended || state->body; });
    if (state->ended) return;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      Turn turn(*state);
      state->body(turn);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    state->thrown = thrown;
    state->body = nullptr;
    state->changed.notify_all();
  }
}

void Lane::start(Body body) {
  const std::lock_guard lock(state_->mutex);
  state_->cancelled = false;
  state_->late.reset();
  state_->body = std::move(body);
  state_->changed.notify_all();
}

bool Lane::finish() {
  do {
    if (wait_until(Moment::max())) return true;
  } while (!leave_if_late());
  return false;
}

bool Lane::wait_until(Moment until) {
  std::unique_lock lock(state_->mutex);
  while (state_->body) {
    const Moment end = std::min(until, state_->late.value_or(until));
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

std::function<void()> Lane::canceller() const {
  return [state = state_] {
    const std::lock_guard lock(state->mutex);
    state->cancelled = true;
    const Moment late = std::chrono::steady_clock::now() + grace_of_cancel;
    state->late = std::min(state->late.value_or(late), late);
    state->call.cancel();
    state->changed.notify_all();
  };
}

/// Returns false if the call under way is not late any more.
bool Lane::leave_if_late() {
  {
    const std::lock_guard lock(state_->mutex);
    const bool late = state_->late && *state_->late <= std::chrono::steady_clock::now();
    if (!state_->body || !late) return false;
    state_->ended = true;
    state_->changed.notify_all();
  }
  thread_.detach();
  return true;
}

tenon::Call* Lane::Turn::begin(std::optional<std::chrono::nanoseconds> timeout) {
  const std::lock_guard lock(state_.mutex);
  if (state_.cancelled || state_.ended) return nullptr;
  state_.call.reset();
  const std::optional<Moment> before = std::exchange(state_.late, std::nullopt);
  if (timeout) {
    const Moment now = std::chrono::steady_clock::now();
    state_.call.set_deadline(now + *timeout);
    state_.late = now + *timeout + grace_of_deadline;
    // Who waits looks again when the call before would have been late.
    if (!before || *state_.late < *before) state_.changed.notify_all();
  }
  return &state_.call;
}

void Lane::Turn::pause(std::chrono::nanoseconds time) {
  std::unique_lock lock(state_.mutex);
  state_.changed.wait_for(lock, time, [&] { return state_.cancelled || state_.ended; });
}

}  // namespace backup
