// SPDX-License-Identifier: BSL-1.0
//
// tenon/fit.hpp: how a plugin that was built against one version of its kind fits this program.
#pragma once

#include <tenon/export.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

enum class FitGrade {
  latest,         // it has the version that the program is written for
  adapted,        // it is older, and is used through an adapter
  too_new,        // the program does not know the version
  not_adaptable,  // it is older, and nothing can stand in for what it lacks
  other_spec,     // its version was compiled from another spec than the program's
  unknown_kind,   // the program does not have the kind
};

/// eg: "latest", "too new"
TENON_API std::string_view to_string(FitGrade grade) noexcept;

struct Fit {
  FitGrade grade = FitGrade::unknown_kind;
  /// The newest version of the kind in this program; 0 where it does not have the kind.
  std::int32_t host_version = 0;
  /// Why it is not adaptable; else empty.
  std::string reason = {};
  /// Methods of `host_version` that the plugin does not really have: where it is adapted, these
  /// are answered by the adapter.
  std::vector<std::string> missing = {};

  /// Whether the program can use the plugin.
  bool usable() const noexcept { return grade == FitGrade::latest || grade == FitGrade::adapted; }
};

}  // namespace tenon
