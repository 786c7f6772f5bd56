// SPDX-License-Identifier: BSL-1.0
//
// The kinds that this program and its libraries were built with.
#pragma once

#include <tenon/detail/kind.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the kinds with this id, in the order of their registration. There are several if
/// libraries of the program have kinds of their own.
std::vector<const Kind*> find_kinds(std::string_view id);

/// Returns whether plugins of other kinds are no problem; see allow_unknown_kinds.
bool unknown_kinds_are_allowed() noexcept;

/// Returns a number that increases when the kinds of the program change.
std::uint64_t kinds_revision() noexcept;

}}}  // namespace tenon::v0_1::detail
