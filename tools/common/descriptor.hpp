// SPDX-License-Identifier: BSL-1.0
//
// POSIX file descriptors, and their locks.
#pragma once

#include "platform/posix/descriptor.hpp"
#include "platform/posix/flock.hpp"

namespace tenon::tools {

using platform::Descriptor;
using platform::lock;
using platform::write_all;

}  // namespace tenon::tools
