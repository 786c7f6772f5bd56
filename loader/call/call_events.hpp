// SPDX-License-Identifier: BSL-1.0
//
// The events that wake the threads which wait for a call.
#pragma once

#include <tenon/call.hpp>

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/fork.hpp"
#include "base/lock_order.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The events of one call and of its parts (NestedCall). Each has its own: a part may be cancelled
/// while a thread waits for the call that it is a part of. Created with the first event, and again
/// in a forked process, which must not wait for the events of its parent. Thread-safe.
class CallEvents {
 public:
  /// `before`: the events of the parent process, or nullptr.
  explicit CallEvents(CallEvents* before) noexcept : before_(before) {}
  CallEvents(const CallEvents&) = delete;
  CallEvents& operator=(const CallEvents&) = delete;

  bool inherited() const noexcept { return process_.inherited(); }

  /// Returns the event of the call or part. Returns platform::no_event if the system has none left.
  /// REQUIRED: not inherited.
  std::intptr_t event_of(const CallState& call);
  /// Signals the events of `call` and of its parts. REQUIRED: it is cancelled.
  void signal(const CallState& call) noexcept;
  /// Clears the event of `call` unless it is cancelled.
  void clear(const CallState& call) noexcept;
  /// Closes the event of a part, which ends.
  void close(const CallState& part) noexcept;
  /// Closes all events. The call ends.
  void end() noexcept;

 private:
  struct Event {
    const CallState* call;
    std::intptr_t handle;
  };
  ~CallEvents();
  std::vector<Event>::iterator find(const CallState& call) noexcept TENON_REQUIRES(mutex_);

  template <class Object>
  friend Object& platform::of_this_process(std::atomic<Object*>& shared);

  const platform::ProcessMark process_;
  CallEvents* const before_;
  LeafMutex mutex_;
  std::vector<Event> events_ TENON_GUARDED_BY(mutex_);
};

}}}  // namespace tenon::v0_1::detail
