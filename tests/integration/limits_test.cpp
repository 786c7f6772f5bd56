// SPDX-License-Identifier: BSL-1.0
//
// Automatic restarts of failing modules, and their limits.
#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/probe.hpp>
#include <test/stream.hpp>

#include <atomic>
#include <chrono>
#include <optional>

#include "integration/blocked_next.hpp"
#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

class Limits : public Hosting {
 protected:
  static constexpr const char* counters = "test.example/counters";
  static constexpr tenon_status broken = TENON_INTERNAL | TENON_FATAL;

  Limits() { place("counter-1.so", "counter.so"); }

  /// Options that tolerate two failures, with a short pause before the second restart.
  HostOptions strict() {
    HostOptions options = this->options();
    options.restart.failures.initial_backoff = 1ms;
    options.restart.failures.max_failures = 2;
    return options;
  }
  bool restarts_to(Host& host, std::uint64_t generation) {
    return eventually([&] { return module(host, counters).generation == generation; });
  }
  /// Calls a plugin that fails. Returns whether its module is quarantined in the end.
  bool add_until_quarantined(Host& host, Handle<test::Counter>& counter) {
    return eventually([&] {
      static_cast<void>(counter->add(1));
      return module(host, counters).quarantined;
    });
  }
  Event last(Event::Type type) const {
    Event found;
    for (const Event& event : events()) {
      if (event.type == type) found = event;
    }
    return found;
  }
};

TEST_F(Limits, RestartAfterAFatalStatusWithState) {
  Host host(options());
  auto counter = host.create<test::Counter>("counter").value();
  ASSERT_TRUE(counter->add(5));
  const auto failed = counter->refuse(broken, "the pump is stuck");
  EXPECT_TRUE(failed.error().fatal());
  ASSERT_TRUE(restarts_to(host, 2));
  EXPECT_EQ(counter->total().value().total, 5);
  EXPECT_EQ(last(Event::Type::faulted).reason, RestartReason::fatal_status);
  EXPECT_NE(last(Event::Type::faulted).message.find("the pump is stuck"), std::string::npos);
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::restarted) == 1; }));
  EXPECT_EQ(last(Event::Type::restarted).reason, RestartReason::fatal_status);
}

// Each level is a call of the host into the probe and one of the probe into the builtin.
TEST_F(Limits, RestartAfterAFatalStatusInADeeplyNestedCall) {
  place("probe-1.so", "probe.so");
  Host host(options());
  auto counter = host.create<test::Counter>("counter").value();
  auto probe = host.create<test::Probe>("probe").value();
  int levels = 8;
  host_echo_says = [&](std::string_view) -> std::string {
    if (levels-- > 0) return probe->ask("builtin:host-echo", "deeper").value();
    return counter->refuse(broken, "the pump is stuck").error().fatal() ? "fatal" : "not fatal";
  };
  EXPECT_EQ(probe->ask("builtin:host-echo", "deeper").value(), "fatal");
  EXPECT_TRUE(restarts_to(host, 2));
  EXPECT_EQ(last(Event::Type::faulted).reason, RestartReason::fatal_status);
}

TEST_F(Limits, KeepAScheduledRestartAfterAnotherFailed) {
  place("counter-asks-stateless-1.so", "counter.so");
  std::atomic<bool> fails{true};
  host_echo_says = [&](std::string_view asking) {
    return asking == "2:create" && fails ? "fail" : "";
  };
  HostOptions slow = options();
  slow.watch = true;
  slow.restart.failures.initial_backoff = std::chrono::seconds(1);
  Host host(slow);
  auto counter = host.create<test::Counter>("counter").value();
  ASSERT_FALSE(counter->refuse(broken, "first"));
  ASSERT_TRUE(restarts_to(host, 2));
  ASSERT_FALSE(counter->refuse(broken, "second"));
  place("counter-asks-stateless-2.so", "counter.so");
  ASSERT_TRUE(eventually([&] { return count_events(Event::Type::restart_failed) != 0; }));
  fails = false;
  EXPECT_TRUE(eventually([&] { return counter->edition().value() == 2; }));
  EXPECT_EQ(last(Event::Type::restarted).reason, RestartReason::fatal_status);
}

TEST_F(Limits, KeepTheModuleServingUntilTheScheduledRestart) {
  HostOptions slow = options();
  slow.restart.failures.initial_backoff = 1min;
  slow.restart.failures.max_backoff = 1min;
  Host host(slow);
  auto counter = host.create<test::Counter>("counter").value();
  ASSERT_FALSE(counter->refuse(broken, "first"));
  ASSERT_TRUE(restarts_to(host, 2));
  ASSERT_FALSE(counter->refuse(broken, "second")) << "a pause follows the second failure";
  EXPECT_TRUE(counter->add(5));
  auto other = host.create<test::Counter>("counter");
  ASSERT_TRUE(other) << other.error().to_string();
  EXPECT_TRUE((*other)->add(7));
  EXPECT_EQ(module(host, counters).generation, 2u);
}

