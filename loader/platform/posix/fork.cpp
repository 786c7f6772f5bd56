// SPDX-License-Identifier: BSL-1.0
#include "base/fork.hpp"

#include <pthread.h>

#include <atomic>

namespace tenon { inline namespace v0_1 { namespace platform {

void after_fork_in_child(void (*handler)()) noexcept {
  pthread_atfork(nullptr, nullptr, handler);
}

void around_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept {
  pthread_atfork(prepare, parent, child);
}

std::uint64_t fork_count() noexcept {
  static constinit std::atomic<std::uint64_t> forks{0};
  static const bool counted = (after_fork_in_child([] { forks.fetch_add(1); }), true);
  static_cast<void>(counted);
  return forks.load(std::memory_order_relaxed);
}

}}}  // namespace tenon::v0_1::platform
