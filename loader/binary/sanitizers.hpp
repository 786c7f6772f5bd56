// SPDX-License-Identifier: BSL-1.0
//
// Modules that were built for a sanitizer. The runtime of AddressSanitizer and its like has to be
// there when the process starts; where it is loaded later, it ends the process.
#pragma once

#include <tenon/result.hpp>

#include <optional>

#include "binary/bundle.hpp"

namespace tenon {

/// The error `sanitizer-mismatch` where a file of the bundle needs a runtime that this process was
/// started without. UndefinedBehaviorSanitizer is none of them: its runtime may be loaded later.
std::optional<Error> sanitizer_mismatch(const Bundle& bundle);

}  // namespace tenon
