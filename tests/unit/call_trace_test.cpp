// SPDX-License-Identifier: BSL-1.0
//
// The calls and events that a host keeps until they are written to a trace.
#include "call/call_trace.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "control/trace_text.hpp"

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

TEST(CallTraces, KeepThirtyThousandCallsAndAThousandEvents) {
  CallTrace trace;
  ASSERT_TRUE(trace.begin());
  for (const std::size_t more : {0, 1, 300'000}) {
    for (std::size_t i = 0; i < 32'768 + more; ++i) trace.add({.begin = 1});
    for (std::size_t i = 0; i < 1'000 + more; ++i) trace.add(Event{});
    const auto taken = trace.take();
    EXPECT_EQ(taken.calls.size(), 32'768u);
    EXPECT_EQ(taken.lost_calls, more);
    EXPECT_EQ(taken.events.size(), 1'000u);
    EXPECT_EQ(taken.lost_events, more);
  }
}

TEST(CallTraces, AreWrittenAThousandCallsAtATime) {
  const auto trace = std::make_shared<CallTrace>();
  ASSERT_TRUE(trace->begin());
  for (int i = 0; i < 10'001; ++i) trace->add({.begin = 1});
  detail::TraceText text(trace, "photo");
  const auto written = [&] {
    json::Writer out;
    out.begin_array();
    return text.write(out);
  };
  // The first part names the process, the thread and the method as well.
  const std::size_t first = written();
  EXPECT_GE(first, 1'000u);
  EXPECT_LE(first, 1'003u);
  for (int part = 1; part < 10; ++part) EXPECT_EQ(written(), 1'000u);
  EXPECT_EQ(written(), 1u);
  EXPECT_EQ(written(), 0u);
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
