// SPDX-License-Identifier: BSL-1.0
#include <tenon/call.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "base/log.hpp"
#include "call/call_children.hpp"
#include "call/call_events.hpp"
#include "call/call_log.hpp"
#include "platform/event.hpp"

namespace tenon { inline namespace v0_1 {

namespace {

std::int64_t now() noexcept {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

}  // namespace

/// The functions of a tenon_call.
struct Call::Functions {
  static void* allocate(tenon_call* call, std::size_t size) {
    CallState& whole = Call::of(call).whole();
    if (&whole != call) return tenon_allocate(whole.raw(), size);
    void* memory = whole.allocate_block(size);
    if (memory == nullptr) {
      detail::log_fatal("no memory is left for the results of a call");
      std::abort();
    }
    return memory;
  }
  static void fail(tenon_call* call, tenon_status, tenon_string message) {
    if (message.data == nullptr) message.size = 0;
    auto* copy = static_cast<const char*>(tenon_allocate_copy(call, message.data, message.size));
    Call& failed = Call::of(call);
    failed.message_ = {copy, message.size};
    failed.leave_trace();
  }
  static void log(tenon_call* call, std::int32_t level, tenon_string message) {
    detail::log_in(Call::of(call), detail::plain_line(level, message));
  }
  static std::int32_t cancelled(tenon_call* call) {
    return static_cast<std::int32_t>(Call::of(call).cancel_reason());
  }
  static std::int32_t wait(tenon_call* call, tenon_duration timeout) {
    return Call::of(call).wait(timeout);
  }
  static std::intptr_t wait_handle(tenon_call* call) { return Call::of(call).wait_handle(); }

  static tenon_string message(tenon_call* call) { return Call::of(call).last_message(); }

  static std::int32_t log_wanted(tenon_call* call, std::int32_t level) {
    return detail::wants_in(Call::of(call), level) ? 1 : 0;
  }
  static void log_line(tenon_call* call, const tenon_log_line* line) {
    detail::log_in(Call::of(call), *line);
  }
};

constinit const tenon_call_functions Call::call_functions = {
    sizeof(tenon_call_functions), Functions::allocate, Functions::fail,        Functions::log,
    Functions::cancelled,         Functions::wait,     Functions::wait_handle, Functions::message,
    Functions::log_wanted,        Functions::log_line};

void detail::CallState::end() noexcept {
  if (auto* children = children_.load()) children->abandon();
  if (auto* events = events_.load()) events->end();
}

void Call::set_deadline(std::chrono::steady_clock::time_point when) noexcept {
  deadline = when.time_since_epoch() / std::chrono::nanoseconds(1);
}

void Call::set_timeout(std::chrono::nanoseconds timeout) noexcept {
  using Time = std::chrono::steady_clock::time_point;
  const Time now = std::chrono::steady_clock::now();
  set_deadline(timeout < Time::max() - now ? now + timeout : Time::max());
}

std::int32_t detail::CallState::reason() const noexcept {
  for (const CallState* call = this; call != nullptr; call = call->outer()) {
    if (const std::int32_t reason = call->reason_.load(); reason != TENON_NOT_CANCELLED) {
      return reason;
    }
  }
  return TENON_NOT_CANCELLED;
}

void Call::cancel(CancelReason reason) noexcept {
  std::int32_t expected = TENON_NOT_CANCELLED;
  reason_.compare_exchange_strong(expected, static_cast<std::int32_t>(reason));
  CallState& whole = this->whole();
  if (auto* events = whole.events_.load()) events->signal(*this);
  if (auto* children = whole.children_.load()) children->cancel_children_of(*this);
}

CancelReason Call::cancel_reason() const noexcept {
  const auto reason = static_cast<CancelReason>(this->reason());
  if (reason != CancelReason::none) return reason;
  return deadline != never && now() >= deadline ? CancelReason::deadline : CancelReason::none;
}

std::int32_t Call::wait(tenon_duration timeout) noexcept {
  const std::int64_t begin = now();
  const std::int64_t until = timeout < 0 || timeout > never - begin ? never : begin + timeout;
  for (;;) {
    const CancelReason reason = cancel_reason();
    if (reason != CancelReason::none) return static_cast<std::int32_t>(reason);
    const std::int64_t end = std::min<std::int64_t>(until, deadline);
    const std::int64_t left = end == never ? -1 : end - now();
    if (end != never && left <= 0) return static_cast<std::int32_t>(cancel_reason());
    platform::wait_event(wait_handle(), left);
    // A cancellation during `reset` may leave a signal without a reason.
    if (this->reason() == TENON_NOT_CANCELLED) clear_signal();
  }
}

std::intptr_t detail::CallState::wait_handle() noexcept try {
  leave_trace();
  return platform::of_this_process(whole().events_).event_of(*this);
} catch (const std::bad_alloc&) {
  return platform::no_event;
}

std::string_view detail::CallState::failed_inside(std::uint32_t depth) noexcept {
  if (auto* children = whole().children_.load()) {
    if (std::string failure = children->take_failure_in(*this); !failure.empty()) {
      failed_inside_ = std::make_unique<Inner>(Inner{UINT32_MAX, std::move(failure)});
    }
  }
  if (failed_inside_ == nullptr || failed_inside_->depth <= depth) return {};
  return failed_inside_->text;
}

void detail::CallState::add_failed_inside(std::uint32_t depth, std::string failure) {
  failed_inside_ = std::make_unique<Inner>(Inner{depth, std::move(failure)});
  leave_trace();
}

void detail::CallState::forget() noexcept {
  failed_inside_ = nullptr;
  if (auto* children = whole().children_.load()) children->take_failure_in(*this);
  if (reason_.exchange(TENON_NOT_CANCELLED) != TENON_NOT_CANCELLED) clear_signal();
}

void detail::CallState::clear_signal() noexcept {
  if (auto* events = whole().events_.load()) events->clear(*this);
}

void detail::CallState::end_part() noexcept {
  CallState& outer = *this->outer();
  outer.leave_trace();
  has_traces_.store(false, std::memory_order_relaxed);
  if (message_.data != nullptr) outer.message_ = std::exchange(message_, {nullptr, 0});
  if (auto* children = whole().children_.load()) children->move_to(outer, *this);
  if (failed_inside_ != nullptr) {
    failed_inside_->depth = UINT32_MAX;
    outer.failed_inside_ = std::move(failed_inside_);
  }
  if (auto* events = whole().events_.load()) events->close(*this);
}

}}  // namespace tenon::v0_1
