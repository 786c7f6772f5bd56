// SPDX-License-Identifier: BSL-1.0
//
// A manual-reset event that plugins can poll (POSIX: an eventfd).
#pragma once

#include <cstdint>
#include <span>

namespace tenon { inline namespace v0_1 { namespace platform {

inline constexpr std::intptr_t no_event = -1;

/// Creates an event that is not signalled. Returns no_event if the system has no handle left.
std::intptr_t create_event() noexcept;
/// Signals the event: waits return at once until it is cleared. Any thread.
void signal_event(std::intptr_t event) noexcept;
/// Clears the event: waits block again. Any thread.
void clear_event(std::intptr_t event) noexcept;
/// Closes the event. REQUIRED: no thread waits for it.
void close_event(std::intptr_t event) noexcept;
/// Waits until the event is signalled or `nanoseconds` have passed; negative: no timeout. For
/// no_event it waits for the timeout, at most 0.1 seconds. May return early.
void wait_event(std::intptr_t event, std::int64_t nanoseconds) noexcept;
/// Waits for the first of several events, at most 8.
void wait_events(std::span<const std::intptr_t> events, std::int64_t nanoseconds) noexcept;

}}}  // namespace tenon::v0_1::platform
