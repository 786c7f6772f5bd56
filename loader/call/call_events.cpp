// SPDX-License-Identifier: BSL-1.0
#include "call/call_events.hpp"

#include <algorithm>
#include <atomic>

#include "platform/event.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

std::intptr_t CallEvents::event_of(const CallState& call) {
  const sync::Lock lock(mutex_);
  if (const auto found = find(call); found != events_.end()) return found->handle;
  events_.reserve(events_.size() + 1);
  const std::intptr_t handle = platform::create_event();
  if (handle == platform::no_event) return handle;
  events_.push_back({&call, handle});
  // A cancellation before the event existed could not signal it.
  if (call.reason() != TENON_NOT_CANCELLED) platform::signal_event(handle);
  return handle;
}

void CallEvents::signal(const CallState& call) noexcept {
  if (inherited()) return;
  const sync::Lock lock(mutex_);
  for (const Event& event : events_) {
    if (event.call->is_part_of(call)) platform::signal_event(event.handle);
  }
}

void CallEvents::clear(const CallState& call) noexcept {
  if (inherited()) return;
  const sync::Lock lock(mutex_);
  const auto found = find(call);
  if (found == events_.end()) return;
  platform::clear_event(found->handle);
  if (call.reason() != TENON_NOT_CANCELLED) platform::signal_event(found->handle);
}

void CallEvents::close(const CallState& part) noexcept {
  if (inherited()) return;
  const sync::Lock lock(mutex_);
  const auto found = find(part);
  if (found == events_.end()) return;
  platform::close_event(found->handle);
  events_.erase(found);
}

void CallEvents::end() noexcept {
  if (before_ != nullptr) before_->end();
  // A thread that only the parent process has may have held the lock during the fork. The events
  // are then leaked.
  if (!mutex_.try_lock()) return;
  mutex_.unlock();
  delete this;
}

CallEvents::~CallEvents() {
  for (const Event& event : events_) platform::close_event(event.handle);
}

std::vector<CallEvents::Event>::iterator CallEvents::find(const CallState& call) noexcept {
  return std::find_if(events_.begin(), events_.end(),
                      [&](const Event& event) { return event.call == &call; });
}

}}}  // namespace tenon::v0_1::detail