TEST_F(Limits, RestartWithoutStateIfSavingFails) {
  place("counter-save-fails.so", "counter.so");
  Host host(options());
  auto counter = host.create<test::Counter>("counter", {{"first", "40"}}).value();
  ASSERT_TRUE(counter->add(5));
  ASSERT_FALSE(counter->refuse(broken, "the pump is stuck"));
  ASSERT_TRUE(restarts_to(host, 2));
  EXPECT_EQ(counter->total().value().total, 40);
  EXPECT_TRUE(eventually([&] {
    return last(Event::Type::restarted).message.find("the state was lost") != std::string::npos;
  }));
}

TEST_F(Limits, QuarantineAModuleThatKeepsFailing) {
  place("counter-add-fails.so", "counter.so");
  Host host(strict());
  auto counter = host.create<test::Counter>("counter").value();
  // Each generation fails again, although each restart succeeds.
  EXPECT_TRUE(add_until_quarantined(host, counter));
  EXPECT_EQ(module(host, counters).generation, 3u) << "two failures are tolerated";
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::quarantined) == 1; }));
  EXPECT_NE(last(Event::Type::quarantined).message.find("this edition cannot add"),
            std::string::npos);

  const auto refused = counter->add(1);
  EXPECT_EQ(refused.error().code(), "module-quarantined") << refused.error().to_string();
  EXPECT_FALSE(refused.error().retryable());
  EXPECT_NE(refused.error().message().find("this edition cannot add"), std::string_view::npos);
  EXPECT_EQ(host.create<test::Counter>("counter").error().code(), "module-quarantined");

  place("counter-2.so", "counter.so");
  ASSERT_EQ(host.restart(counters).value(), RestartOutcome::restarted)
      << "a manual restart ends the quarantine";
  EXPECT_EQ(count_events(Event::Type::released), 1u);
  EXPECT_FALSE(module(host, counters).quarantined);
  EXPECT_TRUE(counter->add(1));
  EXPECT_TRUE(host.create<test::Counter>("counter"));
}

TEST_F(Limits, MayBeTheLongestTimes) {
  constexpr auto longest = std::chrono::milliseconds::max();
  HostOptions patient = options();
  patient.restart = {
      .gate_timeout = longest,
      .drain_timeout = longest,
      .step_timeout = longest,
      .failures = {
          .max_backoff = longest, .max_failures = 1, .window = std::chrono::seconds::max()}};
  Host host(patient);
  auto counter = host.create<test::Counter>("counter").value();
  ASSERT_TRUE(counter->add(5));
  const auto restarted = host.restart(counters);
  EXPECT_TRUE(restarted) << restarted.error().to_string();
  EXPECT_EQ(counter->total().value().total, 5);
  EXPECT_FALSE(counter->refuse(broken, "the pump is stuck"));
  ASSERT_TRUE(restarts_to(host, 3));
  EXPECT_FALSE(counter->refuse(broken, "the pump is stuck"));
  EXPECT_TRUE(module(host, counters).quarantined) << "the first failure still counts";
}

TEST_F(Limits, MayCloseNoGate) {
  place("counter-stateless.so", "counter.so");
  HostOptions impatient = strict();
  impatient.restart.gate_timeout = 0ms;
  Host host(impatient);
  auto counter = host.create<test::Counter>("counter").value();
  const auto restarted = host.restart(counters);
  EXPECT_TRUE(restarted) << restarted.error().to_string();
  EXPECT_FALSE(counter->refuse(broken, "the pump is stuck"));
  EXPECT_TRUE(eventually([&] { return module(host, counters).generation == 3; }));
  EXPECT_EQ(count_events(Event::Type::restart_failed), 0u);
}

TEST_F(Limits, InterruptBlockingCallsOfASessionInQuarantine) {
  place("stream-1.so", "stream.so");
  HostOptions counting = options();
  counting.count_calls = true;
  counting.restart.failures.max_failures = 0;
  Host host(counting);
  auto waiting = host.create<test::Stream>("stream", {{"limit", "0"}}).value();
  auto failing = host.create<test::Stream>("stream", {{"limit", "-2"}}).value();
  ASSERT_TRUE(waiting->open(0));
  ASSERT_TRUE(failing->open(0));
  BlockedNext blocked(waiting);
  ASSERT_TRUE(eventually([&] { return module(host, streams).calls.in_flight == 1; }));

  EXPECT_EQ(failing->next().error().status(), TENON_INTERNAL | TENON_FATAL);

  EXPECT_EQ(blocked.status(), TENON_ABORTED | TENON_RETRYABLE) << "not the deadline";
  EXPECT_EQ(waiting->next().error().code(), "module-quarantined");
  ASSERT_TRUE(host.restart(streams)) << "a manual restart ends the quarantine";
  EXPECT_TRUE(waiting->open(0));
}

