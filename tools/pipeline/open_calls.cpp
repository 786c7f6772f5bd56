// SPDX-License-Identifier: BSL-1.0
#include "open_calls.hpp"

#include <algorithm>

namespace pipeline {

using Clock = std::chrono::steady_clock;

OpenCalls::OpenCalls(Say say, std::chrono::milliseconds grace)
    : say_(std::move(say)), grace_(grace), thread_(&OpenCalls::run, this) {}

OpenCalls::~OpenCalls() {
  {
    const tenon::sync::Lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

CallSlot& OpenCalls::add(std::string plugin, tenon::Figure seconds) {
  const tenon::sync::Lock lock(mutex_);
  return slots_.emplace_back(std::move(plugin), std::move(seconds));
}

void OpenCalls::end() {
  const tenon::sync::Lock lock(mutex_);
  ending_ = true;
  changed_.notify_all();
}

std::optional<OpenCall> CallSlot::call() const {
  const char* method = method_;
  const auto lasted = Clock::now().time_since_epoch() - since_.load();
  // Another call may have begun between the two loads.
  if (method == nullptr || method_ != method) return std::nullopt;
  return OpenCall{plugin_, method, lasted};
}

std::vector<OpenCall> OpenCalls::calls() const {
  std::vector<OpenCall> calls;
  const tenon::sync::Lock lock(mutex_);
  for (const CallSlot& slot : slots_) {
    if (auto call = slot.call()) calls.push_back(*std::move(call));
  }
  return calls;
}

std::vector<std::string> OpenCalls::longer_than(std::chrono::nanoseconds time) const {
  std::vector<std::string> texts;
  for (const OpenCall& call : calls()) {
    if (call.lasted < time) continue;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(call.lasted).count();
    texts.push_back(call.plugin + ": " + std::string(call.method) + " has not returned for " +
                    std::to_string(seconds) + " s");
  }
  return texts;
}

void OpenCalls::run() {
  tenon::sync::Lock lock(mutex_);
  changed_.wait(lock, [this]() TENON_REQUIRES(mutex_) { return ending_ || ended_; });
  for (auto pause = grace_;
       !changed_.wait_for(lock, pause, [this]() TENON_REQUIRES(mutex_) { return ended_; });
       pause *= 2) {
    lock.unlock();
    for (const std::string& call : longer_than(pause)) say_(call);
    lock.lock();
  }
}

}  // namespace pipeline
