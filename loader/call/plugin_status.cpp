// SPDX-License-Identifier: BSL-1.0
#include "call/plugin_status.hpp"

#include <tenon/call.hpp>
#include <tenon/gen/steps.hpp>

#include <string>

namespace tenon::inline v0_1::detail {

tenon_status status_of_plugin(tenon_call* call, tenon_status status) {
  if (status == TENON_OK) return status;
  if ((status & ~0xffff) != 0) {
    std::string message = "the plugin returned the undefined status " + std::to_string(status);
    if (const auto own = Call::of(call).message(); !own.empty()) message.append(": ").append(own);
    return fail(call, TENON_UNKNOWN, message);
  }
  status &= 0xff | TENON_RETRYABLE | TENON_FATAL;  // modules for newer hosts may know more flags
  if (TENON_CODE(status) == TENON_OK) return status | TENON_UNKNOWN;
  if (TENON_CODE(status) == TENON_CRASHED) return TENON_ABORTED | (status & ~0xff);
  return status;
}

}  // namespace tenon::inline v0_1::detail
