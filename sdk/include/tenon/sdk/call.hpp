// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/call.hpp: the call that a method is answering: whether it is still wanted, and how to
// wait.
#pragma once

#include <tenon/abi.h>
#include <tenon/sdk/failure.hpp>
#include <tenon/values.hpp>

#include <chrono>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

// What belongs to one module alone: never shared with another one or with the host.
#if defined(_WIN32)
#define TENON_SDK_LOCAL
#else
#define TENON_SDK_LOCAL __attribute__((visibility("hidden")))
#endif

// What each call of a method runs.
#if defined(_MSC_VER)
#define TENON_SDK_ALWAYS_INLINE __forceinline
#else
#define TENON_SDK_ALWAYS_INLINE __attribute__((always_inline)) inline
#endif

namespace tenon::sdk {
namespace detail {

/// The function that the host has called on a thread. Frames nest; the innermost one is current.
struct Frame {
  tenon_call* call;
  const tenon_create_request* creating;  // while an instance is made
};

// No destructor: one would keep the module from being unloaded.
TENON_SDK_LOCAL inline thread_local const Frame* current_frame = nullptr;

/// Where the current frame of this thread stands. In a module that is loaded at run time it takes a
/// call of the C library to find that, so compilers may not find it a second time.
inline const Frame** place_of_frame() noexcept {
  const Frame** place = &current_frame;
#if defined(__GNUC__)
  __asm__("" : "+r"(place));
#endif
  return place;
}

/// Makes a frame current as long as it lives.
class Inside {
 public:
  explicit Inside(const Frame& frame) noexcept : current_(place_of_frame()), outer_(*current_) {
    *current_ = &frame;
  }
  ~Inside() { *current_ = outer_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  const Frame** const current_;
  const Frame* const outer_;
};

/// The call of the method that runs on this thread; NULL where none does.
inline tenon_call* current_call() noexcept {
  return current_frame != nullptr ? current_frame->call : nullptr;
}

/// For which instance this thread makes an object; nothing where it makes none.
inline tenon_create_request creating() noexcept {
  const bool creates = current_frame != nullptr && current_frame->creating != nullptr;
  return creates ? *current_frame->creating : tenon_create_request{};
}

}  // namespace detail

/// Whether a call is cancelled, and why.
enum class Cancelled : std::int32_t {
  no = TENON_NOT_CANCELLED,
  by_caller = TENON_CANCELLED_BY_CALLER,
  by_deadline = TENON_CANCELLED_BY_DEADLINE,
  by_restart = TENON_CANCELLED_BY_RESTART,
};

/// The call of the method that runs; ends with the method. Passed by value. Its functions may be
/// used from any thread until then. A Call made of nothing is never cancelled; methods that a test
/// calls directly see one.
class Call {
 public:
  explicit Call(tenon_call* raw) noexcept : raw_(raw) {}

  /// Whether the method shall end now, with a failure.
  bool cancelled() const noexcept { return reason() != Cancelled::no; }
  Cancelled reason() const noexcept {
    if (raw_ == nullptr) return Cancelled::no;
    return static_cast<Cancelled>(raw_->functions->cancelled(raw_));
  }

  /// Ends the method when it is cancelled. Throws Failure.
  void check() const { end_if(reason()); }

  /// Waits. Ends the method when it is cancelled, at once. Throws Failure.
  void wait(Duration duration) const {
    if (raw_ == nullptr) {
      std::this_thread::sleep_for(duration);
    } else {
      end_if(static_cast<Cancelled>(raw_->functions->wait(raw_, duration.count())));
    }
  }

  /// When the caller stops waiting, if ever.
  std::optional<std::chrono::steady_clock::time_point> deadline() const noexcept {
    if (raw_ == nullptr || raw_->deadline == INT64_MAX) return std::nullopt;
    return std::chrono::steady_clock::time_point(Duration(raw_->deadline));
  }

  /// What crosses the ABI: for tenon_allocate and for calls to other plugins. NULL in a Call
  /// made of nothing.
  tenon_call* raw() const noexcept { return raw_; }

 private:
  static void end_if(Cancelled reason) {
    if (reason == Cancelled::by_deadline) {
      throw Failure(TENON_DEADLINE_EXCEEDED, "the deadline of the call has passed");
    }
    if (reason != Cancelled::no) throw Failure(TENON_CANCELLED, "the call was cancelled");
  }

  tenon_call* raw_;
};

namespace detail {

/// Returns whether the method may succeed when it is called again after the exception that is being
/// handled. A restart of the module may fail; then the instance is still used.
/// REQUIRED: called in a handler.
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
