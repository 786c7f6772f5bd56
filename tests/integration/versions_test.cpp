// SPDX-License-Identifier: BSL-1.0
//
// Restarts of a package with two loaded versions: both move to new code, or none does.
#include <tenon/host.hpp>

#include <gtest/gtest.h>
#include <test/counter.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "framework/world.hpp"
#include "integration/hosting.hpp"
#include "integration/script.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

/// The version 1.0.0 has the editions 1 and 2, the version 2.0.0 the editions 3 and 4.
class TwoVersions : public Hosting {
 protected:
  static constexpr const char* counters = "test.example/counters";

  TwoVersions() {
    for (const char* version : {"1.0.0", "2.0.0"}) {
      std::filesystem::create_directories(world_.plugins() / "counter" / version);
    }
  }
  void place_builds(int build, const std::string& older = "older-counter") const {
    place(older + "-" + std::to_string(build) + ".so", "counter/1.0.0/counter.so");
    place("newer-counter-" + std::to_string(build) + ".so", "counter/2.0.0/counter.so");
  }
  HostOptions limited() {
    HostOptions options = this->options();
    options.restart.gate_timeout = 2s;
    options.restart.drain_timeout = 2s;
    options.restart.step_timeout = 2s;
    return options;
  }
  static Handle<test::Counter> create(Host& host, const std::string& version, std::int64_t total) {
    auto counter = host.create<test::Counter>("counter@" + version, {{"first", "0"}}).value();
    EXPECT_TRUE(counter->add(total));
    return counter;
  }
  static std::pair<std::int64_t, std::int64_t> state_of(Handle<test::Counter>& counter) {
    return {counter->edition().value(), counter->total().value().total};
  }
  using State = std::pair<std::int64_t, std::int64_t>;
};

/// Both are loaded, with their first builds and the totals 10 and 20.
class LoadedVersions : public TwoVersions {
 protected:
  HostOptions with_builds() {
    place_builds(1);
    return limited();
  }

  Script script{world_.root()};
  Host host{with_builds()};
  Handle<test::Counter> older = create(host, "1.0.0", 10);
  Handle<test::Counter> newer = create(host, "2.0.0", 20);
};

TEST_F(LoadedVersions, AreRestartedTogether) {
  place_builds(2);
  EXPECT_EQ(host.restart(counters).value(), RestartOutcome::restarted);
  EXPECT_EQ(state_of(older), State(2, 10));
  EXPECT_EQ(state_of(newer), State(4, 20));
  EXPECT_EQ(count_events(Event::Type::restarted), 2U);
}

TEST_F(LoadedVersions, AreRestartedAlone) {
  place_builds(2);
  const auto packages = host.packages();
  const auto one = std::ranges::find(packages, "1.0.0", &PackageInfo::version);
  ASSERT_NE(one, packages.end());
  EXPECT_EQ(host.restart(*one).value(), RestartOutcome::restarted);
  EXPECT_EQ(state_of(older), State(2, 10));
  EXPECT_EQ(state_of(newer), State(3, 20));
}

TEST_F(LoadedVersions, AreCreatedFromTheirDescriptions) {
  for (const std::string version : {"1.0.0", "2.0.0"}) {
    const PluginInfo found = host.find<test::Counter>("counter@" + version).value();
    EXPECT_EQ(found.reference(), "standalone:test.example/counter@" + version);
    EXPECT_EQ(host.create<test::Counter>(found).value().info().package_version(), version);
    auto configured = host.create<test::Counter>(found, {{"first", "5"}}).value();
    EXPECT_EQ(configured->total().value().total, 5);
  }
}

/// A function of one of the new builds, or of one of the old ones that hands over.
class FailsInOne : public LoadedVersions, public testing::WithParamInterface<const char*> {};

TEST_P(FailsInOne, RestartsNone) {
  const std::string function = GetParam();
  place_builds(2);
  if (function == "file") {
    world_.place(world_.write("broken.so", "not a module"), "counter/1.0.0/counter.so");
  } else {
    script.say(function, "fail");
  }
  const auto failed = host.restart(counters);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().to_string().find("another version"), std::string::npos)
      << failed.error().to_string();
  EXPECT_EQ(state_of(older), State(1, 10));
  EXPECT_EQ(state_of(newer), State(3, 20));
  EXPECT_EQ(count_events(Event::Type::restarted), 0U);
  EXPECT_GE(count_events(Event::Type::restart_failed), 1U);

  place_builds(2);
  script.say(function, "");
  EXPECT_EQ(host.restart(counters).value(), RestartOutcome::restarted);
  EXPECT_EQ(state_of(older), State(2, 10));
  EXPECT_EQ(state_of(newer), State(4, 20));
}

