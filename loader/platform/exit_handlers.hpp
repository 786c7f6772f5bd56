// SPDX-License-Identifier: BSL-1.0
//
// Functions that run when the process exits.
#pragma once

namespace tenon { inline namespace v0_1 { namespace platform {

/// Calls `on_exit` on the thread that calls exit(), and `on_quick_exit` on the one that calls
/// quick_exit(). REQUIRED: the library stays loaded until the process exits.
void add_exit_handlers(void (*on_exit)(), void (*on_quick_exit)()) noexcept;

}}}  // namespace tenon::v0_1::platform
