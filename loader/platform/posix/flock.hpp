// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Locks a file until it is closed. A process that was killed keeps its locks for a moment, so this
/// tries again for 2 s. Returns false, with the reason in errno, on failure.
inline bool lock(int file) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}}}  // namespace tenon::v0_1::platform
