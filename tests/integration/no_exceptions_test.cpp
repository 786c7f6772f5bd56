// SPDX-License-Identifier: BSL-1.0
//
// A host and a plugin that are compiled without exceptions and type information.
#include <tenon/host.hpp>

#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/echo.hpp>
#include <test/vault.hpp>

#include <string>
#include <thread>
#include <vector>

#include "framework/world.hpp"

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "compile this with -fno-exceptions -fno-rtti"
#endif

namespace tenon::tests { namespace {

class NoExceptions : public testing::Test {
 protected:
  NoExceptions() {
    world_.place(MODULES "/no-exceptions.so");
    world_.place(FAULTS "/unruly.so");
  }

  HostOptions options(std::vector<std::string>* log = nullptr) {
    HostOptions options{.app = "", .plugin_path = {world_.plugins()}};
    if (log != nullptr) {
      options.log_sink = [log](const LogLine& line) { log->emplace_back(line.message); };
    }
    return options;
  }

  World world_;
};

TEST_F(NoExceptions, CatchThoseOfPlugins) {
  Host host(options());
  auto unruly = host.create<test::Echo>("unruly").value();
  const auto failed = unruly->say("throw an exception");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().to_string(),
            "test.example/unruly: say: internal: the plugin threw an exception: no more coffee");
  EXPECT_EQ(unruly->say("well?").value(), "well?");
}

TEST_F(NoExceptions, EndTheProgramIfAMissingValueIsUsed) {
  const auto use = [] {
    const Result<int> none = Error({.code = "not-found", .message = "nobody is here"});
    static_cast<void>(none.value());
  };
  // In a thread of its own, because GoogleTest was compiled with exceptions and would catch it.
  EXPECT_DEATH(std::thread(use).join(), "BadResult.*\n.*nobody is here");
}

TEST_F(NoExceptions, ServeCalls) {
  Host host(options());
  auto counter = host.create<test::Counter>("quiet", {{"first", "5"}}).value();
  EXPECT_EQ(counter->add(2).value(), 7);
  EXPECT_EQ(counter->edition().error().status(), TENON_UNIMPLEMENTED);
}

TEST_F(NoExceptions, ReturnFailures) {
  Host host(options());
  auto counter = host.create<test::Counter>("quiet").value();
  EXPECT_EQ(counter->refuse(TENON_NOT_FOUND, "no such thing").error().to_string(),
            "test.example/quiet: refuse: not-found: no such thing");
  EXPECT_EQ(counter->add(1).value(), 1) << "a failure ends with its call";
  const auto forwarded = counter->call_back("nobody");
  ASSERT_FALSE(forwarded);
  EXPECT_NE(forwarded.error().message().find("nobody"), std::string::npos);
}

TEST_F(NoExceptions, ReturnFailuresOfConfigure) {
  Host host(options());
  const auto refusal = [&host](const TextMap& config) {
    return std::string(host.create<test::Counter>("quiet", config).error().message());
  };
  EXPECT_EQ(refusal({{"first", "x"}, {"refuse", "too"}}),
            "parameter \"first\" is \"x\", expected a whole number from -9223372036854775808 to "
            "9223372036854775807");
  EXPECT_EQ(refusal({{"first", "-1"}}), "first is -1");
}

TEST_F(NoExceptions, ReturnFailuresOfConstructors) {
  std::vector<std::string> log;
  Host host(options(&log));
  const auto refused = host.create<test::Counter>("reluctant");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "not today");
  EXPECT_EQ(log, std::vector<std::string>{"destroyed"});
}

TEST_F(NoExceptions, LeaveStreamsOfFailedCallsToTheCaller) {
  struct CountedReader : tenon_reader {
    int releases = 0;
  };
  const auto release = [](tenon_reader* self) { ++static_cast<CountedReader*>(self)->releases; };
  CountedReader dropped{{sizeof(tenon_reader), nullptr, release}};
  CountedReader kept{{sizeof(tenon_reader), nullptr, release}};
  Host host(options());
  {
    auto vault = host.create<test::Vault>("test.example/vault").value();
    EXPECT_EQ(vault->drop(Reader(&dropped)).error().message(), "dropped");
    EXPECT_EQ(vault->keep(Reader(&kept)).error().message(), "kept");
  }
  EXPECT_EQ(dropped.releases, 1);
  EXPECT_EQ(kept.releases, 1);
}

TEST_F(NoExceptions, DestroyStreamsThatFailedCallsReturn) {
  std::vector<std::string> log;
  Host host(options(&log));
  auto vault = host.create<test::Vault>("test.example/vault").value();
  EXPECT_EQ(vault->get("key").error().message(), "nothing to read");
  EXPECT_EQ(log, std::vector<std::string>{"reader destroyed"});
}

TEST_F(NoExceptions, IgnoreFailuresOfStop) {
  std::vector<std::string> log;
  HostOptions verbose = options(&log);
  verbose.log_level = LogLevel::info;
  {
    Host host(verbose);
    static_cast<void>(host.create<test::Counter>("quiet").value());
  }
  EXPECT_EQ(log, std::vector<std::string>{"stopped"});
}

}}  // namespace tenon::tests
