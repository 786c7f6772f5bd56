// SPDX-License-Identifier: BSL-1.0
//
// Reports of calls that do not return.
#include "pipeline/open_calls.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <regex>
#include <semaphore>
#include <string>
#include <vector>

#include "framework/test_clock.hpp"
#include "pipeline/stall_watch.hpp"

namespace pipeline { namespace {

using namespace std::chrono_literals;

/// Replaces the durations in descriptions of calls.
std::vector<std::string> at_any_time(std::vector<std::string> calls) {
  for (std::string& call : calls) {
    call = std::regex_replace(call, std::regex(" [0-9]+ s$"), " N s");
  }
  return calls;
}

TEST(OpenCalls, ListCallsThatHaveNotReturned) {
  OpenCalls calls([](const std::string&) {}, 1h);
  CallSlot& one = calls.add("x.example/one");
  CallSlot& two = calls.add("x.example/two");
  const CallSlot::Scope reading(one, "read");
  {
    const CallSlot::Scope writing(two, "write");
    EXPECT_EQ(at_any_time(calls.longer_than(0s)),
              (std::vector<std::string>{"x.example/one: read has not returned for N s",
                                        "x.example/two: write has not returned for N s"}));
  }
  EXPECT_EQ(at_any_time(calls.longer_than(0s)),
            std::vector<std::string>{"x.example/one: read has not returned for N s"});
  EXPECT_EQ(calls.longer_than(1h), std::vector<std::string>());
}

TEST(OpenCalls, HaveStalledIfOneOfThemLasts) {
  tenon::tests::TestClock clock;
  OpenCalls calls([](const std::string&) {}, 1h);
  CallSlot& slot = calls.add("x.example/one");
  for (int i = 0; i < 10; ++i) {
    const CallSlot::Scope writing(slot, "write_batch");
    clock.advance(29s);
    EXPECT_TRUE(stalls(calls, 30s).empty()) << "slow calls, one after the other";
  }
  const CallSlot::Scope writing(slot, "write_batch");
  clock.advance(30s - 1ns);
  EXPECT_TRUE(stalls(calls, 30s).empty());
  clock.advance(1ns);
  ASSERT_EQ(stalls(calls, 30s).size(), 1u);
  EXPECT_EQ(stalls(calls, 30s)[0].lasted, 30s);
}

TEST(OpenCalls, ThatWaitForRecordsAreNoStall) {
  tenon::tests::TestClock clock;
  OpenCalls calls([](const std::string&) {}, 1h);
  const CallSlot::Scope reading(calls.add("x.example/one"), "read_batch");
  const CallSlot::Scope collecting(calls.add("x.example/two"), "next_acks");
  clock.advance(24h);
  EXPECT_TRUE(stalls(calls, 1s).empty());
}

TEST(OpenCalls, AreReportedRepeatedlyAfterTheEnd) {
  std::counting_semaphore<> reported(0);
  OpenCalls calls(
      [&](const std::string& call) {
        EXPECT_TRUE(call.starts_with("x.example/one: read has not returned for ")) << call;
        reported.release();
      },
      1ms);
  const CallSlot::Scope reading(calls.add("x.example/one"), "read");
  EXPECT_FALSE(reported.try_acquire()) << "reported before the end";
  calls.end();
  for (int times = 0; times < 3; ++times) reported.acquire();
}

}}  // namespace pipeline
