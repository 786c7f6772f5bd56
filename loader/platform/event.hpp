// SPDX-License-Identifier: BSL-1.0
//
// An event that wakes whoever waits for it; plugins poll its handle (POSIX: a file descriptor).
#pragma once

#include <cstdint>
#include <span>

namespace tenon::platform {

inline constexpr std::intptr_t no_event = -1;

/// A new event, not signalled; no_event where the system has no handle left.
std::intptr_t create_event() noexcept;
/// From now on every wait returns at once, until it is cleared. From any thread.
void signal_event(std::intptr_t event) noexcept;
/// From now on waits wait again. From any thread.
void clear_event(std::intptr_t event) noexcept;
/// REQUIRED: nobody waits.
void close_event(std::intptr_t event) noexcept;
/// Waits until the event is signalled or `nanoseconds` have passed; negative: without end.
/// Without an event it only waits for the time to pass, and at most a tenth of a second.
void wait_event(std::intptr_t event, std::int64_t nanoseconds) noexcept;
/// The same for the first of several, at most 8.
void wait_events(std::span<const std::intptr_t> events, std::int64_t nanoseconds) noexcept;

}  // namespace tenon::platform
