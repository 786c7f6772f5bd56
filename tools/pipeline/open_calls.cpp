// SPDX-License-Identifier: BSL-1.0
#include "open_calls.hpp"

#include <algorithm>

namespace pipeline {

using Clock = std::chrono::steady_clock;

OpenCalls::OpenCalls(Say say, std::chrono::milliseconds grace)
    : say_(std::move(say)), grace_(grace), thread_(&OpenCalls::run, this) {}

OpenCalls::~OpenCalls() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

CallSlot& OpenCalls::add(std::string plugin) {
  const std::lock_guard lock(mutex_);
  return slots_.emplace_back(std::move(plugin));
}

void OpenCalls::end() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  changed_.notify_all();
}

std::vector<std::string> OpenCalls::longer_than(std::chrono::nanoseconds time) const {
  std::vector<std::string> calls;
  const std::lock_guard lock(mutex_);
  for (const CallSlot& slot : slots_) {
    const char* method = slot.method_;
    const auto lasted = Clock::now().time_since_epoch() - slot.since_.load();
    // Another call may have begun between the two loads.
    if (method == nullptr || slot.method_ != method || lasted < time) continue;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(lasted).count();
    calls.push_back(slot.plugin_ + ": " + method + " has not returned for " +
                    std::to_string(seconds) + " s");
  }
  return calls;
}

void OpenCalls::run() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ending_ || ended_; });
  for (auto pause = grace_; !changed_.wait_for(lock, pause, [&] { return ended_; }); pause *= 2) {
    lock.unlock();
    for (const std::string& call : longer_than(pause)) say_(call);
    lock.lock();
  }
}

}  // namespace pipeline
