// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/blocking.hpp: calls that may block, and that a restart can cancel. For generated
// code.
#pragma once

#include <tenon/abi.h>
#include <tenon/call.hpp>
#include <tenon/detail/export.hpp>
#include <tenon/detail/guard.hpp>
#include <tenon/detail/nested_call.hpp>
#include <tenon/detail/thread_record.hpp>

#include <atomic>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Surrounds a method that may block, so that a restart of a module with a session can cancel the
/// call.
///
/// The call is stored in the record of its thread, beside the slot of the guard. The thread stores
/// it and then loads `interrupting`. A restart stores that flag and then reads the records, so at
/// least one sees the other. In the same way the thread clears the record and then loads
/// `cancelling_calls`: the call does not end while a restart is cancelling it.
class Blocking {
 public:
  /// `guard` must outlive this.
  TENON_ALWAYS_INLINE Blocking(const CallGuard& guard, Call& call) noexcept
      : module_(guard.instance_.serving_), call_(call), place_(place_of(guard)) {
    if (place_ == nullptr) [[unlikely]] {
      begin_counted();
    } else if (store_then_load(&call, module_.interrupting)) [[unlikely]] {
      call.cancel(CancelReason::restart);
    }
  }
  TENON_ALWAYS_INLINE ~Blocking() {
    if (place_ == nullptr) [[unlikely]] {
      end_counted();
    } else if (store_then_load(nullptr, cancelling_calls)) [[unlikely]] {
      wait_for_cancelling();
    }
  }
  Blocking(const Blocking&) = delete;
  Blocking& operator=(const Blocking&) = delete;

 private:
  /// Returns nullptr if the call has no slot; see CallSwitch::overflow.
  static std::atomic<Call*>* place_of(const CallGuard& guard) noexcept {
    if (guard.slot_ == nullptr) [[unlikely]]
      return nullptr;
    ThreadRecord& record = ThreadRecord::of(guard.slot_);
    return &record.blocking[record.index_of(guard.slot_)];
  }
  /// The other side orders this with a barrier on all processors; see readers_order.
  bool store_then_load(Call* call, const std::atomic<bool>& flag) const noexcept {
    place_->store(call, slot_store_order);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    // The load comes after the store: a thread that is stopped here has stored its call.
    if (readers_order.load(std::memory_order_acquire)) [[unlikely]] {
      place_->store(call, std::memory_order_seq_cst);
      return flag.load(std::memory_order_seq_cst);
    }
    return flag.load(slot_load_order);
  }
  TENON_API void begin_counted() noexcept;
  TENON_API void end_counted() noexcept;
  TENON_API static void wait_for_cancelling() noexcept;

  const CallSwitch& module_;
  Call& call_;
  std::atomic<Call*>* const place_;
};

/// Blocking for a calling plugin, whose own call must not be cancelled: the method gets a nested
/// call.
class BlockingClient {
 public:
  BlockingClient(const CallGuard& guard, tenon_call* call) noexcept
      : nested_(Call::of(call)), blocking_(guard, nested_) {}
  BlockingClient(const BlockingClient&) = delete;
  BlockingClient& operator=(const BlockingClient&) = delete;

  /// Returns the nested call, valid as long as this.
  tenon_call* call() noexcept { return nested_.raw(); }
  /// Returns the status for the calling plugin after the method failed with `status`.
  TENON_API tenon_status failure(tenon_status status) noexcept;

 private:
  NestedCall nested_;
  Blocking blocking_;
};

}}}  // namespace tenon::v0_1::detail
