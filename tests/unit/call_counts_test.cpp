// SPDX-License-Identifier: BSL-1.0
//
// What is read of the counts of a method while threads call it.
#include <tenon/detail/intercept.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace tenon::tests { namespace {

using detail::CountedCall;
using detail::MethodCounter;

TEST(CallCounts, HaveAsManyCallsInFlightAsThreadsMakeAtMost) {
  constexpr std::uint64_t callers = 4;
  MethodCounter counter;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < callers; ++i) {
    threads.emplace_back([&] {
      while (!stop) CountedCall(counter).ended(TENON_OK);
    });
  }
  std::uint64_t most = 0;
  // Often enough that this thread is suspended between two looks, also on a machine that is idle.
  for (int i = 0; i < 100'000; ++i) {
    CallCounts counts;
    counter.add_to(counts);
    most = std::max(most, counts.in_flight);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(most, 0u);
  EXPECT_LE(most, callers);
}

}}  // namespace tenon::tests
