// SPDX-License-Identifier: BSL-1.0
#include "common/signals.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "common/worker.hpp"

namespace tenon::tools {
namespace {

Descriptor make_event() {
  Descriptor event(::eventfd(0, EFD_CLOEXEC));
  if (!event) throw std::system_error(errno, std::generic_category(), "eventfd");
  return event;
}

}  // namespace

SignalWatch::SignalWatch(Stop stop, std::function<void()> hang_up)
    : stop_(std::move(stop)),
      hang_up_(std::move(hang_up)),
      end_(make_event()),
      thread_(&SignalWatch::run, this) {}

SignalWatch::~SignalWatch() {
  ::eventfd_write(end_.get(), 1);
  thread_.join();
}

/// Waits for the next signal. Returns false if the thread has to end.
bool SignalWatch::next(char& number) const {
  pollfd both[] = {{end_.get(), POLLIN, 0}, {signal_channel(), POLLIN, 0}};
  while (::poll(both, std::size(both), -1) < 0) {
    if (errno != EINTR) return false;
  }
  return both[0].revents == 0 && ::read(both[1].fd, &number, 1) == 1;
}

void SignalWatch::run() {
  bool stopping = false;
  for (char number = 0; next(number);) {
    if (number == SIGHUP) {
      hang_up_();
      continue;
    }
    const bool again = std::exchange(stopping, true);
    stop_(number, again);
    if (again) _exit(128 + number);
  }
}

}  // namespace tenon::tools
