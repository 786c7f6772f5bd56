// SPDX-License-Identifier: BSL-1.0
//
// Finds the cause of a fatal signal while it is being handled. Async-signal-safe: nothing here
// allocates or takes a lock.
#pragma once

#include <csignal>

#include "platform/containment.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

/// A fatal signal.
class Fault {
 public:
  /// The arguments are those of the signal handler, and must outlive the Fault.
  Fault(int signal, siginfo_t& info, void* context) noexcept;

  /// Returns whether code of `image` alone caused the fault, in the call that began at `frame` on
  /// the stack: all functions since belong to the image, except that the failing function may be a
  /// leaf function of the C library, abort, or the function that a failed assert calls, and that a
  /// catch clause calls the destructor of its exception through the C++ runtime. Raises another
  /// fault if the stack is broken.
  bool is_caused_by(const ImageMap& image, const void* frame) noexcept;

  /// Returns the description of the crash. REQUIRED: is_caused_by returned true.
  Crash crash(std::string_view signal) const noexcept;

  /// Restores the registers of the thread, which is_caused_by may change.
  void restore() noexcept;

 private:
  const void* code() const noexcept;
  const void* stack() const noexcept;
  void set(const void* code, const void* stack) noexcept;
  const void* return_address() const noexcept;
  void return_to_caller() noexcept;
  bool walk(const ImageMap& image, const void* frame) noexcept;

  const int signal_;
  siginfo_t& info_;
  void* const context_;
  const void* const code_;  // at the fault
  const void* const stack_;
  const void* own_code_ = nullptr;  // the last instruction of the image
};

/// Looks up functions of the C library. REQUIRED before the first Fault is created.
void prepare_faults();

}}}  // namespace tenon::v0_1::platform
