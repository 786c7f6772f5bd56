// SPDX-License-Identifier: BSL-1.0
#include "platform/thread_record.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

// A thread_local of MinGW costs seven times as much. There is no value for this number, which the
// system checks.
constinit std::atomic<DWORD> record_index{TLS_OUT_OF_INDEXES};

// The values in the block of a thread, which has a pointer to others.
constexpr DWORD values_in_block = 64;
constexpr std::uint64_t offset_of_values = 0x1480;

/// Allocates the number. It is not freed: other threads may still read it when the library ends.
void allocate_index() noexcept {
  const DWORD index = TlsAlloc();
  record_index.store(index);
#if TENON_READS_THREAD_BLOCK
  if (index < values_in_block)
    detail::thread_record_offset.store(offset_of_values + index * sizeof(void*));
#endif
}

}  // namespace

void set_thread_record(detail::ThreadRecord* record) noexcept {
  if (record != nullptr) record->free_slot = &record->slots[1];
  if (record_index.load() == TLS_OUT_OF_INDEXES && record != nullptr) allocate_index();
  if (TlsSetValue(record_index.load(), record) == 0 && record != nullptr) std::abort();
}

}}}  // namespace tenon::v0_1::platform

namespace tenon { inline namespace v0_1 { namespace detail {

#if TENON_READS_THREAD_BLOCK
constinit std::atomic<std::uint64_t> thread_record_offset{0};
#endif

ThreadRecord* find_thread_record() noexcept {
  const DWORD index = platform::record_index.load(std::memory_order_relaxed);
  return static_cast<ThreadRecord*>(TlsGetValue(index));
}

}}}  // namespace tenon::v0_1::detail
