// SPDX-License-Identifier: BSL-1.0
#include "call/supervised_work.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace detail {

constinit thread_local SupervisedWork* SupervisedWork::current_ TENON_TLS_AT_FIXED_OFFSET = nullptr;

void SupervisedWork::set_limit(Clock::time_point limit) noexcept {
  const sync::Lock lock(mutex_);
  limit_ = limit;
}

std::optional<SupervisedWork::Overdue> SupervisedWork::overdue(Clock::time_point now) const {
  const sync::Lock lock(mutex_);
  if (function_.empty() || now < std::min(deadline_, limit_)) return std::nullopt;
  return Overdue{std::string(plugin_), std::string(function_), ended_thread_};
}

SupervisedWork::Clock::time_point SupervisedWork::next_check(Clock::time_point now) const noexcept {
  const sync::Lock lock(mutex_);
  const Clock::time_point next = function_.empty() ? now + step_limit_ : deadline_;
  return limit_ > now ? std::min(next, limit_) : next;
}

void SupervisedWork::hang() noexcept {
  {
    const sync::Lock lock(current_->mutex_);
    current_->ended_thread_ = true;
  }
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void SupervisedWork::keep(TimerQueue::Timer timer) {
  const Clock::time_point now = Clock::now();
  const sync::Lock lock(mutex_);
  std::erase_if(timers_, [now](TimerQueue::Timer& other) {
    const bool is_due = other.when() <= now;
    if (is_due) other.release();
    return is_due;
  });
  timers_.push_back(std::move(timer));
}

SupervisedWork::Scope::Scope(SupervisedWork& work) noexcept
    : outer_(std::exchange(current_, &work)) {}

SupervisedWork::Scope::~Scope() {
  current_ = outer_;
}

void SupervisedWork::Step::begin(std::string_view plugin, std::string_view function) noexcept {
  const sync::Lock lock(work_->mutex_);
  const Clock::time_point deadline = Clock::now() + work_->step_limit_;
  outer_plugin_ = std::exchange(work_->plugin_, plugin);
  outer_function_ = std::exchange(work_->function_, function);
  outer_deadline_ = work_->deadline_;
  // A step inside another one does not prolong it.
  work_->deadline_ = outer_function_.empty() ? deadline : std::min(deadline, outer_deadline_);
}

void SupervisedWork::Step::end() noexcept {
  const sync::Lock lock(work_->mutex_);
  work_->plugin_ = outer_plugin_;
  work_->function_ = outer_function_;
  work_->deadline_ = outer_deadline_;
}

}}}  // namespace tenon::v0_1::detail
