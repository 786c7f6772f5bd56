// SPDX-License-Identifier: BSL-1.0
//
// What streams of the host and of plugins have in common.
#pragma once

#include <tenon/abi.h>

namespace tenon { inline namespace v0_1 { namespace detail {

/// The message if a reader returns more bytes than the buffer of its caller has.
inline constexpr const char* too_many_bytes = "the reader returned more bytes than the buffer has";

/// Returns whether a HostReader implements the stream.
bool is_host_stream(const tenon_reader& stream) noexcept;

}}}  // namespace tenon::v0_1::detail
