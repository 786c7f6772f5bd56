// SPDX-License-Identifier: BSL-1.0
//
// Starts and ends threads. Reaching the system's limit of threads is an error, never an exception.
#pragma once

#include <tenon/result.hpp>

#include <functional>
#include <string_view>
#include <thread>

namespace tenon::inline v0_1::platform {

/// Joins a thread if it has ended, including the destructors of its thread_local objects. Returns
/// false if it has not. Never waits.
bool join_if_ended(std::thread& thread) noexcept;

}  // namespace tenon::inline v0_1::platform

namespace tenon::inline v0_1::detail {

/// Starts a thread. `purpose` completes the error text, eg: "timers". Errors: no-thread.
Result<std::thread> start_thread(std::string_view purpose, std::function<void()> body);

/// Detaches a thread that still runs code of this library, which therefore stays loaded.
void leave_running(std::thread& thread);

}  // namespace tenon::inline v0_1::detail
