// SPDX-License-Identifier: BSL-1.0
//
// The kinds that this program was built with.
#pragma once

#include <tenon/gen/kind.hpp>

#include <cstdint>
#include <string_view>

namespace tenon::detail {

/// The kind with this id; nullptr where the program knows none.
const Kind* find_kind(std::string_view id) noexcept;

/// Returns a number that rises when the kinds of the program change.
std::uint64_t kinds_revision() noexcept;

}  // namespace tenon::detail
