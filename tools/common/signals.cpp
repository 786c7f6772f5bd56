// SPDX-License-Identifier: BSL-1.0
#include "common/signals.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <initializer_list>
#include <utility>

namespace tenon::tools {
namespace {

sigset_t set_of(std::initializer_list<int> numbers) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : numbers) sigaddset(&set, number);
  return set;
}

sigset_t watched() {
  return set_of({SIGINT, SIGTERM, SIGHUP});
}

/// Lets a third signal end the process while the second one is still handled. SIGHUP stays blocked,
/// because it also wakes the thread.
void unblock_stop() {
  const sigset_t set = set_of({SIGINT, SIGTERM});
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace

void hold_signals() {
  const sigset_t set = watched();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // A write of a plugin to a closed connection, or beyond the largest size of a file, fails with an
  // error instead.
  for (const int number : {SIGPIPE, SIGXFSZ}) signal(number, SIG_IGN);
}

SignalWatch::SignalWatch(Stop stop, std::function<void()> hang_up)
    : stop_(std::move(stop)), hang_up_(std::move(hang_up)), thread_(&SignalWatch::run, this) {}

SignalWatch::~SignalWatch() {
  ended_ = true;
  pthread_kill(thread_.native_handle(), SIGHUP);  // wakes it
  thread_.join();
}

void SignalWatch::run() {
  const sigset_t set = watched();
  bool stopping = false;
  for (;;) {
    int number = 0;
    if (sigwait(&set, &number) != 0) continue;
    if (ended_) return;
    if (number == SIGHUP) {
      hang_up_();
      continue;
    }
    const bool again = std::exchange(stopping, true);
    if (again) unblock_stop();
    stop_(number, again);
    if (again) _exit(128 + number);
  }
}

}  // namespace tenon::tools
