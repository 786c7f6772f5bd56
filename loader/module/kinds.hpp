// SPDX-License-Identifier: BSL-1.0
//
// The kinds that this program was built with.
#pragma once

#include <tenon/kind.hpp>

#include <string_view>

namespace tenon::detail {

/// The kind with this id; nullptr where the program knows none.
const Kind* find_kind(std::string_view id) noexcept;

}  // namespace tenon::detail
