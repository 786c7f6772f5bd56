// SPDX-License-Identifier: BSL-1.0
//
// Detects modules that were built with a sanitizer. The runtime of AddressSanitizer and others must
// be loaded when the process starts; if it is loaded later, it ends the process.
#pragma once

#include <tenon/result.hpp>

#include "binary/bundle.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Checks that this process was started with the sanitizer runtimes that the files of the bundle
/// need. The runtime of UndefinedBehaviorSanitizer may be loaded later, so it is not checked.
/// Error: sanitizer-mismatch.
Result<void> check_sanitizers(const Bundle& bundle);

}}}  // namespace tenon::v0_1::detail
