// SPDX-License-Identifier: BSL-1.0
//
// The events that wake the threads which wait for a call.
#pragma once

#include <tenon/call.hpp>

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/fork.hpp"

namespace tenon::inline v0_1::detail {

/// The events of one call and of its parts (NestedCall). Each has its own: a part may be cancelled
/// while a thread waits for the call that it is a part of. Created with the first event. Thread-safe.
/// Has no effect in a forked process, where another thread may have held the mutex.
class CallEvents {
 public:
  /// Returns the events of `call` and of those that it is a part of.
  static CallEvents& of(CallState& call);
  CallEvents(const CallEvents&) = delete;
  CallEvents& operator=(const CallEvents&) = delete;

  /// Returns the event of the call or part. Returns platform::no_event if the system has none left.
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
  CallEvents() = default;
  ~CallEvents();
  std::vector<Event>::iterator find(const CallState& call) noexcept;

  const platform::ProcessMark process_;
  std::mutex mutex_;  // guards the rest
  std::vector<Event> events_;
};

}  // namespace tenon::inline v0_1::detail
