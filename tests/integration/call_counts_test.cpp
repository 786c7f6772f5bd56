// SPDX-License-Identifier: BSL-1.0
//
// HostOptions::count_calls counts the calls of methods.
#include <gtest/gtest.h>
#include <test/echo.hpp>
#include <test/probe.hpp>

#include <string>
#include <thread>
#include <vector>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

class CallCounters : public Hosting {
 protected:
  CallCounters() {
    place("probe-of-unruly.so", "probe.so");
    place_fault("unruly");
  }
  HostOptions counting() {
    HostOptions all = options();
    all.count_calls = true;
    return all;
  }
  static MethodCalls method(const Host& host, std::string_view package, std::string_view name) {
    for (const MethodCalls& calls : module(host, package).methods) {
      if (calls.method == name) return calls;
    }
    return {};
  }
};

TEST_F(CallCounters, CountCallsAndFailures) {
  Host host(counting());
  auto probe = host.create<test::Probe>("probe", {{"word", "first"}}).value();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(probe->word());
  EXPECT_FALSE(probe->refuse(TENON_ABORTED, "no"));
  EXPECT_TRUE(probe->refuse(TENON_OK, ""));

  EXPECT_EQ(method(host, probes, "word").plugin, "test.example/probe");
  EXPECT_EQ(method(host, probes, "word").calls, 3u);
  EXPECT_EQ(method(host, probes, "word").failures, 0u);
  EXPECT_EQ(method(host, probes, "refuse").calls, 2u);
  EXPECT_EQ(method(host, probes, "refuse").failures, 1u);
  EXPECT_EQ(method(host, probes, "configure").calls, 1u);
  EXPECT_EQ(module(host, probes).methods.size(), 3u) << "only the called ones";
  EXPECT_EQ(module(host, probes).calls.calls, 6u);
  EXPECT_EQ(module(host, probes).calls.failures, 1u);
  EXPECT_EQ(module(host, probes).calls.in_flight, 0u);
}

TEST_F(CallCounters, CountCallsInFlight) {
  Host host(counting());
  auto probe = host.create<test::Probe>("probe").value();
  Call call;
  std::thread inside([&] { static_cast<void>(probe->pause(call, std::chrono::hours(1), false)); });
  EXPECT_TRUE(eventually([&] { return method(host, probes, "pause").in_flight == 1; }));
  call.cancel();
  inside.join();
  EXPECT_EQ(method(host, probes, "pause").in_flight, 0u);
}

TEST_F(CallCounters, CountCallsOfAllThreadsAndGenerations) {
  Host host(counting());
  auto probe = host.create<test::Probe>("probe").value();
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&] {
      for (int call = 0; call < 100; ++call) EXPECT_TRUE(probe->word());
    });
  }
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(host.restart(probes));
  for (std::thread& thread : threads) thread.join();
  place("probe-v2.so", "probe.so");
  EXPECT_TRUE(host.restart(probes));
  EXPECT_TRUE(probe->word()) << "in another version of the kind";
  EXPECT_EQ(method(host, probes, "word").calls, 2001u);
  EXPECT_EQ(method(host, probes, "word").in_flight, 0u);
}

TEST_F(CallCounters, CountExceptionsAsFailures) {
  Host host(counting());
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_FALSE(probe->ask("unruly", "throw an exception"));
  EXPECT_EQ(method(host, "test.example/unruly", "say").failures, 1u);
  EXPECT_EQ(method(host, "test.example/unruly", "say").in_flight, 0u);
  EXPECT_EQ(method(host, probes, "ask").failures, 1u);
}

TEST_F(CallCounters, AreOffByDefault) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_TRUE(probe->word());
  EXPECT_TRUE(module(host, probes).methods.empty());
}

}}  // namespace tenon::tests
