// SPDX-License-Identifier: BSL-1.0
//
// Starts and ends threads. Reaching the system's limit of threads is an error, never an exception.
#pragma once

#include <tenon/result.hpp>

#include <chrono>
#include <functional>
#include <string_view>
#include <thread>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Joins a thread if it has ended, including the destructors of its thread_local objects. Returns
/// false if it has not. Never waits. A thread that plugin code has detached counts as joined, and
/// this library stays loaded; so for the functions below.
bool join_if_ended(std::thread& thread) noexcept;
/// Joins a thread that has nothing left to do.
void join(std::thread& thread) noexcept;
/// Detaches a thread.
void detach(std::thread& thread) noexcept;

/// Keeps the calling thread from being cancelled (pthread_cancel) while the object exists.
class NoCancellation {
 public:
  NoCancellation() noexcept;
  ~NoCancellation();
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;

 private:
  int before_ = 0;
};

/// Starts a thread with the signal mask of the calling thread. If that is an internal thread, with
/// the mask of the thread that started the internal one. Throws std::system_error on failure.
std::thread start_thread(std::function<void()> body);
/// Starts an internal thread: it blocks all signals except those that faults of the thread itself
/// cause, so that signals of the program reach the program's own threads. Throws as above.
std::thread start_internal_thread(std::function<void()> body);

}}}  // namespace tenon::v0_1::platform

namespace tenon { inline namespace v0_1 { namespace detail {

/// Starts a thread that may run code of plugins. `purpose` completes the error text, eg: "timers".
/// Errors: no-thread.
Result<std::thread> start_thread(std::string_view purpose, std::function<void()> body);

/// Starts a thread that runs no code of plugins. It blocks signals. Errors: no-thread.
Result<std::thread> start_internal_thread(std::string_view purpose, std::function<void()> body);

/// A wait for a thread that has nothing left to do lasts at least this long, whatever its deadline.
/// Such a thread ends at once, unless it hangs.
inline constexpr std::chrono::milliseconds min_patience{500};

/// Detaches a thread that still runs code of this library, which therefore stays loaded.
void leave_running(std::thread& thread) noexcept;

}}}  // namespace tenon::v0_1::detail
