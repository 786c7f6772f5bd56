// SPDX-License-Identifier: BSL-1.0
//
// How far a run is, for the line of progress.
#pragma once

#include <atomic>
#include <cstdint>

namespace backup {

/// Written by the run, read from any thread.
struct Tally {
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> total{0};
};

}  // namespace backup
