// SPDX-License-Identifier: BSL-1.0
//
// A builtin of the test program, for plugins that call back: test.example/host-echo of the kind
// echo.
#pragma once

#include <tenon/abi.h>

#include <functional>
#include <string>
#include <string_view>

namespace tenon::tests {

const tenon_module* host_echo();

/// What it answers; runs on the thread of the call. Reset by whoever sets it.
inline std::function<std::string(std::string_view text)> host_echo_says;

/// How many of its instances live.
int host_echo_count();

}  // namespace tenon::tests
