// SPDX-License-Identifier: BSL-1.0
//
// The names of packages, plugins and kinds: `domain/name`, eg: "me.example/blur".
#pragma once

#include <string_view>

namespace tenon {

/// What is wrong with `name`, as half a sentence, or nothing when it is a good one. The domain
/// is one that DNS could hold (small letters, digits, '-' and '.', at most 253 bytes); behind
/// the only '/' stand up to 253 printable ASCII characters without a space.
std::string_view flaw_of_name(std::string_view name);

}  // namespace tenon
