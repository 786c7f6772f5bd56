// SPDX-License-Identifier: BSL-1.0
//
// Writes what plugins log to the log of their host.
#pragma once

#include <tenon/call.hpp>

#include <cstdint>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns a line that has only a level and a message.
tenon_log_line plain_line(std::int32_t level, tenon_string message) noexcept;

/// For lines that a plugin logs in this call, on the thread of the call.
bool wants_in(const Call& call, std::int32_t level) noexcept;
void log_in(const Call& call, const tenon_log_line& line) noexcept;
/// For lines that a module logs, on any thread.
class ModuleHost;
bool wants_of(const ModuleHost& module, std::int32_t level) noexcept;
void log_of(const ModuleHost& module, const tenon_log_line& line) noexcept;

}}}  // namespace tenon::v0_1::detail
