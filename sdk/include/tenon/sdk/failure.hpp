// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/failure.hpp: errors of methods. A method fails by throwing. The SDK converts the
// exception to a status and a message; no exception leaves the plugin.
//
// A plugin may be compiled without exceptions (-fno-exceptions), in all of its sources. Then a
// method fails with `fail`, which stores the failure and returns, and so does every function of
// the SDK that is said to throw; it returns an empty value. The method runs on until it returns;
// its result is ignored:
//
//   radius = config.get("radius", 3.f);
//   if (radius <= 0) fail(TENON_INVALID_ARGUMENT, "the radius has to be positive");
#pragma once

#include <tenon/abi.h>
#include <tenon/sdk/frame.hpp>
#include <tenon/sdk/text.hpp>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tenon::sdk {

/// The exception of a method that fails: a status and a message.
///
///   throw Failure(TENON_NOT_FOUND, "no table ", name);
///   throw Failure(TENON_UNAVAILABLE, "the server does not answer").retryable();
///
/// Methods may throw other exceptions too: std::invalid_argument becomes TENON_INVALID_ARGUMENT,
/// std::bad_alloc TENON_RESOURCE_EXHAUSTED, std::system_error the status of its code (see
/// status_of), any other std::exception TENON_UNKNOWN, and anything else TENON_INTERNAL. Their
/// text is what(), the C string or std::string that was thrown, or eg "the number 42" for an
/// integer.
/// An exception fails only its call; only a failure that is `fatal` restarts the module.
class Failure : public std::exception {
 public:
  /// `status` is a code of the ABI, optionally with flags. The message is the concatenation of the
  /// parts, see text().
  template <class... Parts>
  explicit Failure(tenon_status status, const Parts&... parts)
      : status_(status), message_(text(parts...)) {}

  /// Returns a copy with the flag TENON_RETRYABLE: the same call may succeed later.
  Failure retryable() const { return with(TENON_RETRYABLE); }
  /// Returns a copy with the flag TENON_FATAL, which makes the host restart the module.
  Failure fatal() const { return with(TENON_FATAL); }

  /// Returns the code with its flags.
  tenon_status status() const noexcept { return status_; }
  /// Returns the message.
  const char* what() const noexcept override { return message_.c_str(); }
  /// Returns the message.
  const std::string& message() const noexcept { return message_; }

 private:
  Failure with(tenon_status flag) const {
    Failure flagged(*this);
    flagged.status_ |= flag;
    return flagged;
  }

  tenon_status status_;
  std::string message_;
};

/// Returns the failure of a method that the plugin does not implement, with the status
/// TENON_UNIMPLEMENTED.
inline Failure unimplemented(std::string_view method) {
  return Failure(TENON_UNIMPLEMENTED, "the plugin has no method ", method);
}

/// Returns the status for an error of the operating system; TENON_UNKNOWN if none fits.
inline tenon_status status_of(const std::error_code& error) {
  constexpr std::pair<std::errc, tenon_status> known[] = {
      {std::errc::no_such_file_or_directory, TENON_NOT_FOUND},
      {std::errc::permission_denied, TENON_PERMISSION_DENIED},
      {std::errc::operation_not_permitted, TENON_PERMISSION_DENIED},
      {std::errc::read_only_file_system, TENON_PERMISSION_DENIED},
      {std::errc::file_exists, TENON_ALREADY_EXISTS},
      {std::errc::not_enough_memory, TENON_RESOURCE_EXHAUSTED},
      {std::errc::no_space_on_device, TENON_RESOURCE_EXHAUSTED},
      {std::errc::file_too_large, TENON_RESOURCE_EXHAUSTED},
      {std::errc::too_many_files_open, TENON_RESOURCE_EXHAUSTED},
      {std::errc::too_many_files_open_in_system, TENON_RESOURCE_EXHAUSTED},
      {std::errc::is_a_directory, TENON_FAILED_PRECONDITION},
      {std::errc::not_a_directory, TENON_FAILED_PRECONDITION},
      {std::errc::connection_refused, TENON_UNAVAILABLE | TENON_RETRYABLE},
      {std::errc::connection_reset, TENON_UNAVAILABLE | TENON_RETRYABLE},
      {std::errc::host_unreachable, TENON_UNAVAILABLE | TENON_RETRYABLE},
      {std::errc::timed_out, TENON_UNAVAILABLE | TENON_RETRYABLE},
      {std::errc::resource_unavailable_try_again, TENON_UNAVAILABLE | TENON_RETRYABLE},
  };
  for (const auto& [code, status] : known) {
    if (error == code) return status;
  }
#if defined(EDQUOT)  // has no std::errc
  const bool is_errno =
      error.category() == std::generic_category() || error.category() == std::system_category();
  if (is_errno && error.value() == EDQUOT) return TENON_RESOURCE_EXHAUSTED;
#endif
  return TENON_UNKNOWN;
}

