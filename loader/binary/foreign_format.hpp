// SPDX-License-Identifier: BSL-1.0
//
// Identifies files in plugin directories that are not modules.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Describes a file by its first bytes, eg: "a script".
std::string describe_format(std::span<const std::byte> start);

}}}  // namespace tenon::v0_1::detail
