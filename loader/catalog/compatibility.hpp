// SPDX-License-Identifier: BSL-1.0
//
// Checks whether this program can use the plugins of a manifest.
#pragma once

#include <tenon/compatibility.hpp>
#include <tenon/result.hpp>

#include <string>
#include <vector>

#include "catalog/description.hpp"
#include "manifest/manifest.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the compatibility of a plugin with the newest version of its kind in this program.
Compatibility compatibility_of(const Provided& provided);

/// Returns false if this program defines the kinds of all plugins of a module, but can use none of
/// them. A module without plugins is compatible.
bool is_compatible(const ModuleDescription& module);

/// Returns the problems of the plugins that this program cannot use. They are errors if the program
/// can use no plugin of the module, otherwise warnings. An unknown kind is always a warning,
/// because another program may have it. Codes: unknown-kind, kind-too-new, kind-differs,
/// draft-differs, kind-not-adaptable.
std::vector<Error> incompatibilities(const ModuleDescription& module);

/// Returns a plugin's name and kind, eg: "me.example/blur (photo.example/filter version 1)".
std::string title_of(const Provided& provided);

}}}  // namespace tenon::v0_1::detail
