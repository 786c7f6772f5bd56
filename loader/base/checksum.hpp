// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon { inline namespace v0_1 {

/// Returns the XXH64 hash of bytes, with the seed 0. It finds damage, not manipulation.
std::uint64_t checksum(std::string_view bytes) noexcept;

}}  // namespace tenon::v0_1
