// SPDX-License-Identifier: BSL-1.0
//
// Finds slots of vtables that are NULL, without loading the module.
#pragma once

#include <tenon/result.hpp>

#include <vector>

#include "manifest/manifest.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns an error missing-method for each method that a kind of this program requires, and that a
/// plugin in `file` does not implement. A vtable that the module fills in at run time has slots
/// that the file does not show; the macros make it const. `manifest`: of the file. Errors: those of
/// ModuleBinary, if the file does not show the vtables.
Result<std::vector<Error>> missing_methods(const platform::File& file, const Manifest& manifest);

}}}  // namespace tenon::v0_1::detail
