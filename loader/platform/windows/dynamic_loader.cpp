// SPDX-License-Identifier: BSL-1.0
#include "platform/dynamic_loader.hpp"

#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

std::uint32_t processor_levels() noexcept {
  return ~std::uint32_t{0};
}

bool refuses_executable_stacks() noexcept {
  return false;
}

boost::dll::load_mode::type load_mode() noexcept {
  return static_cast<boost::dll::load_mode::type>(LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR |
                                                  LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
}

}}}  // namespace tenon::v0_1::platform
