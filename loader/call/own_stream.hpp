// SPDX-License-Identifier: BSL-1.0
//
// Streams of the host's own, told apart from those that modules made.
#pragma once

#include <tenon/abi.h>

namespace tenon::detail {

/// Whether an OwnReader stands behind it.
bool is_own_stream(const tenon_reader& stream) noexcept;

}  // namespace tenon::detail
