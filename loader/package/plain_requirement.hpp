// SPDX-License-Identifier: BSL-1.0
//
// The usual requirements, read by their numbers alone: thousands of them are read when a host
// starts.
#pragma once

#include <optional>
#include <string_view>

#include "package/intervals.hpp"

namespace tenon {

/// The releases that clauses without "!=", ".*", prereleases and build metadata take, eg: "^1.4" or
/// ">=1.2, <2". Nothing for all other texts, good ones and wrong ones, and for those that no
/// version meets.
std::optional<Interval> read_plain(std::string_view clauses);

}  // namespace tenon
