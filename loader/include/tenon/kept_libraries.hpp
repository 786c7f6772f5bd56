// SPDX-License-Identifier: BSL-1.0
//
// tenon/kept_libraries.hpp: the libraries that modules have brought into the process. They stay
// mapped until it exits, because the threads, thread keys and signal handlers of many libraries
// outlast the modules that use them.
#pragma once

#include <tenon/detail/export.hpp>

#include <chrono>
#include <filesystem>
#include <vector>

namespace tenon { inline namespace v0_1 {

struct KeptLibrary {
  /// Without symbolic links, eg: "/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0".
  std::filesystem::path file;
  /// The time at which it was loaded.
  std::chrono::system_clock::time_point since;
  /// True if the file was replaced or written to after that. Modules use the old library until the
  /// process exits.
  bool replaced = false;
};

/// Returns the libraries that modules of all hosts have brought, in the order in which they were
/// loaded. Libraries that the program has loaded itself, those beside modules, and those that are
/// unloaded with their module are not listed. Any thread.
TENON_API std::vector<KeptLibrary> kept_libraries();

}}  // namespace tenon::v0_1
