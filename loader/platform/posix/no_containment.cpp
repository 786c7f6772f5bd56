// SPDX-License-Identifier: BSL-1.0
//
// In the place of containment.cpp where the way back from a signal handler has not been tried.
#include "platform/containment.hpp"

namespace tenon::platform {

bool can_contain() noexcept {
  return false;
}

CrashHandlers::CrashHandlers() = default;
CrashHandlers::~CrashHandlers() = default;

void call_contained(const Called&, void (*function)(void*), void* argument, std::optional<Crash>&) {
  function(argument);
}

}  // namespace tenon::platform
