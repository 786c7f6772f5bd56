// SPDX-License-Identifier: BSL-1.0
//
// Statuses as plugins return them. A plugin may pass on the status of another one, in which only
// the host may state a crash or a restart, or return a number that is no status, eg -1.
#pragma once

#include <tenon/abi.h>
#include <tenon/result.hpp>

#include <string>
#include <string_view>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the status that the caller of a plugin gets for one that the plugin returned, except
/// after a contained crash. Flags that this host does not know are removed. A number that is no
/// status becomes TENON_UNKNOWN, and the message of the call names it.
tenon_status status_of_plugin(tenon_call* call, tenon_status status);

/// Returns the error of a plugin that returned a field with a size and NULL as its data.
Error size_without_data(std::string plugin, const char* method, std::string_view field);

}}}  // namespace tenon::v0_1::detail
