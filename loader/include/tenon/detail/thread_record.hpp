// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/thread_record.hpp: the calls that a thread is in. Calls of plugins write it,
// restarts read it.
#pragma once

#include <tenon/call.hpp>
#include <tenon/detail/call_switch.hpp>
#include <tenon/detail/export.hpp>
#include <tenon/detail/instance.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#if defined(__SANITIZE_THREAD__)
#define TENON_ORDERED_SLOTS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TENON_ORDERED_SLOTS 1
#endif
#endif
#ifndef TENON_ORDERED_SLOTS
#define TENON_ORDERED_SLOTS 0
#endif

namespace tenon { inline namespace v0_1 { namespace detail {

class CallerScope;

/// A call in progress that has a deadline, as reported when it misses the deadline.
struct TimedCall {
  /// no_deadline if there is no such call.
  std::atomic<std::int64_t> deadline{no_deadline};
  std::atomic<std::uint32_t> instance{0};
  /// NUL-terminated: a separate length could belong to another call.
  std::atomic<const char*> method{""};
};

using Slot = std::atomic<const CallTarget*>;

/// The generations that a thread is in, innermost last. Written by its thread, read by restarts.
///
/// The slots fill a block that is aligned to its size, and the first one is never used. So one test
/// of the address covers both a thread without a free slot (the address after the last slot) and a
/// thread without a record (nullptr).
struct alignas(128) ThreadRecord {
  static constexpr std::uint32_t levels = 15;
  static constexpr std::uintptr_t block = (levels + 1) * sizeof(Slot);
  Slot slots[levels + 1]{};
  /// The call that may block, by index of the slot; see Blocking.
  std::atomic<Call*> blocking[levels + 1]{};
  /// The call with a deadline, by index of the slot.
  TimedCall timed[levels + 1]{};
  /// The innermost scope. Used only by the thread itself.
  const CallerScope* caller = nullptr;
  ThreadRecord* next = nullptr;
  ThreadRecord* next_free = nullptr;
  /// The position of the record in the order of creation, from 0.
  std::uint32_t number = 0;
#if !TENON_EXPORTS_THREAD_LOCALS
  /// The next free slot. Used only by the thread itself.
  Slot* free_slot = &slots[1];
#endif

  static bool is_slot(const Slot* slot) noexcept {
    return (reinterpret_cast<std::uintptr_t>(slot) & (block - 1)) != 0;
  }
  /// REQUIRED: is_slot.
  static ThreadRecord& of(Slot* slot) noexcept {
    return *reinterpret_cast<ThreadRecord*>(reinterpret_cast<std::uintptr_t>(slot) & ~(block - 1));
  }
  std::ptrdiff_t index_of(const Slot* slot) const noexcept {
    return slot - slots;
  }
};
static_assert(alignof(ThreadRecord) == ThreadRecord::block);
static_assert(sizeof(Slot) == sizeof(void*));

#if TENON_EXPORTS_THREAD_LOCALS
extern TENON_API constinit thread_local ThreadRecord* thread_record TENON_TLS_AT_FIXED_OFFSET;
extern TENON_API constinit thread_local Slot* free_slot TENON_TLS_AT_FIXED_OFFSET;

/// Returns the record of the calling thread; nullptr if it has none.
TENON_ALWAYS_INLINE ThreadRecord* this_thread_record() noexcept {
  return thread_record;
}
/// Returns the next free slot in the record of the thread. Not a slot (is_slot) if there is none.
TENON_ALWAYS_INLINE Slot* next_free_slot() noexcept {
  return free_slot;
}
/// Takes that slot. REQUIRED: is_slot.
TENON_ALWAYS_INLINE void take_slot(Slot* slot) noexcept {
  free_slot = slot + 1;
}
/// Frees the slot that the thread has taken last.
TENON_ALWAYS_INLINE void release_slot(Slot* slot) noexcept {
  free_slot = slot;
}
#else
/// Returns the record of the calling thread; nullptr if it has none.
TENON_API ThreadRecord* find_thread_record() noexcept;
#if TENON_READS_THREAD_BLOCK
/// The offset of the record in the block of each thread. 0 if only find_thread_record finds it.
extern TENON_API constinit std::atomic<std::uint64_t> thread_record_offset;

TENON_ALWAYS_INLINE ThreadRecord* this_thread_record() noexcept {
  const std::uint64_t offset = thread_record_offset.load(std::memory_order_relaxed);
  if (offset == 0) [[unlikely]]
    return find_thread_record();
  return static_cast<ThreadRecord*>(in_thread_block(offset));
}
#else
TENON_ALWAYS_INLINE ThreadRecord* this_thread_record() noexcept {
  return find_thread_record();
}
#endif

TENON_ALWAYS_INLINE Slot* next_free_slot() noexcept {
  const ThreadRecord* record = this_thread_record();
  return record != nullptr ? record->free_slot : nullptr;
}
TENON_ALWAYS_INLINE void take_slot(Slot* slot) noexcept {
  ThreadRecord::of(slot).free_slot = slot + 1;
}
TENON_ALWAYS_INLINE void release_slot(Slot* slot) noexcept {
  ThreadRecord::of(slot).free_slot = slot;
}
#endif

/// The orders of a store of a call, and of the load after it. Without a barrier of the restart the
/// load must not pass the store.
#if TENON_CALLS_ORDER_SLOTS
inline constexpr auto slot_store_order = std::memory_order_seq_cst;
inline constexpr auto slot_load_order = std::memory_order_seq_cst;
#else
inline constexpr auto slot_store_order = std::memory_order_release;
inline constexpr auto slot_load_order = std::memory_order_acquire;
#endif

/// True if calls order their slots and related stores in the library because the system has no
/// barrier on all processors. Set once, by the first restart to which the system refuses the
/// barrier. Always false with TENON_CALLS_ORDER_SLOTS.
extern TENON_API constinit std::atomic<bool> readers_order;

/// True while a restart is cancelling calls that it found in thread records.
extern TENON_API constinit std::atomic<bool> cancelling_calls;

/// Gives the calling thread a record until the thread ends.
TENON_API ThreadRecord* attach_thread() noexcept;
/// Marks that the calling thread runs on behalf of `caller`: code of that generation has called the
/// host or another plugin, perhaps on a thread of its own. Work that must not run inside that code,
/// such as its restart, is then left to another thread; see this_thread_is_in. The scope does not
/// keep the generation loaded. Scopes of one thread nest.
class CallerScope {
 public:
  explicit CallerScope(const CallTargets* caller) noexcept
      : record_(own_record()), caller_(caller), outer_(std::exchange(record_.caller, this)) {}
  /// Marks a call of an instance that another module owns: on behalf of that module's generation.
  explicit CallerScope(const Instance& client) noexcept : CallerScope(client.caller_) {}
  ~CallerScope() { record_.caller = outer_; }
  CallerScope(const CallerScope&) = delete;
  CallerScope& operator=(const CallerScope&) = delete;

  const CallTargets* caller() const noexcept { return caller_; }
  /// Returns the enclosing scope; nullptr if there is none.
  const CallerScope* outer() const noexcept { return outer_; }

 private:
  static ThreadRecord& own_record() noexcept {
    ThreadRecord* record = this_thread_record();
    return record != nullptr ? *record : *attach_thread();
  }

  ThreadRecord& record_;
  const CallTargets* const caller_;
  const CallerScope* const outer_;
};

}}}  // namespace tenon::v0_1::detail
