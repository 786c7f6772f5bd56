// SPDX-License-Identifier: BSL-1.0
//
// The limits of what a pipeline has read and not yet acknowledged to the source.
#pragma once

#include <cstdint>

namespace pipeline {

/// The source is not asked for more records while either limit is reached. Bytes are those of
/// positions, keys, payloads and metadata.
struct Window {
  std::uint64_t records = 10'000;
  std::uint64_t bytes = std::uint64_t{32} << 20;
};

}  // namespace pipeline
