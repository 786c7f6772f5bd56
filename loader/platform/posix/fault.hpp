// SPDX-License-Identifier: BSL-1.0
//
// A signal that ends the process by default, while it is being handled: who is to blame for it.
// Made for signal handlers: nothing here allocates or takes a lock.
#pragma once

#include <csignal>

#include "platform/containment.hpp"

namespace tenon::platform {

class Fault {
 public:
  /// With what the handler of the signal was given. Both outlive the Fault.
  Fault(int signal, siginfo_t& info, void* context) noexcept;

  /// Whether code of `image` failed by itself in the call that began at `frame` on the stack: every
  /// function between belongs to the image, but for the one that failed, which may be a leaf of the
  /// C library, or abort. Reads the stack; where that is broken it raises a fault of its own.
  bool is_of(const ImageMap& image, const void* frame) noexcept;

  /// REQUIRED: is_of answered true.
  Crash crash(std::string_view signal) const noexcept;

  /// Undoes what is_of did to the registers of the thread.
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
  const void* const code_;  // as it failed
  const void* const stack_;
  const void* own_code_ = nullptr;  // the last instruction of the image
};

/// Looks up what a Fault compares with. Before the first one is made.
void prepare_faults();

}  // namespace tenon::platform
