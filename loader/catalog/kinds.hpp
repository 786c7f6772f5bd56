// SPDX-License-Identifier: BSL-1.0
//
// The kinds that this program was built with.
#pragma once

#include <tenon/gen/kind.hpp>

#include <cstdint>
#include <string_view>

namespace tenon::inline v0_1::detail {

/// Returns the kind with this id, or nullptr if the program does not have it.
const Kind* find_kind(std::string_view id) noexcept;

/// Returns a number that increases when the kinds of the program change.
std::uint64_t kinds_revision() noexcept;

}  // namespace tenon::inline v0_1::detail
