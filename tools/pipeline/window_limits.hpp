// SPDX-License-Identifier: BSL-1.0
//
// The limits of the window of in-flight records.
#pragma once

#include <cstdint>
#include <limits>

namespace pipeline {

/// The limits of the records that were read and are not yet acknowledged to the source. While one
/// is reached, nothing is read. Bytes are those of positions, keys, payloads and metadata.
struct WindowLimits {
  std::uint64_t records = 10'000;
  std::uint64_t bytes = std::uint64_t{32} << 20;
};
inline constexpr WindowLimits unlimited{std::numeric_limits<std::uint64_t>::max(),
                                        std::numeric_limits<std::uint64_t>::max()};

}  // namespace pipeline
