// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/messages.hpp: requests and responses of another size than this side knows them, for
// generated code.
#pragma once

#include <tenon/abi.h>

#include <cstddef>
#include <cstring>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns a copy of a request or response in the arena of the call, at least as large as this side
/// knows it, so that it can be changed.
template <class Message>
Message* copied(tenon_call* call, const Message* message) {
  const std::size_t size =
      message->struct_size > sizeof(Message) ? message->struct_size : sizeof(Message);
  void* copy = tenon_allocate_zeroed(call, size);
  return static_cast<Message*>(std::memcpy(copy, message, message->struct_size));
}

/// Returns a response that is at least as large as this side knows it: `out` itself, or a copy in
/// the arena of the call, filled with zeros.
template <class Response>
const Response* complete(tenon_call* call, const Response* out) {
  if (out->struct_size >= sizeof(Response)) [[likely]]
    return out;
  void* copy = tenon_allocate_zeroed(call, sizeof(Response));
  return static_cast<const Response*>(std::memcpy(copy, out, out->struct_size));
}

}}}  // namespace tenon::v0_1::detail
