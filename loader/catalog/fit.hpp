// SPDX-License-Identifier: BSL-1.0
//
// Whether this program can use what a manifest provides, and as what.
#pragma once

#include <tenon/compatibility.hpp>
#include <tenon/result.hpp>

#include <string>
#include <vector>

#include "catalog/description.hpp"
#include "manifest/manifest.hpp"

namespace tenon::detail {

/// How it fits the newest version of its kind in this program.
Compatibility fit_of(const Provided& provided);

/// The findings about what a module provides and this program cannot use: errors where all of it is
/// of no use here, otherwise warnings. Another program may have a kind that is unknown here, so
/// that is never an error. Codes: unknown-kind, kind-too-new, kind-differs, draft-differs,
/// kind-not-adaptable.
std::vector<Error> misfits(const ModuleDescription& module);

/// eg: "me.example/blur (photo.example/filter version 1)"
std::string title_of(const Provided& provided);

}  // namespace tenon::detail
