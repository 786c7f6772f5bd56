// SPDX-License-Identifier: BSL-1.0
//
// Reports plugins that end the process.
#pragma once

namespace tenon { inline namespace v0_1 { namespace detail {

/// Ends the process with status EXIT_FAILURE, after a line that names the plugin, if exit() or
/// quick_exit() is called in a function of a plugin. Has this effect until the process ends, and
/// none in forked children. Thread-safe. REQUIRED: a LibraryUse exists.
void report_exits() noexcept;

}}}  // namespace tenon::v0_1::detail
