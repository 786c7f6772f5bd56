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
