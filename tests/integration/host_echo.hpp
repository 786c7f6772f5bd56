// SPDX-License-Identifier: BSL-1.0
//
// A builtin of the test program for plugins that call the host: test.example/host-echo of the kind
// echo.
#pragma once

#include <tenon/abi.h>

#include <functional>
#include <string>
#include <string_view>

namespace tenon::tests {

const tenon_module* host_echo();

/// Returns the response; runs on the thread of the call. A test that sets it must reset it.
inline std::function<std::string(std::string_view text)> host_echo_says;

/// Returns the number of its live instances.
int host_echo_count();

/// Returns the module_file of the host that created the last instance.
const char* host_echo_file();

}  // namespace tenon::tests
