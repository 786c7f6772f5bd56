// SPDX-License-Identifier: BSL-1.0
#include "common/progress.hpp"

#include <chrono>
#include <utility>

namespace tenon::tools {

constexpr std::chrono::milliseconds pause(200);

Progress::Progress(Console& console, Line line) : console_(console), line_(std::move(line)) {
  if (console_.on_terminal()) thread_ = std::thread(&Progress::run, this);
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    sync::Lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
  console_.clear();
}

void Progress::run() {
  const auto begin = std::chrono::steady_clock::now();
  sync::Lock lock(mutex_);
  while (!changed_.wait_for(lock, pause, [this]() TENON_REQUIRES(mutex_) { return ended_; })) {
    lock.unlock();
    try {
      console_.show(line_(std::chrono::steady_clock::now() - begin));
    } catch (...) {  // A line that cannot be shown must not end the run.
    }
    lock.lock();
  }
}

}  // namespace tenon::tools
