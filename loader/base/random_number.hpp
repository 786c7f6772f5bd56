// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Returns a number that cannot be guessed.
std::uint64_t random_number() noexcept;

}}}  // namespace tenon::v0_1::platform
