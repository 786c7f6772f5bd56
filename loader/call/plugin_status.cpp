// SPDX-License-Identifier: BSL-1.0
#include "call/plugin_status.hpp"

#include <tenon/call.hpp>
#include <tenon/detail/steps.hpp>

#include <string>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

std::string without_data(std::string_view field) {
  return "the plugin returned a size without data in '" + std::string(field) + "'";
}

}  // namespace

Error size_without_data(std::string plugin, const char* method, std::string_view field) {
  return Error({.status = TENON_INTERNAL,
                .message = without_data(field),
                .needed = "data that is not NULL, or the size 0",
                .fix = "allocate the data with tenon_allocate",
                .plugin = std::move(plugin),
                .method = method});
}

tenon_status fail_without_data(tenon_call* call, std::string_view field) {
  return fail(call, TENON_INTERNAL, without_data(field));
}

tenon_status status_of_plugin(tenon_call* call, tenon_status status) {
  if (status == TENON_OK) return status;
  if ((status & ~0xffff) != 0) {
    std::string message = "the plugin returned the undefined status " + std::to_string(status);
    if (const auto own = Call::of(call).message(); !own.empty()) message.append(": ").append(own);
    return fail(call, TENON_UNKNOWN, message);
  }
  status &= 0xff | TENON_RETRYABLE | TENON_FATAL;  // modules for newer hosts may know more flags
  if (TENON_CODE(status) == TENON_OK) return status | TENON_UNKNOWN;
  if (TENON_CODE(status) == TENON_CRASHED) return TENON_ABORTED | (status & ~0xff);
  return status;
}

}}}  // namespace tenon::v0_1::detail
