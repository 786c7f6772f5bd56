// SPDX-License-Identifier: BSL-1.0
#include "base/threads.hpp"

#include <string>
#include <system_error>
#include <utility>

#include "base/own_library.hpp"

namespace tenon::inline v0_1::detail {

Result<std::thread> start_thread(std::string_view purpose, std::function<void()> body) try {
  return std::thread(std::move(body));
} catch (const std::system_error& failed) {
  return Error({.code = "no-thread",
                .status = TENON_RESOURCE_EXHAUSTED | TENON_RETRYABLE,
                .message = "the system cannot start a thread for " + std::string(purpose),
                .found = failed.code().message(),
                .needed = "a background thread of the host",
                .fix = "raise the limit of threads for this process or user"});
}

void leave_running(std::thread& thread) {
  platform::leave_library_loaded();
  thread.detach();
}

}  // namespace tenon::inline v0_1::detail
