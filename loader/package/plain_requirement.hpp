// SPDX-License-Identifier: BSL-1.0
//
// A fast parser for common requirements, which consist of numbers only. A host parses thousands of
// them when it starts.
#pragma once

#include <optional>
#include <string_view>

#include "package/intervals.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the releases that clauses without "!=", ".*", prereleases and build metadata accept, eg:
/// "^1.4" or ">=1.2, <2". Returns nothing for all other texts, valid or not, and for those that no
/// version meets.
std::optional<Interval> read_plain(std::string_view clauses);

}}}  // namespace tenon::v0_1::detail
