// SPDX-License-Identifier: BSL-1.0
//
// tenon/call.hpp: the context of calls into plugins: memory for results, deadline,
// cancellation.
#pragma once

#include <tenon/abi.h>
#include <tenon/gen/arena.hpp>
#include <tenon/gen/export.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tenon::inline v0_1 {

namespace detail {
class CallChildren;
class ChildCall;
class NestedCall;
class Serving;
}  // namespace detail

/// Why a call is cancelled.
enum class CancelReason : std::int32_t {
  none = TENON_NOT_CANCELLED,
  caller = TENON_CANCELLED_BY_CALLER,
  deadline = TENON_CANCELLED_BY_DEADLINE,
  restart = TENON_CANCELLED_BY_RESTART,
};

/// The optional first argument of a method: returns results as views, sets a deadline, or makes the
/// call cancellable. Views are valid until `reset` or until the Call is destroyed. A Call keeps its
/// memory, so a reused one stops allocating.
///
/// Belongs to one thread at a time. Only `cancel` and `cancelled` may be called from other threads.
/// A Call must outlive the method that it was passed to.
class TENON_API Call : private Arena {
 public:
  Call() noexcept : Arena(call_functions) {}
  ~Call() {
    if (children_.load() != nullptr || handle_.load() != no_handle) [[unlikely]]
      end();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Sets the time at which the plugin gives up. `reset` does not change it.
  void set_deadline(std::chrono::steady_clock::time_point when) noexcept;
  /// Sets the deadline relative to now.
  void set_timeout(std::chrono::nanoseconds timeout) noexcept;

  /// Cancels the current or next call and wakes a plugin that waits. The Call stays cancelled until
  /// `reset`. May be called from any thread while the Call exists.
  void cancel() noexcept { cancel(CancelReason::caller); }
  void cancel(CancelReason reason) noexcept;
  /// Returns whether the Call was cancelled or is past its deadline. May be called from any thread.
  CancelReason cancelled() const noexcept;

  /// Invalidates all results and views, and clears the cancellation and the message.
  void reset() noexcept {
    Arena::reset();
    message_ = {nullptr, 0};
    if (failed_inside_ != nullptr || children_.load() != nullptr ||
        reason_.load() != TENON_NOT_CANCELLED) [[unlikely]]
      forget();
  }

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

  /// For the library: returns the generation whose module made the call; nullptr if the program
  /// did.
  const detail::Serving* owner() const noexcept { return owner_; }
  /// For the library: returns the failure of another plugin inside a call at this depth
  /// (Error::behind), or an empty text.
  std::string_view failed_inside(std::uint32_t depth) noexcept;
  /// For the library: stores the failure of a call at this depth, with its causes, for the error of
  /// the caller.
  void add_failed_inside(std::uint32_t depth, std::string failure);

 private:
  struct Functions;
  friend struct Functions;
  friend class detail::CallChildren;
  friend class detail::ChildCall;
  friend class detail::NestedCall;

  /// A call of another plugin that failed inside this call.
  struct Inner {
    std::uint32_t depth;  // how many calls its thread was in
    std::string text;     // see Error::behind
  };

  static constexpr std::intptr_t no_handle = -1;
  static const tenon_call_functions call_functions;

  /// A part of `outer`; see NestedCall.
  explicit Call(Call& outer) noexcept : Arena(&outer), outer_(&outer), owner_(outer.owner_) {}
  /// Releases the children and the wait handle.
  void end() noexcept;
  /// The rare part of `reset`.
  void forget() noexcept;

  /// Returns the outermost call that this one is a part of, or this one. It owns the memory, the
  /// wait handle and the children of all its parts.
  const Call& whole() const noexcept {
    const Call* call = this;
    while (call->outer_ != nullptr) call = call->outer_;
    return *call;
  }
  Call& whole() noexcept { return const_cast<Call&>(std::as_const(*this).whole()); }
  /// Returns why this call, or one that it is a part of, was cancelled.
  std::int32_t reason() const noexcept;
  std::int32_t wait(tenon_duration timeout) noexcept;
  std::intptr_t wait_handle() noexcept;
  void clear_signal() noexcept;
  /// Returns the message of this call or of the nearest one that it is a part of; absent if none.
  tenon_string last_message() const noexcept {
    const Call* call = this;
    while (call->message_.data == nullptr && call->outer_ != nullptr) call = call->outer_;
    return call->message_;
  }

  Call* const outer_ = nullptr;
  const detail::Serving* owner_ = nullptr;
  tenon_string message_{nullptr, 0};
  std::unique_ptr<Inner> failed_inside_;  // the last one
  std::atomic<std::int32_t> reason_{TENON_NOT_CANCELLED};
  std::atomic<std::intptr_t> handle_{no_handle};
  std::atomic<detail::CallChildren*> children_{nullptr};  // created with the first child
};

}  // namespace tenon::inline v0_1
