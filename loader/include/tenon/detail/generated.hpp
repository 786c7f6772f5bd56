// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/generated.hpp: includes and helpers for the generated sources of a program. Not for
// direct use.
#pragma once

#include <tenon/call.hpp>
#include <tenon/detail/blocking.hpp>
#include <tenon/detail/guard.hpp>
#include <tenon/detail/intercept.hpp>
#include <tenon/detail/kind.hpp>
#include <tenon/detail/lent_stream.hpp>
#include <tenon/detail/messages.hpp>
#include <tenon/detail/steps.hpp>
#include <tenon/detail/streams.hpp>
#include <tenon/detail/widening.hpp>
#include <tenon/host.hpp>
#include <tenon/values.hpp>

#include <new>
#include <string>
#include <string_view>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the failure of a method of an older version that succeeded without a response.
inline tenon_status no_answer(tenon_call* call) noexcept {
  return tenon_fail(call, TENON_INTERNAL, "the plugin returned success without a response");
}

/// Returns the failure of a method of an older version whose response cannot be converted. The
/// conversion has set the message of the call.
inline tenon_status broken_response(tenon_call* call) {
  const tenon_string why = call->functions->message(call);
  return fail(call, TENON_INTERNAL,
              std::string("the response cannot be converted: ")
                  .append(std::string_view(why.data, why.size)));
}

/// The configure method of a plugin without one: accepts only an empty configuration.
inline tenon_status no_configuration(tenon_call* call, const tenon_map& config) noexcept {
  if (config.keys.count == 0) return TENON_OK;
  return tenon_fail(call, TENON_UNIMPLEMENTED, "the plugin takes no configuration");
}

/// Returns a struct of one version as the struct of another version with the same layout. The
/// compiler barrier makes previous stores visible to reads through the other type.
template <class To, class From>
To* recast(From* from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
#if defined(__GNUC__)
  __asm__("" : "+r"(from) : : "memory");
#endif
  return reinterpret_cast<To*>(from);
}

}}}  // namespace tenon::v0_1::detail
