// SPDX-License-Identifier: BSL-1.0
//
// Plugins whose functions throw, which no function of a table may.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <test/echo.hpp>
#include <test/probe.hpp>
#include <test/sdk/session_counter.hpp>
#include <test/session_counter.hpp>
#include <thread>

#include "integration/hosting.hpp"

namespace tenon::tests {
namespace {

class Exceptions : public Hosting {
 protected:
  static constexpr const char* package = "test.example/unruly";

  Exceptions() {
    place("probe-of-unruly.so", "probe.so");
    place_fault("unruly");
  }
};

TEST_F(Exceptions, OfAMethodAreItsFailure) {
  Host host(options());
  auto unruly = host.create<test::Echo>("unruly").value();
  const auto failed = unruly->say("throw an exception");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().to_string(),
            "test.example/unruly: say: internal: the plugin threw an exception: no more coffee");
  EXPECT_EQ(failed.error().status(), TENON_INTERNAL);
  EXPECT_EQ(unruly->say("well?").value(), "well?") << "goes on";
}

TEST_F(Exceptions, OfATypeOfThePluginsOwnAreItsFailure) {
  Host host(options());
  auto unruly = host.create<test::Echo>("unruly").value();
  EXPECT_EQ(unruly->say("throw a number").error().message(),
            "the plugin threw an exception of a type of its own");
}

TEST_F(Exceptions, LeaveNothingLoaded) {
  {
    Host host(options());
    auto unruly = host.create<test::Echo>("unruly").value();
    ASSERT_TRUE(is_mapped("unruly.g1"));
    ASSERT_FALSE(unruly->say("throw an exception"));
  }
  EXPECT_FALSE(is_mapped("unruly.g1"));
}

TEST_F(Exceptions, RestartTheModule) {
  Host host(options());
  auto unruly = host.create<test::Echo>("unruly").value();
  ASSERT_FALSE(unruly->say("throw an exception"));
  EXPECT_TRUE(eventually([&] { return module(host, package).generation == 2; }));
  EXPECT_EQ(events(Event::Type::faulted).at(0).reason, RestartReason::exception);
}

/// A plugin as an author writes it with the SDK, which has no configure.
struct Thrower : test::sdk::SessionCounterV1 {
  void open() override {}
  std::int64_t add(std::int64_t number) override {
    if (number == 1) throw std::runtime_error("no more coffee");
    if (number == 2) throw 2;
    return number;
  }
};

TEST_F(Exceptions, OfAPluginWithTheSdkAreFailuresOfTheCallAlone) {
  static constexpr const char* thrower = "test.example/thrower";
  static const auto builtin = sdk::Builtin(thrower, "1.0.0").add<Thrower>(thrower);
  HostOptions options = this->options();
  options.builtins.push_back(builtin.module());
  Host host(options);
  auto counter = host.create<test::SessionCounter>("thrower").value();
  counter->open().value();
  const auto failed = counter->add(1);
  EXPECT_EQ(failed.error().status(), TENON_UNKNOWN);
  EXPECT_EQ(failed.error().message(), "no more coffee");
  const auto of_no_exception = counter->add(2);
  EXPECT_EQ(of_no_exception.error().status(), TENON_INTERNAL);
  EXPECT_EQ(counter->add(3).value(), 3);
  EXPECT_EQ(told(Event::Type::faulted), 0u);
  EXPECT_EQ(module(host, thrower).generation, 1u);
}

TEST_F(Exceptions, DoNotReachAPluginThatCalledThisOne) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  const auto failed = probe->ask("unruly", "throw an exception");
  EXPECT_EQ(failed.error().plugin(), "test.example/probe");
  EXPECT_EQ(failed.error().message(), "the other plugin failed");
  EXPECT_EQ(failed.error().status(), TENON_INTERNAL);
}

TEST_F(Exceptions, OfOtherFunctionsAreTheirFailure) {
  for (const char* build : {"throw-in-start", "throw-in-create"}) {
    place_fault(build, "unruly.so");
    Host host(options());
    const auto failed = host.create<test::Echo>("unruly");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message(), "the plugin threw an exception: no more coffee");
    EXPECT_EQ(failed.error().status(), TENON_INTERNAL);
    EXPECT_TRUE(eventually([] { return !is_mapped("unruly.g"); })) << "a restart may be under way";
  }
}

TEST_F(Exceptions, OfTheLastFunctionsEndThere) {
  for (const char* build : {"throw-in-destroy", "throw-in-stop"}) {
    place_fault(build, "unruly.so");
    Host host(options());
    ASSERT_TRUE(host.create<test::Echo>("unruly")) << "and gone";
    EXPECT_TRUE(eventually([&] { return !is_mapped("unruly.g"); }));
  }
}

TEST_F(Exceptions, OfTheEndOfAThreadGoOn) {
  Host host(options());
  auto unruly = host.create<test::Echo>("unruly").value();
  bool came_back = false;
  std::thread([&] {
    const auto never = unruly->say("end the thread");
    came_back = true;
  }).join();
  EXPECT_FALSE(came_back);
}

/// A status that says that the module is broken.
class FatalStatus : public Exceptions {};

TEST_F(FatalStatus, RestartsTheModule) {
  Host host(options());
  auto unruly = host.create<test::Echo>("unruly").value();
  const auto failed = unruly->say("fail for good");
  EXPECT_TRUE(failed.error().fatal());
  EXPECT_EQ(failed.error().code(), "data-loss");
  EXPECT_TRUE(eventually([&] { return module(host, package).generation == 2; }));
  EXPECT_EQ(events(Event::Type::faulted).at(0).reason, RestartReason::fatal_status);
}

TEST_F(FatalStatus, OfAPluginThatAnotherOneCalledRestartsThatAlone) {
  Host host(options());
  auto unruly = host.create<test::Echo>("unruly").value();
  auto probe = host.create<test::Probe>("probe").value();
  const auto failed = probe->ask("unruly", "fail for good");
  EXPECT_EQ(failed.error().code(), "data-loss");
  EXPECT_FALSE(failed.error().fatal()) << "the other plugin passes on what it got";
  EXPECT_TRUE(eventually([&] { return module(host, package).generation == 2; }));
  EXPECT_EQ(module(host, probes).generation, 1u);
}

}  // namespace
}  // namespace tenon::tests
