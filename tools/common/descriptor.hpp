// SPDX-License-Identifier: BSL-1.0
//
// POSIX file descriptors: locks, and those of the standard streams.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include "platform/posix/descriptor.hpp"
#include "platform/posix/flock.hpp"

namespace tenon::tools {

using platform::Descriptor;
using platform::lock;
using platform::write_all;

/// Reserves standard output for the caller: what others write to it goes to standard error from now
/// on. Returns a descriptor of the previous standard output.
inline Descriptor reserve_standard_output() noexcept {
  Descriptor output(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return output;
}

}  // namespace tenon::tools
