// SPDX-License-Identifier: BSL-1.0
#include "framework/test_clock.hpp"

#include <pthread.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <thread>

namespace {

constexpr std::int64_t runs = INT64_MIN;
constexpr int many = 16;
constexpr std::int64_t longest_wait = 10'000'000'000;  // nanoseconds

std::atomic<std::int64_t> stopped_at = runs;
std::atomic<int> waits = 0;  // that have ended

timespec in_a_millisecond() {
  constexpr long second = 1'000'000'000;
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  time.tv_nsec += second / 1000;
  if (time.tv_nsec >= second) {
    time.tv_nsec -= second;
    ++time.tv_sec;
  }
  return time;
}

}  // namespace

// A time_point is returned as the number that it contains.
// NOLINTBEGIN(bugprone-reserved-identifier): the linker requires these names
extern "C" std::int64_t __real__ZNSt6chrono3_V212steady_clock3nowEv();
extern "C" std::int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
  const std::int64_t time = stopped_at;
  return time == runs ? __real__ZNSt6chrono3_V212steady_clock3nowEv() : time;
}

extern "C" int __real_pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                             clockid_t clock, const timespec* until);
extern "C" int __wrap_pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                             clockid_t clock, const timespec* until) {
  if (stopped_at == runs || clock != CLOCK_MONOTONIC)
    return __real_pthread_cond_clockwait(condition, mutex, clock, until);
  const timespec soon = in_a_millisecond();
  __real_pthread_cond_clockwait(condition, mutex, clock, &soon);
  ++waits;
  return 0;  // the caller compares the time with the clock
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

void TestClock::settle() const noexcept {
  const std::int64_t limit = __real__ZNSt6chrono3_V212steady_clock3nowEv() + longest_wait;
  for (const int until = waits + many; waits < until;) {
    if (__real__ZNSt6chrono3_V212steady_clock3nowEv() > limit) return;
    std::this_thread::yield();
  }
}

}  // namespace tenon::tests
