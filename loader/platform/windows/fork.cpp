// SPDX-License-Identifier: BSL-1.0
//
// No process of Windows forks.
#include "base/fork.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

void after_fork_in_child(void (*)()) noexcept {}

void around_fork(void (*)(), void (*)(), void (*)()) noexcept {}

std::uint64_t fork_count() noexcept {
  return 0;
}

}}}  // namespace tenon::v0_1::platform
