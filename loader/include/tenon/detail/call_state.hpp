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

/// A call, or a part of another call (NestedCall). The outermost call owns the memory, the events
/// and the children of all its parts.
class TENON_API CallState : protected Arena {
 public:
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;

  /// Returns the host of the module that made the call; nullptr if the program did.
  const ModuleHost* owner() const noexcept { return owner_; }
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

  /// A call of another plugin that failed inside this call.
  struct Inner {
    std::uint32_t depth;  // how many calls its thread was in
    std::string text;     // see Error::cause
  };

  explicit CallState(const tenon_call_functions& own) noexcept : Arena(own) {}
  /// A part of `outer`.
  explicit CallState(CallState* outer) noexcept
      : Arena(outer), outer_(outer), owner_(outer->owner_) {}
  ~CallState() {
    if (children_.load() != nullptr || events_.load() != nullptr) [[unlikely]]
      end();
  }

  void reset() noexcept {
    if (outer_ == nullptr) [[likely]]
      Arena::reset();  // a part has no memory of its own
    message_ = {nullptr, 0};
    if (failed_inside_ != nullptr || whole().children_.load() != nullptr ||
        reason_.load() != TENON_NOT_CANCELLED) [[unlikely]]
      forget();
  }

  /// Releases the children and the events.
  void end() noexcept;
  /// The rare part of `reset`.
  void forget() noexcept;

  /// Returns the outermost call that this one is a part of, or this one.
  const CallState& whole() const noexcept {
    const CallState* call = this;
    while (call->outer_ != nullptr) call = call->outer_;
    return *call;
  }
  CallState& whole() noexcept { return const_cast<CallState&>(std::as_const(*this).whole()); }

  /// Returns whether this is `call` or a part of it.
  bool is_part_of(const CallState& call) const noexcept {
    const CallState* outer = this;
    while (outer != nullptr && outer != &call) outer = outer->outer_;
    return outer != nullptr;
  }

  /// Returns why this call, or one that it is a part of, was cancelled.
  std::int32_t reason() const noexcept;
  std::intptr_t wait_handle() noexcept;
  void clear_signal() noexcept;
  /// Returns the message of this call or of the nearest one that it is a part of; absent if none.
  tenon_string last_message() const noexcept {
    const CallState* call = this;
    while (call->message_.data == nullptr && call->outer_ != nullptr) call = call->outer_;
    return call->message_;
  }

  CallState* const outer_ = nullptr;
  const ModuleHost* owner_ = nullptr;
  tenon_string message_{nullptr, 0};
  std::unique_ptr<Inner> failed_inside_;  // the last one
  std::atomic<std::int32_t> reason_{TENON_NOT_CANCELLED};
  std::atomic<CallEvents*> events_{nullptr};      // created with the first wait handle
  std::atomic<CallChildren*> children_{nullptr};  // created with the first child
};

}  // namespace detail

}}  // namespace tenon::v0_1
