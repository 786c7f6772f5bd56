// SPDX-License-Identifier: BSL-1.0
//
// tenon/call.hpp: the context of calls into plugins: memory for results, deadline,
// cancellation.
#pragma once

#include <tenon/abi.h>
#include <tenon/cancel_reason.hpp>
#include <tenon/detail/call_state.hpp>
#include <tenon/detail/export.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon { inline namespace v0_1 {

/// The optional first argument of a method: returns results as views, sets a deadline, or makes the
/// call cancellable. Views are valid until `reset` or until the Call is destroyed. A Call keeps its
/// memory, so a reused one stops allocating.
///
/// Belongs to one thread at a time. Only `cancel`, `cancelled` and `cancel_reason` may be called
/// from other threads.
/// A Call must outlive the method that it was passed to.
class TENON_API Call : public detail::CallState {
 public:
  Call() noexcept : CallState(call_functions) {}

  /// Sets the time at which the plugin gives up; time_point::max() means none. `reset` does not
  /// change it.
  void set_deadline(std::chrono::steady_clock::time_point when) noexcept;
  /// Sets the deadline relative to now. std::chrono::nanoseconds::max() means none.
  void set_timeout(std::chrono::nanoseconds timeout) noexcept;

  /// Cancels the current or next call and wakes a plugin that waits. The Call stays cancelled until
  /// `reset`. May be called from any thread while the Call exists.
  void cancel() noexcept { cancel(CancelReason::caller); }
  void cancel(CancelReason reason) noexcept;
  /// Returns whether the Call was cancelled or is past its deadline. May be called from any thread.
  bool cancelled() const noexcept { return cancel_reason() != CancelReason::none; }
  /// Returns why; `CancelReason::none` if it is not cancelled. May be called from any thread.
  CancelReason cancel_reason() const noexcept;

  /// Invalidates all results and views, and clears the cancellation and the message.
  void reset() noexcept { CallState::reset(); }

  /// Returns whether these bytes are in memory that a plugin allocated for results of this Call.
  bool gave(const void* data, std::size_t size) const noexcept {
    return whole().Arena::gave(data, size);
  }

  /// Returns the C struct, which is valid as long as the Call.
  tenon_call* raw() noexcept { return this; }
  /// Returns the Call of a C struct. REQUIRED: `raw` was returned by `Call::raw`.
  static Call& of(tenon_call* raw) noexcept { return *static_cast<Call*>(raw); }

  /// Returns the message of the last failure, valid until the next call or `reset`; empty if the
  /// plugin set none.
  std::string_view message() const noexcept {
    const tenon_string last = last_message();
    return {last.data, last.size};
  }

 private:
  struct Functions;
  friend class detail::NestedCall;

  static const tenon_call_functions call_functions;

  /// A part of `outer`.
  explicit Call(Call* outer) noexcept : CallState(outer) {}
  std::int32_t wait(tenon_duration timeout) noexcept;
};

}}  // namespace tenon::v0_1
