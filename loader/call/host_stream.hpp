// SPDX-License-Identifier: BSL-1.0
//
// Recognises streams that the host implements.
#pragma once

#include <tenon/abi.h>

namespace tenon::inline v0_1::detail {

/// Returns whether a HostReader implements the stream.
bool is_host_stream(const tenon_reader& stream) noexcept;

}  // namespace tenon::inline v0_1::detail
