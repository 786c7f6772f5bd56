// SPDX-License-Identifier: BSL-1.0
//
// Calls that a plugin begins inside a call of its own: cancelled together with it.
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

/// Cancels the calls that began inside `parent`, for its own reason. From any thread.
void cancel_children(Call& parent) noexcept;

}  // namespace tenon::detail