/// Returns the failure of a system call that set errno to `error`. The message is the parts,
/// followed by ": " and the text of the error:
///
///   throw system_failure(errno, "cannot open ", path);
template <class... Parts>
Failure system_failure(int error, const Parts&... parts) {
  std::error_code code(error, std::generic_category());
  return Failure(status_of(code), parts..., ": ", code.message());
}

namespace detail {

/// Reports a failure to the call, and returns the status. An empty message keeps the message that
/// was reported before. A status without an error code gets TENON_UNKNOWN.
inline tenon_status report_failure(tenon_call* call, tenon_status status,
                                   std::string_view message) noexcept {
  if (TENON_CODE(status) == TENON_OK) status |= TENON_UNKNOWN;
  if (!message.empty()) call->functions->fail(call, status, {message.data(), message.size()});
  return status;
}

/// Returns the text of an exception, which may be nullptr.
inline std::string_view exception_text(const char* text) noexcept {
  return text != nullptr ? text : "an exception without a text";
}

#if defined(__cpp_exceptions)

/// Reports an integer that was thrown.
template <class Integer>
tenon_status report_number(tenon_call* call, Integer number) {
  return report_failure(call, TENON_INTERNAL, "the number " + std::to_string(number));
}

/// Throws the failure.
template <class T>
[[noreturn]] T raise(const Failure& failure) {
  throw failure;
}

/// Reports the exception that is being handled to the call, and returns its status.
/// REQUIRES: called in a handler.
inline tenon_status report_exception(tenon_call* call) noexcept {
  try {
    throw;
  } catch (const Failure& failure) {
    return report_failure(call, failure.status(), failure.message());
  } catch (const std::invalid_argument& error) {
    return report_failure(call, TENON_INVALID_ARGUMENT, exception_text(error.what()));
  } catch (const std::bad_alloc&) {
    return report_failure(call, TENON_RESOURCE_EXHAUSTED, "out of memory");
  } catch (const std::system_error& error) {
    return report_failure(call, status_of(error.code()), exception_text(error.what()));
  } catch (const std::exception& error) {
    return report_failure(call, TENON_UNKNOWN, exception_text(error.what()));
  } catch (const char* text) {
    return report_failure(call, TENON_INTERNAL, exception_text(text));
  } catch (const std::string& text) {
    return report_failure(call, TENON_INTERNAL, text);
  } catch (int number) {
    return report_number(call, number);
  } catch (unsigned number) {
    return report_number(call, number);
  } catch (long number) {
    return report_number(call, number);
  } catch (unsigned long number) {
    return report_number(call, number);
  } catch (long long number) {
    return report_number(call, number);
  } catch (unsigned long long number) {
    return report_number(call, number);
  } catch (...) {
    return report_failure(call, TENON_INTERNAL, "an exception that is not a std::exception");
  }
}

#else

/// Stores the failure, unless the function of the plugin has failed before, and returns an empty
/// value. Aborts on a thread that the host has not called.
template <class T>
T raise(const Failure& failure) {
  const Frame* frame = current_frame;
  if (frame == nullptr) std::abort();
  if (frame->failure == TENON_OK && frame->call != nullptr) {
    frame->failure = report_failure(frame->call, failure.status(), failure.message());
  }
  return T();
}

#endif

/// Runs a function and ignores its exceptions.
template <class Body>
void ignoring_exceptions(Body&& body) noexcept {
#if defined(__cpp_exceptions)
  try {
    body();
  } catch (...) {
  }
#else
  body();
#endif
}

}  // namespace detail

/// Makes the method that runs on this thread fail: throws the failure. Without exceptions it stores
/// the failure and returns, and the method has to return; the first failure counts. The process is
/// then aborted on a thread that the host has not called.
inline void fail(const Failure& failure) {
  detail::raise<void>(failure);
}
/// The same for a new failure; see Failure.
template <class... Parts>
void fail(tenon_status status, const Parts&... parts) {
  fail(Failure(status, parts...));
}

/// Returns whether the method that runs on this thread has failed but not returned, which is only
/// possible without exceptions.
inline bool failed() noexcept {
#if defined(__cpp_exceptions)
  return false;
#else
  return detail::current_frame != nullptr && detail::current_frame->failure != TENON_OK;
#endif
}
}  // namespace tenon::sdk
