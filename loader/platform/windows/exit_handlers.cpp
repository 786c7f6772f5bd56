// SPDX-License-Identifier: BSL-1.0
#include "platform/exit_handlers.hpp"

#include <cstdlib>

namespace tenon { inline namespace v0_1 { namespace platform {

// The C library of MinGW has no quick_exit.
void add_exit_handlers(void (*on_exit)(), void (*)()) noexcept {
  std::atexit(on_exit);
}

}}}  // namespace tenon::v0_1::platform
