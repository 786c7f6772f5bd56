// SPDX-License-Identifier: BSL-1.0
//
// tenon/gen/generated.hpp: includes and helpers for the generated sources of a program. Not for
// direct use.
#pragma once

#include <tenon/call.hpp>
#include <tenon/gen/guard.hpp>
#include <tenon/gen/intercept.hpp>
#include <tenon/gen/steps.hpp>
#include <tenon/gen/widening.hpp>
#include <tenon/host.hpp>
#include <tenon/values.hpp>

#include <new>

namespace tenon::detail {

/// The failure of a method of an older version that succeeded without an answer.
inline tenon_status no_answer(tenon_call* call) noexcept {
  return tenon_fail(call, TENON_INTERNAL, "the plugin succeeded without an answer");
}

/// The configure method of a plugin that left it out: there is nothing to do for an empty
/// configuration.
inline tenon_status no_configuration(tenon_call* call, const tenon_map& config) noexcept {
  if (config.keys.count == 0) return TENON_OK;
  return tenon_fail(call, TENON_UNIMPLEMENTED, "the plugin takes no configuration");
}

/// Ends a stream that the version on the other side does not have.
template <class Raw>
void discard(Raw* stream) noexcept {
  if (stream != nullptr) stream->release(stream);
}

/// A struct of one version as that of another which has the same form. What was written to it is
/// in memory afterwards, where a reader that sees the other type finds it.
template <class To, class From>
To* recast(From* from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
#if defined(__GNUC__)
  __asm__("" : "+r"(from) : : "memory");
#endif
  return reinterpret_cast<To*>(from);
}

}  // namespace tenon::detail
