// SPDX-License-Identifier: BSL-1.0
//
// Replaces containment.cpp on systems for which crash containment is not tested.
#include "platform/containment.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

bool can_contain() noexcept {
  return false;
}

CrashHandlers::CrashHandlers() = default;
CrashHandlers::~CrashHandlers() = default;

void prepare_contained_calls() noexcept {}

void call_contained(const ContainedCall&, void (*function)(void*), void* argument,
                    std::optional<Crash>&) {
  function(argument);
}

}}}  // namespace tenon::v0_1::platform
