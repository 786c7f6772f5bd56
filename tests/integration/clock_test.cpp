// SPDX-License-Identifier: BSL-1.0
//
// What counts as late, on a clock of the test: pauses of hours, modules that fail slowly but
// steadily, and streams that are not closed.
#include <tenon/stream.hpp>

#include <gtest/gtest.h>
#include <test/probe.hpp>
#include <test/vault.hpp>

#include <chrono>
#include <cstdint>
#include <string>

#include "framework/test_clock.hpp"
#include "integration/hosting.hpp"

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

}}  // namespace tenon::tests
