// SPDX-License-Identifier: BSL-1.0
#include "call/operation.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace tenon::inline v0_1::detail {

constinit thread_local Operation* Operation::performed_ TENON_TLS_AT_FIXED_OFFSET = nullptr;

void Operation::set_limit(Clock::time_point limit) noexcept {
  const sync::Lock lock(mutex_);
  limit_ = limit;
}

std::optional<Operation::Hang> Operation::overdue(Clock::time_point now) const {
  const sync::Lock lock(mutex_);
  if (function_.empty() || now < std::min(deadline_, limit_)) return std::nullopt;
  return Hang{std::string(plugin_), std::string(function_), ended_thread_};
}

Operation::Clock::time_point Operation::next_check(Clock::time_point now) const noexcept {
  const sync::Lock lock(mutex_);
  const Clock::time_point next = function_.empty() ? now + step_limit_ : deadline_;
  return limit_ > now ? std::min(next, limit_) : next;
}

void Operation::hang() noexcept {
  {
    const sync::Lock lock(performed_->mutex_);
    performed_->ended_thread_ = true;
  }
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void Operation::keep(TimerQueue::Timer timer) {
  const Clock::time_point now = Clock::now();
  const sync::Lock lock(mutex_);
  std::erase_if(timers_, [now](TimerQueue::Timer& other) {
    const bool is_due = other.when() <= now;
    if (is_due) other.release();
    return is_due;
  });
  timers_.push_back(std::move(timer));
}

Operation::Performance::Performance(Operation& operation) noexcept
    : outer_(std::exchange(performed_, &operation)) {}

Operation::Performance::~Performance() {
  performed_ = outer_;
}

void Operation::Step::begin(std::string_view plugin, std::string_view function) noexcept {
  const sync::Lock lock(operation_->mutex_);
  const Clock::time_point deadline = Clock::now() + operation_->step_limit_;
  outer_plugin_ = std::exchange(operation_->plugin_, plugin);
  outer_function_ = std::exchange(operation_->function_, function);
  outer_deadline_ = operation_->deadline_;
  // A step inside another one does not prolong it.
  operation_->deadline_ = outer_function_.empty() ? deadline : std::min(deadline, outer_deadline_);
}

void Operation::Step::end() noexcept {
  const sync::Lock lock(operation_->mutex_);
  operation_->plugin_ = outer_plugin_;
  operation_->function_ = outer_function_;
  operation_->deadline_ = outer_deadline_;
}

}  // namespace tenon::inline v0_1::detail
