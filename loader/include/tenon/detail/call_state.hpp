// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/call_state.hpp: the state of a Call, which the library and generated code use.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/arena.hpp>
#include <tenon/detail/export.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tenon { inline namespace v0_1 {

class Call;

namespace detail {

class CallChildren;
class CallEvents;
class ChildCall;
class ModuleHost;
class NestedCall;
class StreamCall;

/// A call, or a part of another call (NestedCall, StreamCall). The outermost call owns the memory,
/// the events and the children of all its parts.
class TENON_API CallState : protected Arena {
 public:
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;

  /// Returns the host of the module that made the call; nullptr if the program did.
  const ModuleHost* owner() const noexcept { return whole().owner_; }
  /// Returns the failure of another plugin inside a call at this depth (Error::cause), or an empty
  /// text.
  std::string_view failed_inside(std::uint32_t depth) noexcept;
  /// Stores the failure of a call at this depth, with its causes, for the error of the caller.
  void add_failed_inside(std::uint32_t depth, std::string failure);

 private:
  friend class tenon::Call;
  friend class CallChildren;
  friend class CallEvents;
  friend class ChildCall;
  friend class NestedCall;
  friend class StreamCall;

  /// A call of another plugin that failed inside this call.
  struct Inner {
    std::uint32_t depth;  // how many calls its thread was in
    std::string text;     // see Error::cause
  };

  explicit CallState(const tenon_call_functions& own) noexcept : Arena(own) {}
  /// A part of `outer`.
  explicit CallState(CallState* outer) noexcept : Arena(outer), outer_(outer) {}
  ~CallState() {
    if (children_.load() != nullptr || events_.load() != nullptr) [[unlikely]]
      end();
  }

  void reset() noexcept {
    if (outer() == nullptr) [[likely]]
      Arena::reset();  // a part has no memory of its own
    message_ = {nullptr, 0};
    if (failed_inside_ != nullptr || whole().children_.load() != nullptr ||
        reason_.load() != TENON_NOT_CANCELLED) [[unlikely]]
      forget();
  }

  /// Releases the children and the events.
  void end() noexcept;
  /// Notes that this call has a message, a failure, a child or a wait handle, which must be moved
  /// to the call that it is a part of, or closed. May be called from any thread.
  void leave_trace() noexcept { has_traces_.store(true, std::memory_order_relaxed); }
  bool has_traces() const noexcept { return has_traces_.load(std::memory_order_relaxed); }
  /// Moves and closes them.
  void end_part() noexcept;
  /// The rare part of `reset`.
  void forget() noexcept;

  /// Returns the call that this one is a part of; nullptr if there is none.
  CallState* outer() const noexcept { return outer_.load(std::memory_order_acquire); }
  /// Returns the outermost call that this one is a part of, or this one.
  const CallState& whole() const noexcept {
    const CallState* call = this;
    while (const CallState* outer = call->outer()) call = outer;
    return *call;
  }
  CallState& whole() noexcept { return const_cast<CallState&>(std::as_const(*this).whole()); }

  /// Returns whether this is `call` or a part of it.
  bool is_part_of(const CallState& call) const noexcept {
    const CallState* outer = this;
    while (outer != nullptr && outer != &call) outer = outer->outer();
    return outer != nullptr;
  }

  /// Returns why this call, or one that it is a part of, was cancelled.
  std::int32_t reason() const noexcept;
  std::intptr_t wait_handle() noexcept;
  void clear_signal() noexcept;
  /// Returns the message of this call or of the nearest one that it is a part of; absent if none.
  tenon_string last_message() const noexcept {
    const CallState* call = this;
    while (call->message_.data == nullptr && call->outer() != nullptr) call = call->outer();
    return call->message_;
  }

  std::atomic<CallState*> outer_{nullptr};  // changes only in a StreamCall
  const ModuleHost* owner_ = nullptr;
  tenon_string message_{nullptr, 0};
  std::unique_ptr<Inner> failed_inside_;  // the last one
  std::atomic<std::int32_t> reason_{TENON_NOT_CANCELLED};
  std::atomic<bool> has_traces_{false};
  std::atomic<bool> part_revoked_{false};         // see StreamCall
  std::atomic<CallEvents*> events_{nullptr};      // created with the first wait handle
  std::atomic<CallChildren*> children_{nullptr};  // created with the first child
};

}  // namespace detail

}}  // namespace tenon::v0_1
