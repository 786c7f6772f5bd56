// SPDX-License-Identifier: BSL-1.0
//
// Starts threads. Reaching the system's limit of threads is an error, never an exception.
#pragma once

#include <tenon/result.hpp>

#include <functional>
#include <string_view>
#include <thread>

namespace tenon::inline v0_1::detail {

/// Starts a thread. `purpose` completes the error text, eg: "timers". Errors: no-thread.
Result<std::thread> start_thread(std::string_view purpose, std::function<void()> body);

}  // namespace tenon::inline v0_1::detail
