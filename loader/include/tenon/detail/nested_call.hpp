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
    if (has_traces()) [[unlikely]]
      end_part();
  }
};

}}}  // namespace tenon::v0_1::detail
