// SPDX-License-Identifier: BSL-1.0
//
// Checks whether this program can use the plugins of a manifest.
#pragma once

#include <tenon/compatibility.hpp>
#include <tenon/result.hpp>

#include <string>
#include <utility>
#include <vector>

#include "catalog/description.hpp"
#include "manifest/manifest.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the compatibility of a plugin with the newest version of its kind in this program.
Compatibility compatibility_of(const Provided& provided);

/// Judges the plugins of many modules. Most are of the same few versions of kinds, so it remembers
/// these. Belongs to one thread.
class CompatibilityCheck {
 public:
  /// Returns false if this program defines the kinds of all plugins of a module, but can use none
  /// of them. A module without plugins is compatible. REQUIRED: the manifest lives as long as this.
  bool is_compatible(const Manifest& manifest);
  /// Returns whether a plugin that this program cannot use is a problem; see `incompatibilities`
  /// and unknown_kinds_are_allowed. REQUIRED: as above.
  bool has_problem(const Manifest& manifest);

 private:
  CompatibilityGrade grade_of(const Provided& plugin);

  std::vector<std::pair<const Provided*, CompatibilityGrade>> known_;  // one of each sort
};

/// Returns the problems of the plugins that this program cannot use. They are errors if the program
/// can use no plugin of the module, otherwise warnings. An unknown kind is always a warning,
/// because another program may have it. Codes: unknown-kind, kind-too-new, kind-differs,
/// draft-differs, kind-not-adaptable.
std::vector<Error> incompatibilities(const ModuleDescription& module);

/// Returns a plugin's name and kind, eg: "me.example/blur (photo.example/filter version 1)".
std::string title_of(const Provided& provided);

}}}  // namespace tenon::v0_1::detail
