// SPDX-License-Identifier: BSL-1.0
//
// Detects modules that were built with a sanitizer. The runtime of AddressSanitizer and others must
// be loaded when the process starts; if it is loaded later, it ends the process.
#pragma once

#include <tenon/result.hpp>

#include <optional>

#include "binary/bundle.hpp"

namespace tenon::inline v0_1::detail {

/// Returns the error `sanitizer-mismatch` if a file of the bundle needs a runtime that this process
/// was started without. The runtime of UndefinedBehaviorSanitizer may be loaded later, so it is not
/// checked.
std::optional<Error> sanitizer_mismatch(const Bundle& bundle);

}  // namespace tenon::inline v0_1::detail
