// SPDX-License-Identifier: BSL-1.0
//
// The exception that glibc throws to end a thread (pthread_exit, pthread_cancel). It must be
// rethrown.
#pragma once

#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

namespace tenon { inline namespace v0_1 { namespace platform {

#if __has_include(<cxxabi.h>)
using ForcedUnwind = abi::__forced_unwind;
#else
class ForcedUnwind {};  // never thrown
#endif

}}}  // namespace tenon::v0_1::platform
