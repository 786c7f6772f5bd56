// SPDX-License-Identifier: BSL-1.0
#include "base/random_number.hpp"

#include <cstdlib>

#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

std::uint64_t random_number() noexcept {
  std::uint64_t number = 0;
  const auto failed = BCryptGenRandom(nullptr, reinterpret_cast<UCHAR*>(&number), sizeof number,
                                      BCRYPT_USE_SYSTEM_PREFERRED_RNG);
  if (failed != 0) std::abort();
  return number;
}

}}}  // namespace tenon::v0_1::platform
