// SPDX-License-Identifier: BSL-1.0
//
// tenon/cancel_reason.hpp: the reasons for the cancellation of a call, for hosts and plugins, with
// C++17.
#pragma once

#include <tenon/abi.h>

#include <cstdint>

namespace tenon { inline namespace v0_1 {

/// Why a call is cancelled, or `none`.
enum class CancelReason : std::int32_t {
  none = TENON_NOT_CANCELLED,
  caller = TENON_CANCELLED_BY_CALLER,
  deadline = TENON_CANCELLED_BY_DEADLINE,
  restart = TENON_CANCELLED_BY_RESTART,
};

}}  // namespace tenon::v0_1
