// SPDX-License-Identifier: BSL-1.0
//
// A clock that a test moves. The program is linked with test_clock.cpp and test_clock_args, so that
// its own code, and that of its static libraries, reads std::chrono::steady_clock here.
//
//   TestClock clock;
//   const CallSlot::Scope writing(slot, "write_batch");
//   clock.advance(1h);
#pragma once

#include <chrono>

namespace tenon::tests {

/// Stops the clock while it exists. Waits until a time on the clock end at that time on the clock of
/// the system, so the code under test must not wait for a time to which the test advances.
class TestClock {
 public:
  TestClock();
  ~TestClock();
  TestClock(const TestClock&) = delete;
  TestClock& operator=(const TestClock&) = delete;

  void advance(std::chrono::nanoseconds time) noexcept;
};

}  // namespace tenon::tests
