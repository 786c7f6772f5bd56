// SPDX-License-Identifier: BSL-1.0
//
// The floating-point modes of a thread.
#pragma once

#include <cstdint>

namespace tenon { inline namespace v0_1 { namespace platform {

/// The modes of the current thread when this was created, eg the direction of rounding. Functions
/// must preserve them. After a crash they are lost: the function may have changed them, and Linux
/// on x86-64 starts signal handlers with the default ones.
class FloatModes {
 public:
#if defined(__x86_64__)
  FloatModes() noexcept {
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(sse_), "=m"(x87_));
  }
  void restore() const noexcept {
    __asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(sse_), "m"(x87_));
  }
  /// Restores the modes if they have changed, and returns whether they had. Keeps the flags of
  /// exceptions that have occurred.
  bool restore_changed() const noexcept {
    constexpr std::uint32_t flags = 0x3f;
    FloatModes now;
    if (((now.sse_ ^ sse_) & ~flags) == 0 && now.x87_ == x87_) return false;
    now.sse_ = (sse_ & ~flags) | (now.sse_ & flags);
    now.x87_ = x87_;
    now.restore();
    return true;
  }

 private:
  std::uint32_t sse_;
  std::uint16_t x87_;
#elif defined(__aarch64__)
  FloatModes() noexcept {
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr_));
  }
  void restore() const noexcept {
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr_));
  }
  bool restore_changed() const noexcept {
    const bool changed = FloatModes().fpcr_ != fpcr_;
    if (changed) restore();
    return changed;
  }

 private:
  std::uint64_t fpcr_;
#else  // not implemented for other processors
  void restore() const noexcept {}
  bool restore_changed() const noexcept {
    return false;
  }
#endif
};

}}}  // namespace tenon::v0_1::platform
