// SPDX-License-Identifier: BSL-1.0
//
// Whether this program can use what a manifest provides, and as what.
#pragma once

#include <tenon/fit.hpp>
#include <tenon/result.hpp>

#include <optional>
#include <string>

#include "manifest/manifest.hpp"

namespace tenon::detail {

/// How it fits the newest version of its kind in this program.
Fit fit_of(const Provided& provided);

/// The error for what cannot be used, nothing where it can. `where` is the module that provides
/// it. Errors: kind-unknown, kind-too-new, kind-differs, draft-differs, kind-not-adaptable.
std::optional<Error> misfit(const Provided& provided, const std::string& where);

/// eg: "me.example/blur (photo.example/filter version 1)"
std::string title_of(const Provided& provided);

}  // namespace tenon::detail
