// SPDX-License-Identifier: BSL-1.0
//
// Checks whether the responses of plugins follow the rules of the ABI: HostOptions::check_calls.
#pragma once

#include <tenon/call.hpp>
#include <tenon/kind.hpp>

#include <string>

#include "platform/image_map.hpp"

namespace tenon::detail {

/// A call that has succeeded.
struct CheckedCall {
  const MethodInfo& method;
  const platform::ImageMap* image;  // of the module; nullptr for a builtin
  const Call& call;
  const void* request;
};

/// Returns the first problem of a response, eg: "tags[3] is not valid UTF-8"; empty: there is none.
/// Reads only memory of the call, of loaded images and of the request.
std::string problem_of_response(const CheckedCall& call, const void* response);

}  // namespace tenon::detail
