// SPDX-License-Identifier: BSL-1.0
//
// tenon/limits.hpp: how much a host bears of a module that keeps failing.
#pragma once

#include <chrono>
#include <cstdint>

namespace tenon {

/// A failure is anything that makes a host restart a module unasked, and a restart that fails.
/// After the first one the module is restarted at once; after each further one within the window
/// the host pauses before, twice as long each time and by up to half more or less, so that modules
/// that fail together do not come back together. What was long ago does not count; a restart that
/// succeeds makes nothing undone.
struct FailureLimits {
  /// Before the restart that follows the second failure.
  std::chrono::milliseconds first_pause{100};
  /// No pause is longer.
  std::chrono::milliseconds longest_pause{10'000};
  /// So many failures within the window are answered by a restart; at the next one the module is
  /// quarantined: no longer restarted by itself.
  std::uint32_t most = 5;
  std::chrono::seconds window{60};
};

}  // namespace tenon
