// SPDX-License-Identifier: BSL-1.0
//
// The behaviour of the test counters on which the tests of restarts rely.
#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/session_counter.hpp>

#include <chrono>
#include <string>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

class Counters : public Hosting {};

TEST_F(Counters, CountFromTheConfiguredNumber) {
  place("counter-1.so");
  Host host(options());
  auto counter = host.create<test::Counter>("counter", {{"first", "40"}}).value();
  EXPECT_EQ(counter->add(2).value(), 42);
  EXPECT_EQ(counter->total().value().total, 42);
  EXPECT_EQ(counter->total().value().adds, 1);
  EXPECT_EQ(counter->edition().value(), 1);
  EXPECT_EQ(counter->life().value(), "create configure");
}

TEST_F(Counters, BlockUntilTheyAreCancelled) {
  place("counter-1.so");
  Host host(options());
  auto counter = host.create<test::Counter>("counter").value();
  Call call;
  call.set_timeout(std::chrono::milliseconds(1));
  EXPECT_EQ(counter->block(call).value(), TENON_CANCELLED_BY_DEADLINE);
  host_echo_says = [](std::string_view text) { return "heard " + std::string(text); };
  EXPECT_EQ(counter->call_back("this").value(), "heard this");
  EXPECT_EQ(counter->refuse(TENON_INTERNAL | TENON_FATAL, "broken").error().fatal(), true);
}

TEST_F(Counters, HaveASessionIfTheirKindHasOne) {
  place("session-counter-1.so");
  Host host(options());
  auto counter = host.create<test::SessionCounter>("session-counter", {{"first", "1"}}).value();
  ASSERT_TRUE(counter->open());
  EXPECT_EQ(counter->add(2).value(), 3);
  EXPECT_EQ(counter->life().value(), "create configure");
}

}}  // namespace tenon::tests
