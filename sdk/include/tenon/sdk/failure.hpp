// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/failure.hpp: how a method fails. An author throws; the SDK turns what was thrown into a
// status and a message, and lets no exception out of the plugin.
#pragma once

#include <tenon/abi.h>
#include <tenon/sdk/text.hpp>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tenon::sdk {

/// A status with its message:
///
///   throw Failure(TENON_NOT_FOUND, "no table ", name);
///   throw Failure(TENON_UNAVAILABLE, "the server does not answer").retryable();
///
/// Other exceptions may be thrown as well: std::invalid_argument becomes TENON_INVALID_ARGUMENT,
/// std::bad_alloc TENON_RESOURCE_EXHAUSTED, std::system_error the status that fits its code, any
/// other std::exception TENON_UNKNOWN, and the rest TENON_INTERNAL. Each is an error of the call
/// alone; only a failure that is `fatal` restarts the module.
class Failure : public std::exception {
 public:
  /// `status` is one of the codes, with flags where wanted; the message is made of the parts.
  template <class... Parts>
  explicit Failure(tenon_status status, const Parts&... parts)
      : status_(status), message_(text(parts...)) {}

  /// The same failure, saying that the same call may succeed later.
  Failure retryable() const { return with(TENON_RETRYABLE); }
  /// The same failure, asking for a restart of the module.
  Failure fatal() const { return with(TENON_FATAL); }

  tenon_status status() const noexcept { return status_; }
  const char* what() const noexcept override { return message_.c_str(); }
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

/// What a method answers that the plugin does not have.
inline Failure unimplemented(std::string_view method) {
  return Failure(TENON_UNIMPLEMENTED, "the plugin has no ", method);
}

/// The status that fits an error of the system.
inline tenon_status status_of(const std::error_code& error) {
  constexpr std::pair<std::errc, tenon_status> known[] = {
      {std::errc::no_such_file_or_directory, TENON_NOT_FOUND},
      {std::errc::permission_denied, TENON_PERMISSION_DENIED},
      {std::errc::operation_not_permitted, TENON_PERMISSION_DENIED},
      {std::errc::read_only_file_system, TENON_PERMISSION_DENIED},
      {std::errc::file_exists, TENON_ALREADY_EXISTS},
      {std::errc::not_enough_memory, TENON_RESOURCE_EXHAUSTED},
      {std::errc::no_space_on_device, TENON_RESOURCE_EXHAUSTED},
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
  return TENON_UNKNOWN;
}

/// The failure of a function of the system that set errno to `error`:
/// `throw system_failure(errno, "cannot open ", path)` says why.
template <class... Parts>
Failure system_failure(int error, const Parts&... parts) {
  std::error_code code(error, std::generic_category());
  return Failure(status_of(code), parts..., ": ", code.message());
}

namespace detail {

/// Tells the call why it fails. An empty message leaves what was told before.
inline tenon_status tell(tenon_call* call, tenon_status status, std::string_view message) noexcept {
  if (TENON_CODE(status) == TENON_OK) status |= TENON_UNKNOWN;
  if (!message.empty()) call->functions->fail(call, status, {message.data(), message.size()});
  return status;
}

/// The status of the exception that is being handled, told to the call.
/// REQUIRED: called in a handler.
inline tenon_status tell_exception(tenon_call* call) noexcept {
  try {
    throw;
  } catch (const Failure& failure) {
    return tell(call, failure.status(), failure.message());
  } catch (const std::invalid_argument& error) {
    return tell(call, TENON_INVALID_ARGUMENT, error.what());
  } catch (const std::bad_alloc&) {
    return tell(call, TENON_RESOURCE_EXHAUSTED, "out of memory");
  } catch (const std::system_error& error) {
    return tell(call, status_of(error.code()), error.what());
  } catch (const std::exception& error) {
    return tell(call, TENON_UNKNOWN, error.what());
  } catch (...) {
    return tell(call, TENON_INTERNAL, "an exception that is no std::exception");
  }
}

}  // namespace detail
}  // namespace tenon::sdk
