// SPDX-License-Identifier: BSL-1.0
#include "call/exceptions.hpp"

#include <tenon/gen/steps.hpp>

#include <exception>
#include <string>

#include "platform/forced_unwind.hpp"

namespace tenon::inline v0_1::detail {

// The end of a thread has no exception object for the reference.
__attribute__((no_sanitize("null"))) std::string text_of_exception(std::string thrower) {
  try {
    throw;
  } catch (const platform::ForcedUnwind&) {
    throw;
  } catch (const std::exception& thrown) {
    return thrower.append(" threw an exception: ").append(thrown.what());
  } catch (...) {
    return thrower.append(" threw an exception that is not a std::exception");
  }
}

tenon_status end_exception(tenon_call* call, const char* thrower) {
  return fail(call, TENON_INTERNAL, text_of_exception(thrower));
}

}  // namespace tenon::inline v0_1::detail
