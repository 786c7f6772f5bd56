// SPDX-License-Identifier: BSL-1.0
//
// The record of a thread, where tenon/detail/thread_record.hpp finds it.
#pragma once

#include <tenon/detail/thread_record.hpp>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Sets the record of the calling thread, with all slots free; nullptr: it has none. Calls of one
/// process do not overlap.
void set_thread_record(detail::ThreadRecord* record) noexcept;

}}}  // namespace tenon::v0_1::platform
