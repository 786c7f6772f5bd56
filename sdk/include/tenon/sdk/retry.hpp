// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/retry.hpp: repeats an operation that may succeed later, such as the read of a source:
//
//   std::optional<tenon::RecordV2> read() override {
//     return tenon::sdk::retry(call(), [&] { return poll_server(); });
//   }
#pragma once

#if !defined(__cpp_exceptions)
#error "tenon/sdk/retry.hpp needs exceptions"
#endif

#include <tenon/sdk/call.hpp>

#include <algorithm>
#include <chrono>

namespace tenon::sdk {

/// Calls `body` until it succeeds, and returns its result. After a failure with a retryable status
/// it waits 100 ms, then 200 ms, and so on up to 5 s, and calls `body` again. Throws any other
/// exception of `body`, and Failure as soon as the call is cancelled.
template <class Body>
auto retry(Call call, Body&& body) -> decltype(body()) {
  constexpr Duration longest = std::chrono::seconds(5);
  for (Duration pause = std::chrono::milliseconds(100);; pause = std::min(2 * pause, longest)) {
    try {
      return body();
    } catch (...) {
      if (!detail::may_succeed_later(call)) throw;
    }
    call.wait(pause);
  }
}

}  // namespace tenon::sdk
