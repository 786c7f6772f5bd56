// SPDX-License-Identifier: BSL-1.0
#include "confinement.hpp"

namespace tenon::sdk::conformance {

bool can_leave_network() noexcept {
  return false;
}

}  // namespace tenon::sdk::conformance
