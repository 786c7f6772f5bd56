// SPDX-License-Identifier: BSL-1.0
//
// tenon/reload_safety.hpp: whether the code of a module can be unloaded, so that a restart leaves
// nothing mapped. Determined from the file, before any of its code runs.
#pragma once

#include <tenon/detail/export.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tenon { inline namespace v0_1 {

enum class ReloadGrade : std::uint8_t {
  /// The code can be unloaded.
  safe,
  /// Unique symbols would prevent unloading; the host loads a copy in which they are ordinary.
  patched,
  /// `symbol` may prevent unloading, for a while or until the process ends.
  unverified,
  /// The code cannot be unloaded, or cannot be loaded a second time. The host does not restart the
  /// module; see RestartOptions::force.
  unsafe,
};

/// Returns "safe", "safe (patched)", "unverified" or "unsafe".
TENON_API std::string_view to_string(ReloadGrade grade) noexcept;

/// How safely a module and the libraries beside it can be unloaded.
struct ReloadSafety {
  ReloadGrade grade = ReloadGrade::safe;
  /// The symbol or flag that prevents unloading, eg: "DF_1_NODELETE", "pthread_create", or the name
  /// of a library that may use symbols of the module; empty if nothing does.
  std::string symbol{};
  /// The file that contains it: the module or a library beside it.
  std::filesystem::path file{};
  /// The library whose rule applies, eg: "protobuf"; empty if it is no rule. See
  /// tenon/library_rules.hpp.
  std::string library{};
  /// Why it prevents unloading, in words; empty if nothing does.
  std::string reason{};
  /// The remedy for the author; empty if none is needed.
  std::string fix{};
  /// If true, the host does not try to unload it: the replaced code stays mapped.
  bool stays_mapped = false;
  /// If true, the process can load the module only once, so the host keeps it loaded.
  bool stays_loaded = false;
};

}}  // namespace tenon::v0_1
