// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/frame.hpp: the function of the plugin that runs on a thread. For the SDK; authors do
// not use it directly.
#pragma once

#include <tenon/abi.h>

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

namespace tenon::sdk::detail {

/// A function of the plugin that the host has called on this thread. Frames nest; the innermost one
/// is current.
struct Frame {
  tenon_call* call;
  const tenon_create_request* creating;  // while an instance is created; otherwise nullptr
#if !defined(__cpp_exceptions)
  mutable tenon_status failure = TENON_OK;  // of the function, unless it is TENON_OK
#endif
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

}  // namespace tenon::sdk::detail
