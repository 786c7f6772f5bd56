// SPDX-License-Identifier: BSL-1.0
#include "supervise/call_deadlines.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <string>
#include <utility>

#include "call/thread_records.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// A call that respects its deadline ends a little after it.
constexpr auto grace = std::chrono::milliseconds(20);

ModuleState::Clock::time_point overdue_at(std::int64_t deadline) noexcept {
  const ModuleState::Clock::time_point ends{std::chrono::nanoseconds(deadline)};
  return std::min(ends, ModuleState::Clock::time_point::max() - grace) + grace;
}

}  // namespace

void CallDeadlines::check_at(std::int64_t deadline) noexcept {
  if (state_.inherited()) return;  // nothing is reported
  if (!lower_next(deadline)) return;
  try {
    plan(deadline);
  } catch (const std::bad_alloc&) {  // the next call with a deadline plans again
    {
      const sync::Lock lock(mutex_);
      std::erase(timers_, deadline);
    }
    state_.calls.next_deadline.compare_exchange_strong(deadline, no_deadline);
  }
}

/// Makes a deadline the next one, unless an earlier one is. Returns whether it has done so.
bool CallDeadlines::lower_next(std::int64_t deadline) noexcept {
  std::int64_t next = state_.calls.next_deadline.load();
  while (deadline < next && !state_.calls.next_deadline.compare_exchange_weak(next, deadline)) {
  }
  return deadline < next;
}

/// Starts the timer for a deadline, unless it has one. Each check plans the earliest deadline that
/// is left, whose timer may still run.
void CallDeadlines::plan(std::int64_t deadline) {
  {
    const sync::Lock lock(mutex_);
    if (std::ranges::find(timers_, deadline) != timers_.end()) return;
    timers_.push_back(deadline);
  }
  state_.context->timers->at(overdue_at(deadline), [weak = state_.observe(this), deadline,
                                                    overdue = std::vector<Event>()]() mutable {
    const auto deadlines = weak.lock();
    return deadlines == nullptr || deadlines->check(deadline, overdue);
  });
}

/// Finds overdue calls, unless a check for an earlier deadline has taken the place of this one, and
/// lets a worker report them. Returns false if there is no worker; `overdue` keeps them until then.
bool CallDeadlines::check(std::int64_t deadline, std::vector<Event>& overdue) {
  {
    const sync::Lock lock(mutex_);
    std::erase(timers_, deadline);
  }
  std::int64_t expected = deadline;
  if (state_.calls.next_deadline.compare_exchange_strong(expected, no_deadline)) {
    try {
      find(overdue);
    } catch (const std::bad_alloc&) {
      lower_next(deadline);  // this check is repeated
      throw;
    }
  }
  if (overdue.empty()) return true;
  const auto report = [events = state_.context->events, overdue] {
    for (const Event& event : overdue) events->report(event);
  };
  return state_.context->workers->run(report).has_value();
}

/// Finds the overdue calls, and plans a check of the others.
void CallDeadlines::find(std::vector<Event>& overdue) {
  std::int64_t next = no_deadline;
  {
    const ModuleLock lock(state_.mutex);
    const auto look = [&](const Generation& generation, const Event& as) TENON_REQUIRES(
                          module_lock) { add_overdue(overdue, generation, as, next); };
    if (state_.generation != nullptr) {
      look(*state_.generation, state_.event(Event::Type::call_overdue));
    }
    draining_.visit(look);
  }
  if (next != no_deadline) check_at(next);
}

/// Adds the overdue calls in a generation. Lowers `next` to the earliest deadline of the others.
void CallDeadlines::add_overdue(std::vector<Event>& overdue, const Generation& generation,
                                const Event& as, std::int64_t& next) const {
  const std::int64_t now =
      (ModuleState::Clock::now() - grace).time_since_epoch() / std::chrono::nanoseconds(1);
  for (const OverdueCall& call : overdue_calls(generation, now, next)) {
    Event event = as;
    event.type = Event::Type::call_overdue;
    const LiveInstance* instance = state_.instances.find(call.instance);
    event.message = (instance != nullptr ? instance->spec().name + ": " : "") +
                    std::string(call.method) + " did not end by its deadline";
    overdue.push_back(std::move(event));
    if (!call.take()) overdue.pop_back();  // last, as memory may be exhausted before
  }
}

}}}  // namespace tenon::v0_1::detail
