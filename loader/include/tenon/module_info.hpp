// SPDX-License-Identifier: BSL-1.0
//
// tenon/module_info.hpp: the state of the modules of a host. See Host::modules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tenon { inline namespace v0_1 {

/// Calls since the host was created.
struct CallCounts {
  std::uint64_t calls = 0;
  /// Calls that returned another status than TENON_OK, or that crashed.
  std::uint64_t failures = 0;
  /// Calls that have not ended.
  std::uint64_t in_flight = 0;
};

/// The calls of one method of a plugin, named as in the plugin's version of the kind.
struct MethodCalls : CallCounts {
  std::string plugin;
  std::string method;
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
  /// The methods that were called, by plugin and name; empty unless HostOptions::count_calls.
  std::vector<MethodCalls> methods = {};
  /// The sum of `methods`.
  CallCounts calls = {};
};

}}  // namespace tenon::v0_1
