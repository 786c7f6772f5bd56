// SPDX-License-Identifier: BSL-1.0
#include "call/exceptions.hpp"

#include <tenon/detail/steps.hpp>

#include <exception>
#include <string>
#include <utility>

#include "platform/forced_unwind.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

std::string with_text(std::string thrower, const char* text) {
  if (text == nullptr) return thrower.append(" threw an exception without a text");
  return thrower.append(" threw an exception: ").append(text);
}

template <class Integer>
std::string with_number(std::string thrower, Integer number) {
  return thrower.append(" threw the number ").append(std::to_string(number));
}

}  // namespace

// The end of a thread has no exception object for the reference.
__attribute__((no_sanitize("null"))) std::string text_of_exception(std::string thrower) {
  try {
    throw;
  } catch (const platform::ForcedUnwind&) {
    throw;
  } catch (const std::exception& thrown) {
    return with_text(std::move(thrower), thrown.what());
  } catch (const char* text) {
    return with_text(std::move(thrower), text);
  } catch (const std::string& text) {
    return with_text(std::move(thrower), text.c_str());
  } catch (int number) {
    return with_number(std::move(thrower), number);
  } catch (unsigned number) {
    return with_number(std::move(thrower), number);
  } catch (long number) {
    return with_number(std::move(thrower), number);
  } catch (unsigned long number) {
    return with_number(std::move(thrower), number);
  } catch (long long number) {
    return with_number(std::move(thrower), number);
  } catch (unsigned long long number) {
    return with_number(std::move(thrower), number);
  } catch (...) {
    return thrower.append(" threw an exception that is not a std::exception");
  }
}

tenon_status end_exception(tenon_call* call, const char* thrower) {
  return fail(call, TENON_INTERNAL, text_of_exception(thrower));
}

}}}  // namespace tenon::v0_1::detail
