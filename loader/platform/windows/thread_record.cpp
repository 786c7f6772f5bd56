// SPDX-License-Identifier: BSL-1.0
#include "platform/thread_record.hpp"

#include <atomic>
#include <cstdlib>

#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

// A thread_local of MinGW costs seven times as much. There is no value for this number, which the
// system checks.
constinit std::atomic<DWORD> record_index{TLS_OUT_OF_INDEXES};

}  // namespace

void set_thread_record(detail::ThreadRecord* record) noexcept {
  if (record != nullptr) record->free_slot = &record->slots[1];
  // It is not freed: other threads may still read it when the library ends.
  if (record_index.load() == TLS_OUT_OF_INDEXES && record != nullptr)
    record_index.store(TlsAlloc());
  if (TlsSetValue(record_index.load(), record) == 0 && record != nullptr) std::abort();
}

}}}  // namespace tenon::v0_1::platform

namespace tenon { inline namespace v0_1 { namespace detail {

ThreadRecord* this_thread_record() noexcept {
  const DWORD index = platform::record_index.load(std::memory_order_relaxed);
  return static_cast<ThreadRecord*>(TlsGetValue(index));
}

}}}  // namespace tenon::v0_1::detail
