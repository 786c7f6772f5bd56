// SPDX-License-Identifier: BSL-1.0
//
// tenon/compatibility.hpp: whether this program can use a plugin.
#pragma once

#include <tenon/detail/export.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 {

enum class CompatibilityGrade {
  latest,         // implements the version that the program uses
  adapted,        // implements an older version and is used through an adapter
  too_new,        // implements a version that the program does not know
  not_adaptable,  // implements an older version that no adapter can complete
  other_spec,     // its version was compiled from another spec than the program's
  unknown_kind,   // the program does not know the kind
};

/// Returns the grade in words, eg: "latest", "too new".
TENON_API std::string_view to_string(CompatibilityGrade grade) noexcept;

struct Compatibility {
  CompatibilityGrade grade = CompatibilityGrade::unknown_kind;
  /// The newest version of the kind in this program; 0 if it does not know the kind.
  std::int32_t host_version = 0;
  /// Why the plugin is not adaptable; otherwise empty.
  std::string reason = {};
  /// Methods of `host_version` that the plugin does not implement. If it is adapted, the adapter
  /// implements them.
  std::vector<std::string> missing = {};

  /// Returns whether the program can use the plugin.
  bool usable() const noexcept {
    return grade == CompatibilityGrade::latest || grade == CompatibilityGrade::adapted;
  }
};

}}  // namespace tenon::v0_1
