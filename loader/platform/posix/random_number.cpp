// SPDX-License-Identifier: BSL-1.0
#include "base/random_number.hpp"

#include <sodium/randombytes.h>

namespace tenon { inline namespace v0_1 { namespace platform {

std::uint64_t random_number() noexcept {
  std::uint64_t number = 0;
  randombytes_buf(&number, sizeof number);
  return number;
}

}}}  // namespace tenon::v0_1::platform
