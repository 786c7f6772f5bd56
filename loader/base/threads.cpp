// SPDX-License-Identifier: BSL-1.0
#include "base/threads.hpp"

#include <string>
#include <system_error>
#include <utility>

#include "base/own_library.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

Error no_thread(std::string_view purpose, const std::system_error& failed) {
  return Error({.code = "no-thread",
                .status = TENON_RESOURCE_EXHAUSTED | TENON_RETRYABLE,
                .message = "the system cannot start a thread for " + std::string(purpose),
                .found = failed.code().message(),
                .needed = "a background thread of the host",
                .fix = "raise the limit of threads for this process or user"});
}

}  // namespace

Result<std::thread> start_thread(std::string_view purpose, std::function<void()> body) try {
  return platform::start_thread(std::move(body));
} catch (const std::system_error& failed) {
  return no_thread(purpose, failed);
}

Result<std::thread> start_internal_thread(std::string_view purpose,
                                          std::function<void()> body) try {
  return platform::start_internal_thread(std::move(body));
} catch (const std::system_error& failed) {
  return no_thread(purpose, failed);
}

void leave_running(std::thread& thread) noexcept {
  platform::leave_library_loaded();
  platform::detach(thread);
}

}}}  // namespace tenon::v0_1::detail
