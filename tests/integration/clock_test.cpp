// SPDX-License-Identifier: BSL-1.0
//
// What counts as late, on a clock of the test: pauses of hours, modules that fail or restart slowly
// but steadily, calls that end just in time, and functions and streams that do not end.
#include <tenon/stream.hpp>

#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/probe.hpp>
#include <test/vault.hpp>

#include <chrono>
#include <cstdint>
#include <future>
#include <string>
#include <thread>

#include "framework/test_clock.hpp"
#include "integration/hosting.hpp"
#include "integration/script.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

class Clocked : public Hosting {
 protected:
  Clocked() { place("probe-1.so", "probe.so"); }

  HostOptions with(const FailurePolicy& failures) {
    HostOptions options = this->options();
    options.restart.failures = failures;
    return options;
  }
  static void fail(Handle<test::Probe>& probe) {
    EXPECT_FALSE(probe->refuse(TENON_INTERNAL | TENON_FATAL, "broken"));
  }
  static bool reaches(const Host& host, std::uint64_t generation) {
    return eventually([&] { return module(host, probes).generation == generation; });
  }

  TestClock clock_;
};

TEST_F(Clocked, RestartsAfterThePauseAndNotBefore) {
  Host host(with({.initial_backoff = 1h, .max_backoff = 1h, .max_failures = 9, .window = 9h}));
  auto probe = host.create<test::Probe>("probe").value();
  fail(probe);
  ASSERT_TRUE(reaches(host, 2)) << "the first failure has no pause";
  fail(probe);
  clock_.advance(30min - 1ns);
  clock_.settle();
  EXPECT_EQ(module(host, probes).generation, 2u);
  clock_.advance(30min + 1ns);
  EXPECT_TRUE(reaches(host, 3));
}

TEST_F(Clocked, QuarantinesNoModuleThatFailsSlowlyButSteadily) {
  Host host(with({.initial_backoff = 0ms, .max_failures = 2, .window = 1h}));
  auto probe = host.create<test::Probe>("probe").value();
  std::uint64_t generation = 1;
  for (; generation <= 10; ++generation) {
    fail(probe);
    ASSERT_TRUE(reaches(host, generation + 1));
    clock_.advance(31min);
  }
  fail(probe);
  ASSERT_TRUE(reaches(host, generation + 1));
  fail(probe);  // the third one in an hour
  EXPECT_TRUE(eventually([&] { return module(host, probes).quarantined; }));
}

TEST_F(Clocked, RevokesAStreamThatIsReadSteadilyWhenItsTimeIsOver) {
  for (const char* name : {"giver", "taker", "stream"})
    place(std::string(name) + "-1.so", std::string(name) + ".so");
  HostOptions options = this->options();
  options.restart.drain_timeout = 1h;
  Host host(options);
  auto vault = host.create<test::Vault>("test.example/giver-vault").value();
  Reader reader = vault->get("k").value().body;
  ASSERT_TRUE(host.restart("test.example/giver"));
  std::uint8_t byte[1];
  for (int i = 0; i < 10; ++i) {
    clock_.settle();
    ASSERT_TRUE(reader.read(byte)) << "after " << i << " times 6 minutes";
    if (i < 9) clock_.advance(6min);
  }
  EXPECT_EQ(count_events(Event::Type::drained), 0u);
  clock_.advance(6min);
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::drained) == 1; }));
  EXPECT_FALSE(reader.read(byte));
}

// -- Calls --------------------------------------------------------------------

/// A deadline in an hour. Calls that are late by 20 ms are reported.
class ClockedCalls : public Clocked {
 protected:
  /// Starts a call of the plugin, which calls another one that stays until `leave`.
  void call(Handle<test::Probe>& probe) {
    leave_ = {};
    std::promise<void> inside;
    host_echo_says = [&inside, leave = leave_.get_future().share()](std::string_view) {
      inside.set_value();
      leave.wait();
      return "";
    };
    calling_ = std::thread([&probe] {
      Call call;
      call.set_timeout(1h);
      EXPECT_TRUE(probe->ask(call, "builtin:host-echo", "wait"));
    });
    inside.get_future().wait();
  }
  void leave() {
    leave_.set_value();
    calling_.join();
  }

 private:
  std::promise<void> leave_;
  std::thread calling_;
};

TEST_F(ClockedCalls, AreReportedWhenTheyAreLateAndNotBefore) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  call(probe);
  clock_.advance(1h + 20ms - 1ns);
  clock_.settle();
  EXPECT_EQ(count_events(Event::Type::call_overdue), 0u);
  clock_.advance(1ns);
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::call_overdue) == 2; }))
      << "the plugin, and the plugin that it calls";
  leave();
}

TEST_F(ClockedCalls, AreNotReportedIfEachEndsInTime) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  for (int i = 0; i < 10; ++i) {
    call(probe);
    clock_.advance(i % 2 == 0 ? 59min : 1h + 20ms - 1ns);
    clock_.settle();
    leave();
  }
  call(probe);
  clock_.advance(2h);
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::call_overdue) == 2; }))
      << "those of the last call";
  leave();
}

// -- Restarts -----------------------------------------------------------------

/// A restart in which each function may take an hour.
class ClockedRestarts : public Clocked {
 protected:
  ClockedRestarts() { place("counter-asks-stateless-1.so", "counter.so"); }

  HostOptions patient() {
    HostOptions options = this->options();
    options.restart.step_timeout = 1h;
    options.restart.gate_timeout = 9h;
    return options;
  }
  std::future<bool> restart(Host& host) {
    place("counter-asks-stateless-2.so", "counter.so");
    return std::async(std::launch::async,
                      [&host] { return host.restart("test.example/counters").has_value(); });
  }
  static bool has_ended(const std::future<bool>& restart) {
    return restart.wait_for(0s) == std::future_status::ready;
  }

  Script script_{world_.root()};
};

TEST_F(ClockedRestarts, FailIfAFunctionTakesLongerAndNotBefore) {
  Host host(patient());
  auto counter = host.create<test::Counter>("counter").value();
  script_.hang("2:create");
  auto restarted = restart(host);
  ASSERT_TRUE(script_.hangs("2:create"));
  clock_.advance(1h - 1ns);
  clock_.settle();
  EXPECT_FALSE(has_ended(restarted));
  clock_.advance(1ns);
  EXPECT_TRUE(eventually([&] { return has_ended(restarted); }));
  EXPECT_FALSE(restarted.get());
  EXPECT_EQ(counter->edition().value(), 1);
  script_.release();
}

TEST_F(ClockedRestarts, SucceedIfEachFunctionEndsInTime) {
  Host host(patient());
  auto counter = host.create<test::Counter>("counter", {{"first", "1"}}).value();
  const char* functions[] = {"2:start", "2:create", "2:configure"};
  for (const char* function : functions) script_.hang(function);
  auto restarted = restart(host);
  for (const char* function : functions) {
    ASSERT_TRUE(script_.hangs(function));
    clock_.advance(59min);
    clock_.settle();
    EXPECT_FALSE(has_ended(restarted)) << function;
    script_.release(function);
  }
  EXPECT_TRUE(restarted.get()) << "after three hours";
  EXPECT_EQ(counter->edition().value(), 2);
}

}}  // namespace tenon::tests
