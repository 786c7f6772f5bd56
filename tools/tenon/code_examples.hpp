// SPDX-License-Identifier: BSL-1.0
//
// Examples of errors, for `tenon explain` and abi/errors.md.
#pragma once

#include <string_view>

namespace tenon::command {

/// Returns a situation in which a code of `error_codes()` is reported, in one sentence. Each code
/// has one, which tests/sources/errors.py checks. Returns an empty text for another word.
std::string_view example_of(std::string_view code) noexcept;

}  // namespace tenon::command
