// SPDX-License-Identifier: BSL-1.0
//
// How a forked child reports what it cannot do with the host of its parent.
#pragma once

#include <tenon/result.hpp>

#include <string>
#include <string_view>

namespace tenon::detail {

/// The error `host-forked`, of a call where `plugin` and `method` are given. `where` is a module,
/// or what else was asked for.
inline Error forked_error(std::string where = {}, std::string_view plugin = {},
                          std::string_view method = {}) {
  return Error({.code = "host-forked",
                .status = TENON_FAILED_PRECONDITION,
                .message = "the host belongs to the process that forked this one",
                .where = std::move(where),
                .fix = "make another Host in this process",
                .plugin = std::string(plugin),
                .method = std::string(method)});
}

}  // namespace tenon::detail
