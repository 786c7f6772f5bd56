// SPDX-License-Identifier: BSL-1.0
//
// tenon/restart.hpp: how a host restarts modules.
#pragma once

#include <chrono>
#include <cstdint>

namespace tenon { inline namespace v0_1 {

/// Limits on automatic restarts of a failing module.
///
/// A failure is any reason for an automatic restart other than a changed file, or a restart that
/// fails. The module is restarted at once after the first failure. The host waits before each
/// further restart within the window. The delay doubles each time and is extended or shortened by
/// up to half at random, so that modules that fail together are not restarted together. Failures
/// older than the window do not count. A successful restart does not reset the count.
struct FailurePolicy {
  /// The delay before the restart that follows the second failure.
  std::chrono::milliseconds initial_backoff{100};
  /// The longest delay.
  std::chrono::milliseconds max_backoff{10'000};
  /// The number of failures within the window after which a module is still restarted. At the next
  /// failure it is quarantined: it is not used until Host::restart or a changed file releases it.
  std::uint32_t max_failures = 5;
  std::chrono::seconds window{60};
};

/// How long the restarts of a host may take, and how often a module may fail. Negative times count
/// as 0, and times of more than a hundred years as a hundred years.
struct RestartPolicy {
  /// How long calls wait at most while a module with a session or saved state hands over to the new
  /// generation. After that the restart has failed and the old generation serves again. A function
  /// of the plugin that ignores this deadline delays the calls by another 250 ms.
  std::chrono::milliseconds gate_timeout{5000};
  /// How long a restart waits for calls in the old generation once the new one serves. Streams of
  /// the old generation are then revoked (tenon/stream.hpp). Calls that have not ended are
  /// reported, and the generation is unloaded when they end. Destroying a handle waits as long for
  /// calls in streams of its instance in the code that serves, and destroying the host waits as
  /// long for all work in progress.
  std::chrono::milliseconds drain_timeout{10'000};
  /// How long one function of a plugin (create, configure, destroy, start, stop, and those that
  /// hand over state), or reading or loading its code, may take in a restart or an unload. After
  /// that the restart has failed, the old generation serves again, and an event names the function.
  /// Its thread and code are abandoned. Creates wait at least as long for threads that load a
  /// module.
  std::chrono::milliseconds step_timeout{30'000};
  FailurePolicy failures = {};
};

/// Options of one restart.
struct RestartOptions {
  /// If true, the private state that the old instances could save is discarded.
  bool discard_state = false;
  /// If true, the module is restarted even if the old code cannot be unloaded and stays mapped.
  bool force = false;
};

/// The outcome of a restart that did not fail.
enum class RestartOutcome {
  restarted,   // the new generation serves
  scheduled,   // requested from inside a call of the module; it begins when that call has ended
  not_loaded,  // nothing to restart: the next create loads the file as it is then
};

}}  // namespace tenon::v0_1