INSTANTIATE_TEST_SUITE_P(Functions, FailsInOne,
                         testing::Values("file", "2:start", "4:start", "2:create", "4:configure",
                                         "1:save_state", "3:save_state", "2:restore_state",
                                         "4:restore_state"),
                         [](const auto& info) {
                           std::string function = info.param;
                           if (function == "file") return function;
                           return function.substr(2) + "_of_" + function[0];
                         });

/// The same for a function that does not return.
class HangsInOne : public LoadedVersions, public testing::WithParamInterface<const char*> {};

TEST_P(HangsInOne, RestartsNone) {
  const std::string function = GetParam();
  place_builds(2);
  script.hang(function);
  const auto failed = host.restart(counters);
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message().find(function.substr(2)), std::string::npos)
      << failed.error().to_string();
  EXPECT_EQ(script.hanging_count(), 1) << "the function still hangs";
  EXPECT_EQ(state_of(older), State(1, 10));
  EXPECT_EQ(state_of(newer), State(3, 20));
}

INSTANTIATE_TEST_SUITE_P(Functions, HangsInOne,
                         testing::Values("2:start", "4:create", "3:save_state", "2:restore_state"),
                         [](const auto& info) {
                           const std::string function = info.param;
                           return function.substr(2) + "_of_" + function[0];
                         });

/// A call inside one version that uses the other one while both hand over.
class CallInside : public LoadedVersions {
 protected:
  static bool is_closed(Handle<test::Counter>& counter) {
    return eventually([&] {
      Call brief;
      brief.set_timeout(10ms);
      const auto edition = counter->edition(brief);
      return !edition && edition.error().status() == TENON_DEADLINE_EXCEEDED;
    });
  }
};

TEST_F(CallInside, PassesTheGateOfTheOtherVersion) {
  std::optional<Handle<test::Counter>> created;
  place_builds(2);
  std::atomic<bool> inside{false};
  script.set("nest", [&] {
    inside = true;
    EXPECT_TRUE(std::async(std::launch::async, [&] { return is_closed(newer); }).get());
    EXPECT_EQ(newer->edition().value(), 3);
    EXPECT_EQ(newer->add(5).value(), 25);
    created = create(host, "2.0.0", 30);
    EXPECT_EQ((*created)->edition().value(), 3);
    return "";
  });
  std::thread calls([&] { EXPECT_TRUE(older->call_back("nest")); });
  EXPECT_TRUE(eventually([&] { return inside.load(); }));
  EXPECT_EQ(host.restart(counters).value(), RestartOutcome::restarted);
  calls.join();
  EXPECT_EQ(state_of(older), State(2, 10));
  EXPECT_EQ(state_of(newer), State(4, 25)) << "its state was saved after the call inside";
  EXPECT_EQ(state_of(*created), State(4, 30));
}

TEST_F(CallInside, OfBothVersionsEndInTime) {
  place_builds(2);
  std::atomic<int> inside{0};
  const auto use = [&](Handle<test::Counter>& other) {
    ++inside;
    EXPECT_TRUE(std::async(std::launch::async, [&] { return is_closed(other); }).get());
    EXPECT_TRUE(other->add(1));
    return std::string();
  };
  script.set("use newer", [&] { return use(newer); });
  script.set("use older", [&] { return use(older); });
  std::thread first([&] { EXPECT_TRUE(older->call_back("use newer")); });
  std::thread second([&] { EXPECT_TRUE(newer->call_back("use older")); });
  EXPECT_TRUE(eventually([&] { return inside == 2; }));
  EXPECT_EQ(host.restart(counters).value(), RestartOutcome::restarted);
  first.join();
  second.join();
  EXPECT_EQ(state_of(older), State(2, 11));
  EXPECT_EQ(state_of(newer), State(4, 21));
}