TEST_F(Limits, KeepQuarantineAfterAFailedRestart) {
  place("counter-add-fails.so", "counter.so");
  Host host(strict());
  auto counter = host.create<test::Counter>("counter").value();
  ASSERT_TRUE(add_until_quarantined(host, counter));
  place("counter-create-fails.so", "counter.so");
  EXPECT_EQ(host.restart(counters).error().code(), "resource-exhausted");
  EXPECT_TRUE(module(host, counters).quarantined);
  EXPECT_EQ(count_events(Event::Type::released), 0u);
  EXPECT_EQ(counter->add(1).error().code(), "module-quarantined");
  EXPECT_EQ(host.create<test::Counter>("counter").error().code(), "module-quarantined");
  place("counter-2.so", "counter.so");
  ASSERT_TRUE(host.restart(counters));
  EXPECT_TRUE(counter->add(1));
}

#ifndef _WIN32  // nothing is watched
TEST_F(Limits, ReleaseQuarantineAfterAFileChange) {
  place("counter-add-fails.so", "counter.so");
  HostOptions options = strict();
  options.watch = true;
  Host host(options);
  auto counter = host.create<test::Counter>("counter").value();
  EXPECT_TRUE(add_until_quarantined(host, counter));
  place("counter-2.so", "counter.so");
  EXPECT_TRUE(eventually([&] { return counter->add(1).has_value(); }));
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::released) == 1; }));
}
#endif

TEST_F(Limits, ReleaseQuarantineIfARescanFindsAChangedFile) {
  place("counter-add-fails.so", "counter.so");
  Host host(strict());
  auto counter = host.create<test::Counter>("counter").value();
  ASSERT_TRUE(add_until_quarantined(host, counter));
  host.rescan();
  EXPECT_EQ(counter->add(1).error().code(), "module-quarantined") << "the file is the same";
  place("counter-2.so", "counter.so");
  host.rescan();
  EXPECT_TRUE(eventually([&] { return counter->add(1).has_value(); }));
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::released) == 1; }));
}

#ifndef _WIN32  // nothing is watched
TEST_F(Limits, ReleaseQuarantineOfAnUnusedModuleAfterAFileChange) {
  place("counter-add-fails.so", "counter.so");
  HostOptions options = strict();
  options.watch = true;
  Host host(options);
  auto counter = std::make_optional(host.create<test::Counter>("counter").value());
  EXPECT_TRUE(add_until_quarantined(host, *counter));
  counter.reset();
  place("counter-2.so", "counter.so");
  EXPECT_TRUE(eventually([&] { return host.create<test::Counter>("counter").has_value(); }));
  EXPECT_EQ(count_events(Event::Type::released), 1u);
}
#endif

TEST_F(Limits, ReleaseQuarantineOfAnUnusedModuleIfARescanFindsAChangedFile) {
  place("counter-add-fails.so", "counter.so");
  Host host(strict());
  auto counter = std::make_optional(host.create<test::Counter>("counter").value());
  EXPECT_TRUE(add_until_quarantined(host, *counter));
  counter.reset();
  host.rescan();
  EXPECT_EQ(count_events(Event::Type::released), 0u) << "the file is the same";
  place("counter-2.so", "counter.so");
  host.rescan();
  // Until a worker has found that the restart after the last failure is not needed, the module
  // counts as in use, and a worker ends the quarantine.
  EXPECT_TRUE(eventually([&] { return host.create<test::Counter>("counter").has_value(); }));
  host.rescan();
  EXPECT_EQ(count_events(Event::Type::released), 1u);
}

TEST_F(Limits, RetryAFailedRestartAfterAPause) {
  Host host(strict());
  auto counter = host.create<test::Counter>("counter").value();
  ASSERT_TRUE(counter->add(5));
  place("counter-start-fails.so", "counter.so");
  ASSERT_FALSE(counter->refuse(broken, "the pump is stuck"));
  // The failure and two failed restarts: one more than the limit.
  EXPECT_TRUE(eventually([&] { return module(host, counters).quarantined; }));
  EXPECT_EQ(count_events(Event::Type::restart_failed), 2u);
  place("counter-2.so", "counter.so");
  ASSERT_TRUE(host.restart(counters));
  EXPECT_EQ(counter->total().value().total, 5) << "the old generation kept its state";
}

}}  // namespace tenon::tests
