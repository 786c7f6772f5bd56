// SPDX-License-Identifier: BSL-1.0
//
// Windows has a barrier, FlushProcessWriteBuffers, which wine 8 does not implement. So calls order
// their slots themselves, as on other systems without a barrier.
#include "platform/barrier.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

bool has_process_barrier() noexcept {
  return false;
}

bool process_barrier() noexcept {
  return false;
}

}}}  // namespace tenon::v0_1::platform
