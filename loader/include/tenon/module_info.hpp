// SPDX-License-Identifier: BSL-1.0
//
// tenon/module_info.hpp: the state of the modules of a host. See Host::modules.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tenon { inline namespace v0_1 {

/// Calls since the host was created, while calls were counted.
struct CallCounts {
  std::uint64_t calls = 0;
  /// Calls that returned another status than TENON_OK and TENON_UNIMPLEMENTED, or that crashed.
  std::uint64_t failures = 0;
  /// Calls that have not ended.
  std::uint64_t in_flight = 0;
};

/// Timed calls that took less than `below`, and not less than the bound before it.
struct TimedCalls {
  std::chrono::nanoseconds below{};
  std::uint64_t calls = 0;
};

/// The calls of one method of a plugin, named as in the version at which the host uses it. The
/// configure calls of creates and restarts are not counted.
struct MethodCalls : CallCounts {
  std::string plugin;
  std::string method;
  /// How long calls took, by ascending bounds, four for each power of two, without those that no
  /// call took. Of calls that take less than a microsecond, each thread times one in 64. The last
  /// bound is nanoseconds::max() if a call took more than 15 seconds.
  std::vector<TimedCalls> timed = {};
  /// The sum of their times.
  std::chrono::nanoseconds timed_sum{};

  /// Returns the bound below which `share` of the timed calls ended, eg 0.99; 0 if none was timed.
  std::chrono::nanoseconds time_of(double share) const noexcept {
    std::uint64_t all = 0;
    for (const TimedCalls& one : timed) all += one.calls;
    const double wanted = share * static_cast<double>(all);
    std::uint64_t passed = 0;
    for (const TimedCalls& one : timed) {
      passed += one.calls;
      if (static_cast<double>(passed) >= wanted) return one.below;
    }
    return std::chrono::nanoseconds::zero();
  }
};

/// One module of a host.
struct ModuleInfo {
  std::string package;
  std::string package_version;
  /// Empty for a builtin.
  std::filesystem::path file;
  /// True if an image of the module is loaded.
  bool loaded = false;
  /// Generation number of that image, counted from 1.
  std::uint64_t generation = 0;
  std::size_t instances = 0;
  /// The number of previous generations that calls have not left yet.
  std::size_t draining_generations = 0;
  /// The number of past generations that are still mapped because they could not be unloaded.
  std::size_t still_mapped = 0;
  /// True if it failed too often. It is not used until Host::restart is called or its file changes.
  bool quarantined = false;
  /// The methods that were called while calls were counted, by plugin and name; see
  /// HostOptions::count_calls.
  std::vector<MethodCalls> methods = {};
  /// The sum of `methods`.
  CallCounts calls = {};
};

}}  // namespace tenon::v0_1
