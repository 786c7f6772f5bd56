// SPDX-License-Identifier: BSL-1.0
//
// Catches exceptions that leave a plugin although the ABI forbids it, and those of streams and
// listeners of the host. Types and texts of the former belong to the plugin's code, so they are
// destroyed while that is still loaded.
#pragma once

#include <tenon/abi.h>

#include <string>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the text of the current exception, eg: "the plugin threw an exception: no disk". Texts
/// are those of a std::exception, a C string or a std::string; integers become numbers. Called
/// inside a catch clause. Rethrows the end of a thread (pthread_exit, cancellation), which is not a
/// failure.
std::string text_of_exception(std::string thrower);

/// Sets the message of the call to this text, and returns a status.
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

}}}  // namespace tenon::v0_1::detail
