// SPDX-License-Identifier: BSL-1.0
//
// Checks whether requests and responses follow the rules of the ABI: HostOptions::check_calls.
#pragma once

#include <tenon/call.hpp>
#include <tenon/gen/kind.hpp>

#include <string>

#include "platform/image_map.hpp"

namespace tenon::detail {

/// Returns the first problem of a request, eg: "tags[3] is not valid UTF-8 from byte 0 on"; empty:
/// there is none. Follows all pointers of the request.
std::string problem_of_request(const MethodInfo& method, const void* request);

/// A call that has succeeded, with a request that has no problem.
struct CheckedCall {
  const MethodInfo& method;
  const platform::ImageMap* image;  // of the module; nullptr for a builtin
  const Call& call;
  const void* request;
};

/// The same for a response. Reads only memory of the call, of loaded images and of the request.
std::string problem_of_response(const CheckedCall& call, const void* response);

}  // namespace tenon::detail
