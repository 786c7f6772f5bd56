// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/call.hpp: the call that a method serves: its cancellation, its deadline, and waits.
#pragma once

#include <tenon/abi.h>
#include <tenon/sdk/failure.hpp>
#include <tenon/values.hpp>

#include <chrono>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

// Marks symbols that are private to one module: never shared with another module or with the host.
#if defined(_WIN32)
#define TENON_SDK_LOCAL
#else
#define TENON_SDK_LOCAL __attribute__((visibility("hidden")))
#endif

// Marks code that every call of a method runs.
#if defined(_MSC_VER)
#define TENON_SDK_ALWAYS_INLINE __forceinline
#else
#define TENON_SDK_ALWAYS_INLINE __attribute__((always_inline)) inline
#endif

namespace tenon::sdk {
namespace detail {

/// A function of the plugin that the host has called on this thread. Frames nest; the innermost one
/// is current.
struct Frame {
  tenon_call* call;
  const tenon_create_request* creating;  // while an instance is created; otherwise nullptr
};

// A plain pointer: a thread-local with a destructor would keep the module from being unloaded.
TENON_SDK_LOCAL inline thread_local const Frame* current_frame = nullptr;

/// Returns the address of `current_frame` of this thread. In a module that is loaded at run time
/// the look-up is a call of the C library; the barrier keeps compilers from repeating it.
inline const Frame** current_frame_address() noexcept {
  const Frame** address = &current_frame;
#if defined(__GNUC__)
  __asm__("" : "+r"(address));
#endif
  return address;
}

/// Makes a frame current for its own lifetime.
class CurrentFrameScope {
 public:
  explicit CurrentFrameScope(const Frame& frame) noexcept
      : current_(current_frame_address()), outer_(*current_) {
    *current_ = &frame;
  }
  ~CurrentFrameScope() { *current_ = outer_; }
  CurrentFrameScope(const CurrentFrameScope&) = delete;
  CurrentFrameScope& operator=(const CurrentFrameScope&) = delete;

 private:
  const Frame** const current_;
  const Frame* const outer_;
};

/// Returns the call of the method that runs on this thread; nullptr if none does.
inline tenon_call* current_call() noexcept {
  return current_frame != nullptr ? current_frame->call : nullptr;
}

/// Returns the request for the instance that this thread creates; zeroed if it creates none.
inline tenon_create_request creating() noexcept {
  const bool creates = current_frame != nullptr && current_frame->creating != nullptr;
  return creates ? *current_frame->creating : tenon_create_request{};
}

}  // namespace detail

/// The reason why a call was cancelled, or `no`.
enum class Cancelled : std::int32_t {
  no = TENON_NOT_CANCELLED,
  by_caller = TENON_CANCELLED_BY_CALLER,
  by_deadline = TENON_CANCELLED_BY_DEADLINE,
  by_restart = TENON_CANCELLED_BY_RESTART,
};

/// The call of a method that is running. Valid until the method returns; until then its functions
/// may be called from any thread. Passed by value. An empty Call, `Call(nullptr)`, is never
/// cancelled; a method that a test calls directly gets one.
class Call {
 public:
  /// Refers to `raw` and does not own it. nullptr makes an empty Call.
  explicit Call(tenon_call* raw) noexcept : raw_(raw) {}

  /// Returns whether the call is cancelled. A cancelled method should fail as soon as it can.
  bool cancelled() const noexcept { return reason() != Cancelled::no; }
  /// Returns why the call is cancelled; `Cancelled::no` if it is not.
  Cancelled reason() const noexcept {
    if (raw_ == nullptr) return Cancelled::no;
    return static_cast<Cancelled>(raw_->functions->cancelled(raw_));
  }

  /// Throws Failure if the call is cancelled: TENON_DEADLINE_EXCEEDED if the deadline has passed,
  /// otherwise TENON_CANCELLED.
  void check() const { throw_if_cancelled(reason()); }

  /// Waits for `duration`. Throws Failure as `check` does, as soon as the call is cancelled.
  void wait(Duration duration) const {
    if (raw_ == nullptr) {
      std::this_thread::sleep_for(duration);
    } else {
      throw_if_cancelled(static_cast<Cancelled>(raw_->functions->wait(raw_, duration.count())));
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
  static void throw_if_cancelled(Cancelled reason) {
    if (reason == Cancelled::by_deadline) {
      throw Failure(TENON_DEADLINE_EXCEEDED, "the deadline of the call has passed");
    }
    if (reason != Cancelled::no) throw Failure(TENON_CANCELLED, "the call was cancelled");
  }

  tenon_call* raw_;
};

namespace detail {

/// Returns whether the method may succeed when it is called again after the exception that is being
/// handled. A cancellation by a restart counts: if the restart fails, the instance is still used.
/// REQUIRES: called in a handler.
inline bool may_succeed_later(Call call) {
  if (call.reason() == Cancelled::by_restart) return true;
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
}  // namespace tenon::sdk
