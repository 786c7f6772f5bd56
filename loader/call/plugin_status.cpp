// SPDX-License-Identifier: BSL-1.0
#include "call/plugin_status.hpp"

#include <tenon/call.hpp>
#include <tenon/gen/steps.hpp>

#include <string>

namespace tenon::inline v0_1::detail {

tenon_status status_of_plugin(tenon_call* call, tenon_status status) {
  constexpr tenon_status flags = TENON_RETRYABLE | TENON_FATAL | TENON_RESTARTED;
  if (status == TENON_OK) return status;
  if ((status & ~(0xff | flags)) != 0) {
    std::string message = "the plugin returned the undefined status " + std::to_string(status);
    if (const auto own = Call::of(call).message(); !own.empty()) message.append(": ").append(own);
    return fail(call, TENON_UNKNOWN, message);
  }
  status &= ~TENON_RESTARTED;
  if (TENON_CODE(status) == TENON_OK) return status | TENON_UNKNOWN;
  if (TENON_CODE(status) == TENON_CRASHED) return TENON_ABORTED | (status & ~0xff);
  return status;
}

}  // namespace tenon::inline v0_1::detail
