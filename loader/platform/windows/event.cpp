// SPDX-License-Identifier: BSL-1.0
#include "platform/event.hpp"

#include <algorithm>
#include <cstddef>

#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

HANDLE event_handle(std::intptr_t event) noexcept {
  return reinterpret_cast<HANDLE>(event);
}

}  // namespace

std::intptr_t create_event() noexcept {
  const HANDLE event = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  return event != nullptr ? reinterpret_cast<std::intptr_t>(event) : no_event;
}

void signal_event(std::intptr_t event) noexcept {
  SetEvent(event_handle(event));
}

void clear_event(std::intptr_t event) noexcept {
  ResetEvent(event_handle(event));
}

void close_event(std::intptr_t event) noexcept {
  CloseHandle(event_handle(event));
}

void wait_event(std::intptr_t event, std::int64_t nanoseconds) noexcept {
  wait_events({&event, 1}, nanoseconds);
}

void wait_events(std::span<const std::intptr_t> events, std::int64_t nanoseconds) noexcept {
  constexpr std::int64_t millisecond = 1'000'000;
  constexpr std::int64_t step = 100;  // milliseconds
  constexpr std::int64_t longest = std::int64_t{1} << 30;
  std::int64_t wait = INFINITE;
  // Rounded up, so that a caller with a deadline does not wait again and again for no time.
  if (nanoseconds >= 0) {
    wait = nanoseconds / millisecond + (nanoseconds % millisecond != 0 ? 1 : 0);
    wait = std::min(wait, longest);
  }
  HANDLE handles[8];
  DWORD count = 0;
  for (const std::intptr_t event : events) {
    if (event == no_event) {
      wait = nanoseconds < 0 ? step : std::min(wait, step);
    } else {
      handles[count++] = event_handle(event);
    }
  }
  const auto time = static_cast<DWORD>(wait);
  // An invalid handle, which other code has closed, ends the wait at once.
  if (count == 0 || WaitForMultipleObjects(count, handles, FALSE, time) == WAIT_FAILED) {
    Sleep(static_cast<DWORD>(nanoseconds < 0 ? step : std::min(wait, step)));
  }
}

}}}  // namespace tenon::v0_1::platform
