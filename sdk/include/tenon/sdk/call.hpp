// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/call.hpp: the call that a method serves: its cancellation, its deadline, and waits.
#pragma once

#include <tenon/abi.h>
#include <tenon/cancel_reason.hpp>
#include <tenon/sdk/failure.hpp>
#include <tenon/sdk/frame.hpp>
#include <tenon/values.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

namespace tenon::sdk {

using tenon::CancelReason;

/// The call of a method that is running. Valid until the method returns; until then its functions
/// may be called from any thread. Passed by value. An empty Call, `Call(nullptr)`, is never
/// cancelled; a method that a test calls directly gets one.
class Call {
 public:
  /// Refers to `raw` and does not own it. nullptr makes an empty Call.
  explicit Call(tenon_call* raw) noexcept : raw_(raw) {}

  /// Returns whether the call is cancelled. A cancelled method should fail as soon as it can.
  bool cancelled() const noexcept { return cancel_reason() != CancelReason::none; }
  /// Returns why the call is cancelled; `CancelReason::none` if it is not.
  CancelReason cancel_reason() const noexcept {
    if (raw_ == nullptr) return CancelReason::none;
    return static_cast<CancelReason>(raw_->functions->cancelled(raw_));
  }

  /// Throws Failure if the call is cancelled: TENON_DEADLINE_EXCEEDED if the deadline has passed,
  /// otherwise TENON_CANCELLED.
  void check() const { throw_if_cancelled(cancel_reason()); }

  /// Waits for `duration`; a negative one counts as 0. Throws Failure as `check` does, as soon as
  /// the call is cancelled.
  void wait(Duration duration) const {
    if (raw_ == nullptr) {
      std::this_thread::sleep_for(duration);
    } else {
      // A negative timeout of the C function never passes.
      const tenon_duration timeout = std::max(duration, Duration::zero()).count();
      throw_if_cancelled(static_cast<CancelReason>(raw_->functions->wait(raw_, timeout)));
    }
  }

  /// Returns the time at which the caller stops waiting; nothing if there is no deadline.
  std::optional<std::chrono::steady_clock::time_point> deadline() const noexcept {
    if (raw_ == nullptr || raw_->deadline == INT64_MAX) return std::nullopt;
    return std::chrono::steady_clock::time_point(Duration(raw_->deadline));
  }

  /// Returns the C struct of the call, for tenon_allocate and for calls to other plugins; nullptr
  /// for an empty Call.
  tenon_call* raw() const noexcept { return raw_; }

 private:
  static void throw_if_cancelled(CancelReason reason) {
    if (reason == CancelReason::deadline) {
      fail(TENON_DEADLINE_EXCEEDED, "the deadline of the call has passed");
    } else if (reason != CancelReason::none) {
      fail(TENON_CANCELLED, "the call was cancelled");
    }
  }

  tenon_call* raw_;
};

#if defined(__cpp_exceptions)
namespace detail {

/// Returns whether the method may succeed when it is called again after the exception that is being
/// handled. A cancellation by a restart counts: if the restart fails, the instance is still used.
/// REQUIRES: called in a handler.
inline bool may_succeed_later(Call call) {
  if (call.cancel_reason() == CancelReason::restart) return true;
  try {
    throw;
  } catch (const Failure& failure) {
    return (failure.status() & TENON_RETRYABLE) != 0;
  } catch (const std::system_error& error) {
    return (status_of(error.code()) & TENON_RETRYABLE) != 0;
  } catch (...) {
    return false;
  }
}

}  // namespace detail
#endif
}  // namespace tenon::sdk
