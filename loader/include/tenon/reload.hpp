// SPDX-License-Identifier: BSL-1.0
//
// tenon/reload.hpp: whether the code of a module goes when it is unloaded, so that a restart leaves
// nothing behind. Known from the file, before any of its code runs.
#pragma once

#include <tenon/export.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tenon {

enum class ReloadGrade : std::uint8_t {
  /// Nothing keeps it.
  safe,
  /// It has unique symbols, which would keep it; a host loads a copy in which they are ordinary.
  patched,
  /// Only unloading shows it: `symbol` says what may keep it, for a while or until the host ends.
  unverified,
  /// It stays, whatever a host does. A host does not restart it unless told to insist.
  unsafe,
};

/// "safe", "safe (patched)", "unverified", "unsafe".
TENON_API std::string_view to_string(ReloadGrade grade) noexcept;

/// What stands in the way of unloading a module and the libraries that lie beside it.
struct Reload {
  ReloadGrade grade = ReloadGrade::safe;
  /// What keeps it, eg: "DF_1_NODELETE", "pthread_create"; empty where nothing does.
  std::string symbol;
  /// Whose that is: the module's file or that of a library beside it.
  std::filesystem::path file;
  /// What its author can do; empty where nothing has to be done.
  std::string cure;
  /// A host does not even try to unload it: what it replaces stays mapped.
  bool stays_mapped = false;
};

}  // namespace tenon
