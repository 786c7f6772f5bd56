// SPDX-License-Identifier: BSL-1.0
#include "platform/thread_record.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

constinit thread_local ThreadRecord* thread_record TENON_TLS_AT_FIXED_OFFSET = nullptr;
constinit thread_local Slot* free_slot TENON_TLS_AT_FIXED_OFFSET = nullptr;

}}}  // namespace tenon::v0_1::detail

namespace tenon { inline namespace v0_1 { namespace platform {

void set_thread_record(detail::ThreadRecord* record) noexcept {
  detail::thread_record = record;
  detail::free_slot = record != nullptr ? &record->slots[1] : nullptr;
}

}}}  // namespace tenon::v0_1::platform
