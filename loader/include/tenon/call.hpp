// SPDX-License-Identifier: BSL-1.0
//
// tenon/call.hpp: the context of calls into plugins: memory for results, deadline, cancellation.
#pragma once

#include <tenon/abi.h>
#include <tenon/export.hpp>
#include <tenon/gen/arena.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tenon {

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

/// Pass one as the first argument of a method to get results as views, to set a deadline, or to be
/// able to cancel. The views live until `reset` or until the Call ends. Reused with `reset`, a Call
/// allocates nothing in the long run: its memory is kept.
///
/// Belongs to one thread at a time; only `cancel` may come from another one.
class TENON_API Call : private Arena {
 public:
  Call() noexcept : Arena(call_functions) {}
  ~Call() {
    if (children_.load() != nullptr || handle_.load() != no_handle) [[unlikely]]
      end();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// The moment at which the plugin is to give up. Stays over `reset`.
  void set_deadline(std::chrono::steady_clock::time_point when) noexcept;
  /// The same, from now.
  void set_timeout(std::chrono::nanoseconds timeout) noexcept;

  /// Tells the plugin to stop, now or as soon as it is called; wakes it where it waits. A call
  /// stays cancelled until `reset`. May be called from any thread while the Call exists.
  void cancel() noexcept { cancel(CancelReason::caller); }
  void cancel(CancelReason reason) noexcept;
  /// What the plugin would learn now: cancelled, or past its deadline. From any thread.
  CancelReason cancelled() const noexcept;

  /// Frees results, forgets the cancellation and the message; views of before are invalid.
  void reset() noexcept {
    Arena::reset();
    message_ = {nullptr, 0};
    if (failed_inside_ != nullptr || children_.load() != nullptr ||
        reason_.load() != TENON_NOT_CANCELLED) [[unlikely]]
      forget();
  }

  /// Whether these bytes lie in memory that a plugin got for its results.
  bool gave(const void* data, std::size_t size) const noexcept {
    return whole().Arena::gave(data, size);
  }

  /// What crosses the ABI.
  tenon_call* raw() noexcept { return this; }
  /// The Call behind what crosses the ABI. REQUIRED: it came from `raw`.
  static Call& of(tenon_call* raw) noexcept { return *static_cast<Call*>(raw); }

  /// The message of the last failure, empty where the plugin gave none.
  std::string_view message() const noexcept {
    const tenon_string last = last_message();
    return {last.data, last.size};
  }

  /// For the library: the generation whose module began the call; nullptr: the program did.
  const detail::Serving* owner() const noexcept { return owner_; }
  /// For the library: the failure of another plugin inside of a call of this depth (Error::behind);
  /// empty where there is none.
  std::string_view failed_inside(std::uint32_t depth) noexcept;
  /// For the library: stores the failure of a call of this depth for the caller's error. The text
  /// contains its causes.
  void add_failed_inside(std::uint32_t depth, std::string failure);

 private:
  struct Functions;
  friend struct Functions;
  friend class detail::CallChildren;
  friend class detail::ChildCall;
  friend class detail::NestedCall;

  /// A call of another plugin that failed inside of this one.
  struct Inner {
    std::uint32_t depth;  // how many calls its thread was in; more than those that it was inside of
    std::string text;     // see Error::behind
  };

  static constexpr std::intptr_t no_handle = -1;
  /// What each Call gives to the other side of the ABI.
  static const tenon_call_functions call_functions;

  /// A part of `outer`, see NestedCall.
  explicit Call(Call& outer) noexcept : Arena(&outer), outer_(&outer), owner_(outer.owner_) {}
  /// Gives the children and the wait handle back.
  void end() noexcept;
  /// What `reset` seldom has to do.
  void forget() noexcept;

  /// The call that this one is a part of, at last; itself where it is none. It has the memory, the
  /// wait handle and the children of all its parts.
  const Call& whole() const noexcept {
    const Call* call = this;
    while (call->outer_ != nullptr) call = call->outer_;
    return *call;
  }
  Call& whole() noexcept { return const_cast<Call&>(std::as_const(*this).whole()); }
  /// Why this call or one that it is a part of was cancelled.
  std::int32_t reason() const noexcept;
  std::int32_t wait(tenon_duration timeout) noexcept;
  std::intptr_t wait_handle() noexcept;
  void clear_signal() noexcept;
  /// Absent where the plugin gave none in this call, nor in those that it is a part of.
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
  std::atomic<detail::CallChildren*> children_{nullptr};  // nullptr until there is one
};

namespace detail {

/// A part of `outer` that can be cancelled by itself; results and messages are those of `outer`,
/// which is not used meanwhile. It is cancelled when `outer` is, and uses its memory and its wait
/// handle, so it needs nothing of its own. Must be created and destroyed on the thread of `outer`.
class TENON_API NestedCall : public Call {
 public:
  explicit NestedCall(Call& outer) noexcept : Call(outer) {}
  ~NestedCall() {
    if (message_.data != nullptr || failed_inside_ != nullptr ||
        whole().children_.load() != nullptr || reason_.load() != TENON_NOT_CANCELLED) [[unlikely]]
      end_part();
  }

 private:
  /// Leaves to `outer` the message, the failure and the children.
  void end_part() noexcept;
};

}  // namespace detail

}  // namespace tenon
