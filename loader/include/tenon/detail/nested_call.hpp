// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/nested_call.hpp: a call inside a call, which can be cancelled on its own.
#pragma once

#include <tenon/call.hpp>

namespace tenon { inline namespace v0_1 { namespace detail {

/// A part of `outer` that can be cancelled on its own. It is also cancelled when `outer` is, and
/// uses the memory, results and messages of `outer`. Meanwhile `outer` must not be used, except
/// that any thread may wait for its cancellation. It is created and destroyed on the thread of
/// `outer`.
class TENON_API NestedCall : public Call {
 public:
  explicit NestedCall(Call& outer) noexcept : Call(&outer) {}
  ~NestedCall() {
    const CallState& whole = this->whole();
    if (message_.data != nullptr || failed_inside_ != nullptr ||
        whole.children_.load() != nullptr || whole.events_.load() != nullptr) [[unlikely]]
      end_part();
  }

 private:
  /// Moves the message, the failure and the children to `outer`, and closes the wait handle.
  void end_part() noexcept;
};

}}}  // namespace tenon::v0_1::detail
