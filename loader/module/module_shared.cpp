// SPDX-License-Identifier: BSL-1.0
#include "module/module_shared.hpp"

namespace tenon::inline v0_1::detail {

Error ModuleShared::refused(std::string found) const {
  return Error({.code = "restart-refused",
                .status = TENON_FAILED_PRECONDITION,
                .message = std::move(found),
                .where = where});
}

Error ModuleShared::busy() const {
  return Error({.code = "module-busy",
                .status = TENON_UNAVAILABLE | TENON_RETRYABLE,
                .message = "another thread is loading or restarting the module and does not end",
                .where = where});
}

Error ModuleShared::too_deep(int most) const {
  return Error({.status = TENON_RESOURCE_EXHAUSTED,
                .message = "plugins of the module create each other without end",
                .where = where,
                .found = "more than " + std::to_string(most) + " nested creates and configures",
                .needed = "at most " + std::to_string(most),
                .fix = "do not create a plugin in its own create or configure function"});
}

Error ModuleShared::hang_error(const Operation::Hang& hang) const {
  return Error({.code = "restart-failed",
                .status = TENON_DEADLINE_EXCEEDED,
                .message = hang.function + " of " + hang.plugin +
                           (hang.ended_thread ? " ended its thread" : " did not return in time") +
                           "; its thread and its code are abandoned",
                .where = where,
                .plugin = hang.plugin,
                .method = hang.function});
}

}  // namespace tenon::inline v0_1::detail
