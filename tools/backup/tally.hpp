// SPDX-License-Identifier: BSL-1.0
//
// The number of processed items, for the progress line.
#pragma once

#include <atomic>
#include <cstdint>

namespace backup {

/// Written by the run. May be read from any thread.
struct Tally {
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> total{0};
};

}  // namespace backup
