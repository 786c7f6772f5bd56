// SPDX-License-Identifier: BSL-1.0
//
// The error of a forked child that uses the host of its parent.
#pragma once

#include <tenon/result.hpp>

#include <string>
#include <string_view>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the error `host-forked`, for a call if `plugin` and `method` are given. `where` names a
/// module, or what was requested.
inline Error forked_error(std::string where = {}, std::string_view plugin = {},
                          std::string_view method = {}) {
  return Error({.code = "host-forked",
                .status = TENON_FAILED_PRECONDITION,
                .message = "the host belongs to the process that forked this one",
                .where = std::move(where),
                .fix = "create another Host in this process",
                .plugin = std::string(plugin),
                .method = std::string(method)});
}

}}}  // namespace tenon::v0_1::detail
