// SPDX-License-Identifier: BSL-1.0
//
// What is read of the counts of a method while threads call it.
#include <tenon/detail/intercept.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tenon::tests { namespace {

using detail::CountedCall;
using detail::MethodCounter;
using detail::UntimedCall;

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
  // If calls in flight are not counted, this does not end.
  for (int i = 0; i < 100'000 || most == 0; ++i) {
    CallCounts counts;
    counter.add_to(counts);
    most = std::max(most, counts.in_flight);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, callers);
}

/// Gives the calling thread a shard of its own, and returns it once a call is not timed.
MethodCounter::Shard& untimed(MethodCounter& counter) {
  if (detail::this_thread_record() == nullptr) detail::attach_thread();
  while (counter.untimed_shard() == nullptr) {
    counter.add(counter.shard(), &MethodCounter::Shard::begun, std::memory_order_relaxed);
    counter.record(counter.shard(), MethodCounter::now(), false);
  }
  return *counter.untimed_shard();
}

TEST(UntimedCall, CountsFailuresAndExceptions) {
  MethodCounter counter;
  MethodCounter::Shard& shard = untimed(counter);
  const std::uint64_t before = shard.begun.load();
  UntimedCall(shard).ended(TENON_OK);
  UntimedCall(shard).ended(TENON_UNIMPLEMENTED);
  EXPECT_EQ(shard.failed.load(), 0u);
  UntimedCall(shard).ended(TENON_ABORTED);
  try {
    const UntimedCall thrown(shard);
    EXPECT_EQ(shard.begun.load(), before + 4);
    EXPECT_EQ(shard.ended.load(), 3u);
    throw std::runtime_error("thrown");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(shard.failed.load(), 2u);
  EXPECT_EQ(shard.ended.load(), 4u);
}

TEST(MethodCounter, TimesTheNextCallAfterAnInterval) {
  MethodCounter counter;
  MethodCounter::Shard& shard = untimed(counter);
  std::size_t calls = 0;
  for (; counter.untimed_shard() != nullptr; ++calls) UntimedCall(shard).ended(TENON_OK);
  EXPECT_EQ(calls, 63u);
}

TEST(MethodCounter, TimesTheNextCallIfAsked) {
  MethodCounter counter;
  untimed(counter);
  counter.time_next();
  EXPECT_EQ(counter.untimed_shard(), nullptr);
}

TEST(MethodCounter, TimesAllCallsOfAThreadWithoutARecord) {
  MethodCounter counter;
  untimed(counter);
  std::thread([&] { EXPECT_EQ(counter.untimed_shard(), nullptr); }).join();
}

}}  // namespace tenon::tests
