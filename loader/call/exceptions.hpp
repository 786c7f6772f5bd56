// SPDX-License-Identifier: BSL-1.0
//
// Catches exceptions that leave a plugin although the ABI forbids it. Their types and texts belong
// to the plugin's code, so they are destroyed while that is still loaded.
#pragma once

#include <tenon/abi.h>

#include <utility>

namespace tenon::inline v0_1::detail {

/// Sets the message of the call to the current exception and returns a status. Called inside a
/// catch clause. Rethrows the end of a thread (pthread_exit, cancellation), which is not a failure.
tenon_status end_exception(tenon_call* call);

/// Returns the result of `function`, or the status of its exception.
template <class Function>
tenon_status catching(tenon_call* call, Function&& function) {
  try {
    return std::forward<Function>(function)();
  } catch (...) {
    return end_exception(call);
  }
}

}  // namespace tenon::inline v0_1::detail
