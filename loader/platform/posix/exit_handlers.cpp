// SPDX-License-Identifier: BSL-1.0
#include "platform/exit_handlers.hpp"

#include <stdlib.h>

namespace tenon { inline namespace v0_1 { namespace platform {

void add_exit_handlers(void (*on_exit)(), void (*on_quick_exit)()) noexcept {
  atexit(on_exit);
  at_quick_exit(on_quick_exit);
}

}}}  // namespace tenon::v0_1::platform