TEST_F(CallInside, SchedulesTheRestartOfAll) {
  place_builds(2);
  auto outcome = RestartOutcome::not_loaded;
  script.set("restart", [&] {
    outcome = host.restart(counters).value();
    return "";
  });
  EXPECT_TRUE(older->call_back("restart"));
  EXPECT_EQ(outcome, RestartOutcome::scheduled);
  EXPECT_TRUE(eventually([&] { return state_of(older).first == 2 && state_of(newer).first == 4; }));
}

/// Changes of a version that is ready, while the restart of the other one can still fail.
class LateChange : public TwoVersions {
 protected:
  HostOptions with_builds() {
    place_builds(1, "older-counter-stateless");
    return limited();
  }

  // Used by the script until the handles are gone.
  std::atomic<int> objects_{0};
  std::atomic<int> configured_{0};
  Script script_{world_.root()};
  Host host_{with_builds()};
  Handle<test::Counter> older_ = create(host_, "1.0.0", 0);
  Handle<test::Counter> newer_ = create(host_, "2.0.0", 20);
};

TEST_F(LateChange, IsAppliedToTheNewCode) {
  script_.set("2:create", [this] { return ++objects_, ""; });
  script_.set("2:destroy", [this] { return --objects_, ""; });
  script_.set("2:configure", [this] { return ++configured_, ""; });
  place_builds(2, "older-counter-stateless");
  script_.hang("4:restore_state");
  std::optional released = create(host_, "1.0.0", 0);
  std::thread restart(
      [&] { EXPECT_EQ(host_.restart(counters).value(), RestartOutcome::restarted); });
  EXPECT_TRUE(script_.hangs());
  released.reset();
  ASSERT_TRUE(older_->configure({{"first", "7"}}));
  EXPECT_EQ(older_->edition().value(), 1) << "it serves until both are ready";
  std::optional<Handle<test::Counter>> created;
  std::thread creates([&] { created = create(host_, "1.0.0", 1); });
  script_.release();
  restart.join();
  creates.join();
  EXPECT_EQ(older_->edition().value(), 2);
  EXPECT_EQ((*created)->edition().value(), 2);
  EXPECT_EQ(state_of(newer_), State(4, 20));
  EXPECT_TRUE(eventually([&] { return objects_ == 2; })) << objects_;
  EXPECT_TRUE(eventually([&] { return configured_ == 4; })) << configured_;
}

TEST_F(LateChange, IsKeptIfTheOtherVersionFails) {
  place_builds(2, "older-counter-stateless");
  script_.set("4:restore_state", [&] {
    script_.wait_for_release("4:restore_state");
    return "fail";
  });
  std::optional released = create(host_, "1.0.0", 0);
  std::thread restart([&] { EXPECT_FALSE(host_.restart(counters)); });
  EXPECT_TRUE(script_.hangs());
  released.reset();
  ASSERT_TRUE(older_->configure({{"first", "7"}}));
  script_.release();
  restart.join();
  EXPECT_EQ(older_->edition().value(), 1);
  EXPECT_EQ(state_of(newer_), State(3, 20));
  EXPECT_EQ(create(host_, "1.0.0", 1)->edition().value(), 1);
}

TEST_F(TwoVersions, AreNeverHalfRestartedByManyThreads) {
  place_builds(1);
  Script script(world_.root());
  Host host(limited());
  auto older = create(host, "1.0.0", 0);
  auto newer = create(host, "2.0.0", 0);
  std::atomic<bool> ends{false};
  std::atomic<std::int64_t> added{0};
  script.set("nest", [&] { return newer->add(1) ? ++added, "" : ""; });
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!ends) EXPECT_TRUE(older->call_back("nest"));
    });
    threads.emplace_back([&] {
      while (!ends) {
        auto brief = create(host, "1.0.0", 1);
        EXPECT_EQ(brief->total().value().total, 1);
      }
    });
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round) EXPECT_TRUE(host.restart(counters));
    });
  }
  for (const std::size_t i : {2U, 5U}) threads[i].join();
  ends = true;
  for (std::thread& thread : threads) {
    if (thread.joinable()) thread.join();
  }
  EXPECT_EQ(newer->total().value().total, added);
  std::vector<std::uint64_t> generations;
  for (const ModuleInfo& info : host.modules()) {
    if (info.package == counters) generations.push_back(info.generation);
  }
  EXPECT_EQ(generations, (std::vector<std::uint64_t>{21, 21}));
}

}}  // namespace tenon::tests
