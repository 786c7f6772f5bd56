// SPDX-License-Identifier: BSL-1.0
#include "framework/test_clock.hpp"

#include <atomic>
#include <cstdint>

namespace {

constexpr std::int64_t runs = INT64_MIN;
std::atomic<std::int64_t> stopped_at = runs;

}  // namespace

// A time_point is returned as the number that it contains.
// NOLINTBEGIN(bugprone-reserved-identifier): the linker requires these names
extern "C" std::int64_t __real__ZNSt6chrono3_V212steady_clock3nowEv();
extern "C" std::int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
  const std::int64_t time = stopped_at;
  return time == runs ? __real__ZNSt6chrono3_V212steady_clock3nowEv() : time;
}
// NOLINTEND(bugprone-reserved-identifier)

namespace tenon::tests {

TestClock::TestClock() {
  stopped_at = std::chrono::steady_clock::now().time_since_epoch().count();
}

TestClock::~TestClock() {
  stopped_at = runs;
}

void TestClock::advance(std::chrono::nanoseconds time) noexcept {
  stopped_at += time.count();
}

}  // namespace tenon::tests
