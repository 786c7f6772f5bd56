// SPDX-License-Identifier: BSL-1.0
//
// Catches exceptions that leave a plugin although the ABI forbids it, and those of streams of the
// host. Types and texts of the former belong to the plugin's code, so they are destroyed while that
// is still loaded.
#pragma once

#include <tenon/abi.h>

#include <utility>

namespace tenon::inline v0_1::detail {

/// Sets the message of the call to the current exception of `thrower`, eg: "the plugin". Returns a
/// status. Called inside a catch clause. Rethrows the end of a thread (pthread_exit, cancellation),
/// which is not a failure.
tenon_status end_exception(tenon_call* call, const char* thrower);

/// Returns the result of `function`, which belongs to `thrower`, or the status of its exception.
template <class Function>
tenon_status catching(tenon_call* call, const char* thrower, Function&& function) {
  try {
    return std::forward<Function>(function)();
  } catch (...) {
    return end_exception(call, thrower);
  }
}

}  // namespace tenon::inline v0_1::detail
