// SPDX-License-Identifier: BSL-1.0
//
// What the system returns for an open file or directory.
#pragma once

#include <cstdint>

namespace tenon { inline namespace v0_1 { namespace platform {

#if defined(_WIN32)
using NativeHandle = std::intptr_t;  // a HANDLE
#else
using NativeHandle = int;  // a file descriptor
#endif

inline constexpr NativeHandle no_handle = -1;

}}}  // namespace tenon::v0_1::platform
