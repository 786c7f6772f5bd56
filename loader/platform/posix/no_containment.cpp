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

std::optional<Crash> call_contained(const Called&, void (*function)(void*), void* argument) {
  function(argument);
  return std::nullopt;
}

}  // namespace tenon::platform
