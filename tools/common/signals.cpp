// SPDX-License-Identifier: BSL-1.0
#include "common/signals.hpp"

#include <utility>

#include "platform/program.hpp"

namespace tenon::tools {

constexpr int hang_up_number = 1;  // SIGHUP, which Windows lacks

SignalWatch::SignalWatch(Stop stop, std::function<void()> hang_up)
    : stop_(std::move(stop)), hang_up_(std::move(hang_up)), thread_(&SignalWatch::run, this) {}

SignalWatch::~SignalWatch() {
  signals_.end();
  thread_.join();
}

void SignalWatch::run() {
  bool stopping = false;
  while (const auto number = signals_.next()) {
    if (*number == hang_up_number) {
      hang_up_();
      continue;
    }
    const bool again = std::exchange(stopping, true);
    stop_(*number, again);
    if (again) platform::end_process(128 + *number);
  }
}

}  // namespace tenon::tools
