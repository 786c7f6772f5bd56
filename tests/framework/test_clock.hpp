// SPDX-License-Identifier: BSL-1.0
//
// A clock that a test moves. The program is linked with test_clock.cpp and test_clock_args, so that
// its own code, and that of its static libraries, reads std::chrono::steady_clock here, and waits
// for condition variables until a time on this clock.
//
//   TestClock clock;
//   const CallSlot::Scope writing(slot, "write_batch");
//   clock.advance(1h);
#pragma once

#include <chrono>

namespace tenon::tests {

/// Stops the clock while it exists. Waits for a time that begin meanwhile wake up spuriously every
/// millisecond, and end when the test has advanced the clock that far. Other waits are as always.
class TestClock {
 public:
  TestClock();
  ~TestClock();
  TestClock(const TestClock&) = delete;
  TestClock& operator=(const TestClock&) = delete;

  void advance(std::chrono::nanoseconds time) noexcept;
  /// Waits until threads have looked at the clock many times, or for ten seconds of real time if
  /// none waits for a time.
  void settle() const noexcept;
};

}  // namespace tenon::tests
