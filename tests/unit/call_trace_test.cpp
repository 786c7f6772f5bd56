// SPDX-License-Identifier: BSL-1.0
//
// The calls and events that a host keeps until they are written to a trace.
#include "call/call_trace.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <thread>
#include <vector>

namespace tenon::tests { namespace {

using detail::CallTrace;

TEST(CallTraces, KeepCallsInTheirOrder) {
  CallTrace trace;
  ASSERT_TRUE(trace.begin());
  for (std::int64_t i = 0; i < 10; ++i) trace.add({.begin = i});
  trace.add(Event{.package = "me.example/blur"});
  const auto taken = trace.take();
  ASSERT_EQ(taken.calls.size(), 10u);
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(taken.calls[i].begin, i);
  ASSERT_EQ(taken.events.size(), 1u);
  EXPECT_EQ(taken.events[0].event.package, "me.example/blur");
  EXPECT_EQ(trace.take().calls.size(), 0u);
}

TEST(CallTraces, CountWhatIsLost) {
  CallTrace trace;
  ASSERT_TRUE(trace.begin());
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < CallTrace::most_calls + 7; ++i) trace.add({.method = 1});
    for (std::size_t i = 0; i < CallTrace::most_events + 3; ++i) trace.add(Event{});
    const auto taken = trace.take();
    EXPECT_EQ(taken.calls.size(), CallTrace::most_calls);
    EXPECT_EQ(taken.lost_calls, 7u);
    EXPECT_EQ(taken.events.size(), CallTrace::most_events);
    EXPECT_EQ(taken.lost_events, 3u);
  }
}

TEST(CallTraces, AreRecordedOneAtATime) {
  CallTrace trace;
  ASSERT_TRUE(trace.begin());
  EXPECT_FALSE(trace.begin());
  trace.add({.begin = 1});
  trace.end();
  EXPECT_FALSE(trace.is_on());
  ASSERT_TRUE(trace.begin());
  EXPECT_TRUE(trace.take().calls.empty()) << "those of the previous trace";
}

TEST(CallTraces, LoseNoCallOfThreadsUncounted) {
  constexpr std::int64_t each = 50'000;
  constexpr int count = 4;
  CallTrace trace;
  ASSERT_TRUE(trace.begin());
  std::vector<std::thread> threads;
  for (std::int32_t number = 0; number < count; ++number) {
    threads.emplace_back([&trace, number] {
      for (std::int64_t i = 0; i < each; ++i) trace.add({.thread = number, .begin = i});
    });
  }
  std::array<std::int64_t, count> next{};  // calls of one thread stay in their order
  std::uint64_t seen = 0;
  const auto take = [&] {
    const auto taken = trace.take();
    for (const auto& call : taken.calls) {
      EXPECT_GE(call.begin, next[call.thread]);
      next[call.thread] = call.begin + 1;
    }
    seen += taken.calls.size() + taken.lost_calls;
  };
  while (seen < each * count / 2) take();
  for (std::thread& thread : threads) thread.join();
  take();
  EXPECT_EQ(seen, static_cast<std::uint64_t>(each * count));
}

}}  // namespace tenon::tests
