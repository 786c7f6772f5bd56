// SPDX-License-Identifier: BSL-1.0
#include "platform/dynamic_loader.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

std::uint32_t processor_levels() noexcept {
  return ~std::uint32_t{0};
}

bool refuses_executable_stacks() noexcept {
  return false;
}

}}}  // namespace tenon::v0_1::platform
