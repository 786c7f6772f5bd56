// SPDX-License-Identifier: BSL-1.0
//
// Restarts of a plugin that was written with the SDK, as a standalone plugin and as a builtin.
#include "integration/tally.hpp"

#include <gtest/gtest.h>
#include <test/session_counter.hpp>

#include <string>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

class SdkRestart : public Hosting {
 protected:
  static constexpr const char* tally = "test.example/tally";

  static Handle<test::SessionCounter> opened(Host& host, std::string_view reference) {
    auto counter = host.create<test::SessionCounter>(reference, {{"first", "40"}}).value();
    counter->open().value();
    return counter;
  }

  HostOptions with_builtin() {
    static const auto builtin =
        sdk::Builtin(tally, "1.0.0", R"({"state": {"writes": 2, "reads": [1, 2]}})")
            .add<Tally>(tally)
            .with<start_tally, stop_tally>();
    HostOptions options = this->options();
    options.builtins.push_back(builtin.module());
    return options;
  }
};

TEST_F(SdkRestart, TransfersStateOfAStandalonePlugin) {
  place("tally-1.so", "tally.so");
  Host host(options());
  auto counter = opened(host, "tally");
  EXPECT_EQ(counter->add(2).value(), 42);
  place("tally-2.so", "tally.so");

  ASSERT_TRUE(host.restart(tally));

  EXPECT_EQ(counter->edition().value(), 2);
  EXPECT_EQ(counter->total().value().total, 42);
  EXPECT_EQ(counter->life().value(), "configure restore:1");
  EXPECT_FALSE(is_mapped("tally.g1"));

  ASSERT_TRUE(host.restart(tally));
  EXPECT_EQ(counter->total().value().total, 42);
  EXPECT_EQ(counter->life().value(), "configure restore:2");
}

/// A plugin without configure.
struct Plain : test::sdk::SessionCounterV1 {
  std::int64_t add(std::int64_t number) override { return number; }
};

TEST_F(SdkRestart, RefusesAConfigurationWithoutConfigureMethod) {
  static constexpr const char* plain = "test.example/plain";
  static const auto builtin = sdk::Builtin(plain, "1.0.0").add<Plain>(plain);
  HostOptions options = this->options();
  options.builtins.push_back(builtin.module());
  Host host(options);
  const auto refused = host.create<test::SessionCounter>(plain, {{"first", "40"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "unimplemented");
  EXPECT_EQ(refused.error().message(), "the plugin takes no configuration");
  EXPECT_EQ(refused.error().fix(), "create it without a configuration");
  auto counter = host.create<test::SessionCounter>(plain, TextMap()).value();
  EXPECT_FALSE(counter.supports("configure"));
  EXPECT_FALSE(counter.supports("open"));
  EXPECT_TRUE(counter.supports("add"));
}

TEST_F(SdkRestart, KeepsTheOldCodeIfSavingFails) {
  place("tally-1.so", "tally.so");
  Host host(options());
  auto counter = opened(host, "tally");
  EXPECT_EQ(counter->add(-50).value(), -10);
  place("tally-2.so", "tally.so");

  const auto failed = host.restart(tally);

  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), "out-of-range");
  EXPECT_EQ(failed.error().message(), "it went below nothing");
  EXPECT_EQ(counter->edition().value(), 1);
  EXPECT_EQ(counter->add(1).value(), -9);
  EXPECT_EQ(counter->life().value(), "configure save");
}

TEST_F(SdkRestart, ResumesIfTheNewCodeRefusesTheState) {
  place("tally-1.so", "tally.so");
  Host host(options());
  auto counter = opened(host, "tally");
  EXPECT_EQ(counter->add(2000).value(), 2040);
  place("tally-2.so", "tally.so");

  const auto failed = host.restart(tally);

  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message(), "more than this edition can count");
  EXPECT_EQ(counter->edition().value(), 1);
  EXPECT_EQ(counter->life().value(), "configure save suspend resume");
  EXPECT_EQ(counter->add(1).value(), 2041);
}

TEST_F(SdkRestart, TransfersStateOfABuiltin) {
  {
    Host host(with_builtin());
    auto counter = opened(host, "builtin:tally");
    EXPECT_EQ(counter->add(2).value(), 42);
    EXPECT_EQ(tally_starts, 1);
    ASSERT_TRUE(host.restart(tally));
    EXPECT_EQ(tally_starts, 1) << "one start and one stop more";
    EXPECT_EQ(counter->total().value().total, 42);
    EXPECT_EQ(counter->life().value(), "configure restore:2");
  }
  EXPECT_EQ(tally_starts, 0);
}

}}  // namespace tenon::tests
