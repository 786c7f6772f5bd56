// SPDX-License-Identifier: BSL-1.0
//
// HostOptions::count_calls and Host::count_calls count the calls of methods.
#include <gtest/gtest.h>
#include <test/echo.hpp>
#include <test/probe.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
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
  EXPECT_FALSE(probe->refuse(TENON_UNIMPLEMENTED, "no")) << "not a failure";

  EXPECT_EQ(method(host, probes, "word").plugin, "test.example/probe");
  EXPECT_EQ(method(host, probes, "word").calls, 3u);
  EXPECT_EQ(method(host, probes, "word").failures, 0u);
  EXPECT_EQ(method(host, probes, "refuse").calls, 3u);
  EXPECT_EQ(method(host, probes, "refuse").failures, 1u);
  EXPECT_EQ(module(host, probes).methods.size(), 2u) << "only the called ones";
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

std::uint64_t timed(const MethodCalls& method) {
  std::uint64_t calls = 0;
  for (const TimedCalls& one : method.timed) calls += one.calls;
  return calls;
}

TEST_F(CallCounters, TimeOneOf64ShortCalls) {
  Host host(counting());
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_TRUE(probe->word());
  EXPECT_EQ(timed(method(host, probes, "word")), 1u) << "the first one";
  for (int call = 1; call < 64'000; ++call) EXPECT_TRUE(probe->word());
  EXPECT_GE(timed(method(host, probes, "word")), 1000u);
}

TEST_F(CallCounters, TimeEachLongCall) {
  Host host(counting());
  auto probe = host.create<test::Probe>("probe").value();
  const auto begin = std::chrono::steady_clock::now();
  for (int call = 0; call < 20; ++call) {
    EXPECT_TRUE(probe->pause(std::chrono::milliseconds(2), false));
  }
  const auto all = std::chrono::steady_clock::now() - begin;
  const MethodCalls pause = method(host, probes, "pause");
  EXPECT_EQ(timed(pause), 20u);
  EXPECT_GE(pause.timed.front().below, std::chrono::milliseconds(2));
  EXPECT_GE(pause.timed_sum, std::chrono::milliseconds(40));
  EXPECT_LE(pause.timed_sum, all);
  EXPECT_EQ(pause.time_of(1), pause.timed.back().below);
  EXPECT_EQ(pause.time_of(0), pause.timed.front().below);
}

TEST_F(CallCounters, AreSwitchedWhileCallsAreInProgress) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  Call call;
  std::thread inside([&] { static_cast<void>(probe->pause(call, std::chrono::hours(1), false)); });
  EXPECT_TRUE(probe->word());
  host.count_calls(true);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(probe->word());
  auto later = host.create<test::Probe>("probe").value();
  EXPECT_TRUE(later->word());
  EXPECT_EQ(method(host, probes, "word").calls, 4u);
  host.count_calls(false);
  EXPECT_TRUE(probe->word());
  EXPECT_TRUE(later->word());
  EXPECT_EQ(method(host, probes, "word").calls, 4u) << "the counts stay";
  call.cancel();
  inside.join();
  auto last = host.create<test::Probe>("probe").value();
  EXPECT_TRUE(host.restart(probes));
  host.count_calls(true);
  for (auto* each : {&probe, &later, &last}) EXPECT_TRUE((*each)->word());
  EXPECT_EQ(method(host, probes, "word").calls, 7u);
  EXPECT_TRUE(host.restart(probes));
  EXPECT_TRUE(last->word());
  EXPECT_EQ(method(host, probes, "word").calls, 8u) << "also in the next generation";
}

TEST_F(CallCounters, AreSwitchedForManyInstances) {
  Host host(options());
  std::vector<Handle<test::Probe>> instances;
  const auto call_all = [&] {
    for (auto& instance : instances) EXPECT_TRUE(instance->word());
  };
  std::uint64_t counted = 0;
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 30; ++i) instances.push_back(host.create<test::Probe>("probe").value());
    instances.erase(instances.begin() + round);  // its index is used again
    host.count_calls(round % 2 == 0);
    if (round % 2 == 0) counted += instances.size();
    call_all();
    EXPECT_EQ(method(host, probes, "word").calls, counted);
  }
}

TEST_F(CallCounters, AreSwitchedUnderCallsAndRestarts) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  std::atomic<bool> end{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!end) EXPECT_TRUE(probe->word());
    });
  }
  for (int i = 0; i < 50; ++i) {
    host.count_calls(i % 2 == 0);
    if (i % 10 == 0) {
      EXPECT_TRUE(host.restart(probes));
    }
    auto other = host.create<test::Probe>("probe").value();
    EXPECT_TRUE(other->word());
  }
  end = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(method(host, probes, "word").calls, 25u);
  EXPECT_EQ(method(host, probes, "word").in_flight, 0u);
}

TEST_F(CallCounters, AreOffByDefault) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_TRUE(probe->word());
  EXPECT_TRUE(module(host, probes).methods.empty());
}

}}  // namespace tenon::tests
