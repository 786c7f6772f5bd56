// SPDX-License-Identifier: BSL-1.0
#include "platform/event.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <iterator>

namespace tenon { inline namespace v0_1 { namespace platform {

std::intptr_t create_event() noexcept {
  int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return event >= 0 ? event : no_event;
}

void signal_event(std::intptr_t event) noexcept {
  const std::uint64_t one = 1;
  while (write(static_cast<int>(event), &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void clear_event(std::intptr_t event) noexcept {
  std::uint64_t count;
  while (read(static_cast<int>(event), &count, sizeof count) < 0 && errno == EINTR) {
  }
}

void close_event(std::intptr_t event) noexcept {
  close(static_cast<int>(event));
}

void wait_event(std::intptr_t event, std::int64_t nanoseconds) noexcept {
  wait_events({&event, 1}, nanoseconds);
}

void wait_events(std::span<const std::intptr_t> events, std::int64_t nanoseconds) noexcept {
  constexpr std::int64_t second = 1'000'000'000;
  if (std::find(events.begin(), events.end(), no_event) != events.end()) {
    constexpr std::int64_t step = second / 10;
    nanoseconds = nanoseconds < 0 ? step : std::min(nanoseconds, step);
  }
  pollfd entries[8];
  std::size_t count = 0;
  for (const std::intptr_t event : events) {
    entries[count++] = {static_cast<int>(event), POLLIN, 0};  // ppoll ignores no_event
  }
  const timespec timeout{nanoseconds / second, nanoseconds % second};
  // A signal ends the wait early; callers check their condition again.
  if (ppoll(entries, count, nanoseconds < 0 ? nullptr : &timeout, nullptr) <= 0) return;
  // A descriptor that other code has closed is replaced by no_event, since ppoll would not wait.
  std::intptr_t open[std::size(entries)];
  bool closed = false;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_closed = (entries[i].revents & POLLNVAL) != 0;
    open[i] = is_closed ? no_event : events[i];
    closed = closed || is_closed;
  }
  if (closed) wait_events({open, count}, nanoseconds);
}

}}}  // namespace tenon::v0_1::platform
