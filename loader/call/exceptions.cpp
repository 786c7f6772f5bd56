// SPDX-License-Identifier: BSL-1.0
#include "call/exceptions.hpp"

#include <tenon/gen/steps.hpp>

#include <exception>
#include <string>

#include "platform/forced_unwind.hpp"

namespace tenon::inline v0_1::detail {
namespace {

// The end of a thread has no exception object for the reference.
__attribute__((no_sanitize("null"))) std::string text_of_exception() {
  try {
    throw;
  } catch (const platform::ForcedUnwind&) {
    throw;
  } catch (const std::exception& thrown) {
    return std::string("the plugin threw an exception: ") + thrown.what();
  } catch (...) {
    return "the plugin threw an exception that is not a std::exception";
  }
}

}  // namespace

tenon_status end_exception(tenon_call* call) {
  return fail(call, TENON_INTERNAL, text_of_exception());
}

}  // namespace tenon::inline v0_1::detail
