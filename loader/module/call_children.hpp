// SPDX-License-Identifier: BSL-1.0
//
// Calls inside other calls: cancelled together with them.
#pragma once

#include <tenon/call.hpp>

namespace tenon::detail {

/// A call on behalf of another one, or of nobody (nullptr). Takes over its deadline; cancelled when
/// the parent is.
class ChildCall : public Call {
 public:
  explicit ChildCall(Call* parent);
  ~ChildCall();

 private:
  friend void cancel_children(Call& parent) noexcept;
  Call* parent_;
};

/// A part of `parent` that can be cancelled for itself: results and messages are those of the
/// parent, which is not used meanwhile. On the thread of the parent.
class NestedCall : public ChildCall {
 public:
  explicit NestedCall(Call& parent) : ChildCall(&parent), parent_(parent) { swap_results(parent_); }
  ~NestedCall() { swap_results(parent_); }

 private:
  Call& parent_;
};

/// Cancels the calls that began inside `parent`, for its own reason. From any thread.
void cancel_children(Call& parent) noexcept;

}  // namespace tenon::detail
