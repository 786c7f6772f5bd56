// SPDX-License-Identifier: BSL-1.0
//
// POSIX file descriptors: locks, and those of the standard streams.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "platform/posix/descriptor.hpp"

namespace tenon::tools {

using platform::Descriptor;
using platform::write_all;

/// Opens each standard stream that is closed. Using it still fails, but no file that the program
/// opens gets its number, so that no message is written into that file. REQUIRED: no file is open.
inline void hold_standard_streams() noexcept {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    const int held = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (held < 0) return;
  }
}

/// Reserves standard output for the caller: what others write to it goes to standard error from now
/// on. Returns a descriptor of the previous standard output.
inline Descriptor reserve_standard_output() noexcept {
  Descriptor output(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return output;
}

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

}  // namespace tenon::tools
