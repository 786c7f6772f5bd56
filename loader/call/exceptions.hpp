// SPDX-License-Identifier: BSL-1.0
//
// Exceptions that come out of a plugin although the ABI forbids it. Their types and texts
// belong to the plugin's code, so they end while that is still loaded.
#pragma once

#include <tenon/abi.h>

#include <utility>

namespace tenon::detail {

/// Inside a catch clause: says in the call what was thrown. The end of a thread (pthread_exit,
/// cancellation) is thrown on, it is nothing that failed.
tenon_status end_exception(tenon_call* call);

/// What `function` answers, or that it threw.
template <class Function>
tenon_status catching(tenon_call* call, Function&& function) {
  try {
    return std::forward<Function>(function)();
  } catch (...) {
    return end_exception(call);
  }
}

}  // namespace tenon::detail
