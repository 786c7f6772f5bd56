// SPDX-License-Identifier: BSL-1.0
//
// Checks requests and responses against the rules of the ABI; see HostOptions::check_calls.
#pragma once

#include <tenon/call.hpp>
#include <tenon/detail/export.hpp>
#include <tenon/detail/kind.hpp>

#include <string>

#include "platform/image_map.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the first problem of a request, eg "tags[3] is not valid UTF-8 from byte 0 on"; empty if
/// there is none. Follows all pointers of the request.
std::string problem_of_request(const MethodInfo& method, const void* request);

/// A successful call with a valid request.
struct CheckedCall {
  const MethodInfo& method;
  const platform::ImageMap* image;  // of the module; nullptr for a builtin
  const Call& call;
  const void* request;
};

/// Returns the first problem of a response. Reads only memory of the call, of loaded images and of
/// the request. Exported for the command `tenon`, which calls plugins without a host.
TENON_API std::string problem_of_response(const CheckedCall& call, const void* response);

}}}  // namespace tenon::v0_1::detail
