// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/steps.hpp: helpers for the steps between versions, hand-written and generated: calls
// of methods through an adapter, and conversions of documents. All memory comes from the arena of
// the call. A step returns a status, with a message unless it is TENON_OK.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/export.hpp>

#include <cstddef>
#include <string_view>

namespace tenon { inline namespace v0_1 {

/// Fails with a message, which is copied: `return fail(call, TENON_INTERNAL, "no position");`
inline tenon_status fail(tenon_call* call, tenon_status status, std::string_view message) noexcept {
  call->functions->fail(call, status, {message.data(), message.size()});
  return status;
}

namespace detail {

/// Fails a call because the plugin returned a field with a size and NULL as its data.
TENON_API TENON_COLD tenon_status fail_without_data(tenon_call* call, std::string_view field);

}  // namespace detail

/// Returns a new response in the arena of the call, zero except for its size.
template <class Response>
Response* new_response(tenon_call* call) {
  auto* response = static_cast<Response*>(tenon_allocate_zeroed(call, sizeof(Response)));
  response->struct_size = sizeof(Response);
  return response;
}

/// Calls `convert(call, const From&, To&)` for each element of a list. An absent list stays absent.
template <class From, class To, class Convert>
tenon_status convert_list(tenon_call* call, const tenon_list& from, tenon_list& to,
                          Convert&& convert) {
  if (from.data == nullptr) {
    to = {nullptr, 0, 0};
    return from.count == 0 ? TENON_OK : fail(call, TENON_INTERNAL, "a list has a size and no data");
  }
  void* elements;
  to = tenon_new_list(call, from.count, sizeof(To), &elements);
  for (std::size_t i = 0; i < from.count; ++i) {
    const tenon_status status =
        convert(call, TENON_AT(From, from, i), static_cast<To*>(elements)[i]);
    if (status != TENON_OK) return status;
  }
  return TENON_OK;
}

/// Converts the values of a map in the same way.
template <class From, class To, class Convert>
tenon_status convert_map(tenon_call* call, const tenon_map& from, tenon_map& to,
                         Convert&& convert) {
  to.keys = from.keys;
  return convert_list<From, To>(call, from.values, to.values, convert);
}

/// Converts a value that is a pointer in the ABI struct, NULL if it is absent.
template <class From, class To, class Convert>
tenon_status convert_optional(tenon_call* call, const From* from, const To*& to,
                              Convert&& convert) {
  to = nullptr;
  if (from == nullptr) return TENON_OK;
  auto* converted = static_cast<To*>(tenon_allocate_zeroed(call, sizeof(To)));
  to = converted;
  return convert(call, *from, *converted);
}

}}  // namespace tenon::v0_1
