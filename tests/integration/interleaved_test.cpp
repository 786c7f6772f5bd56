// SPDX-License-Identifier: BSL-1.0
//
// Second actors between two steps that belong together: a rescan, a restart, a create, the end of
// the host. CONTRIBUTING.md lists the points.
#include "integration/interleaved.hpp"

#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/echo.hpp>
#include <test/probe.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "image/original_file.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

// -- Rescans and restarts -----------------------------------------------------

TEST_F(Interleaved, ARestartAfterTheScanKeepsItsManifest) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  const Window window("rescan: scanned", [&] {
    place("probe-2.so", "probe.so");
    elsewhere([&] { EXPECT_TRUE(host.restart(probes)); });
  });
  place_fault("good", "echo.so");
  host.rescan();
  EXPECT_TRUE(window.reached());
  EXPECT_EQ(version_of_probe(host), "2.0.0");
  EXPECT_TRUE(finds_echo(host));
  EXPECT_EQ(probe->edition().value(), 2);
}

TEST_F(Interleaved, ARestartBeforeTheCatalogIsPublishedKeepsItsManifest) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  const Window window("catalog: built", [&] {
    place("probe-2.so", "probe.so");
    elsewhere([&] { EXPECT_TRUE(host.restart(probes)); });
  });
  place_fault("good", "echo.so");
  host.rescan();
  EXPECT_TRUE(window.reached());
  EXPECT_EQ(version_of_probe(host), "2.0.0");
  EXPECT_TRUE(finds_echo(host));
}

TEST_F(Interleaved, ARescanBeforeARestartIsPublishedKeepsItsModules) {
  for (const char* point : {"restart: loaded", "restart: served"}) {
    place("probe-1.so", "probe.so");
    fs::remove(placed("echo.so"));
    Host host(options());
    auto probe = host.create<test::Probe>("probe").value();
    place("probe-2.so", "probe.so");
    place_fault("good", "echo.so");
    const Window window(point, [&] { elsewhere([&] { host.rescan(); }); });
    ASSERT_TRUE(host.restart(probes));
    EXPECT_TRUE(window.reached());
    EXPECT_EQ(version_of_probe(host), "2.0.0") << point;
    EXPECT_TRUE(finds_echo(host)) << point;
  }
}

TEST_F(Interleaved, InstancesThatAreMadeDuringARestartAreAppliedInRounds) {
  // Returns the number of rounds while another thread makes so many instances before each.
  const auto rounds_with = [&](std::size_t made) {
    place("probe-1.so", "probe.so");
    Host host(options());
    std::vector<Handle<test::Probe>> probes_made;
    const auto make = [&](std::size_t count) {
      for (; count > 0; --count) probes_made.push_back(host.create<test::Probe>("probe").value());
    };
    make(65);
    place("probe-2.so", "probe.so");
    std::vector<std::unique_ptr<Window>> windows;
    int rounds = 0;
    const std::function<void()> actor = [&] {
      if (rounds++ > 0) elsewhere([&] { make(made); });
      windows.push_back(std::make_unique<Window>("restart: round", actor));
    };
    windows.push_back(std::make_unique<Window>("restart: round", actor));
    EXPECT_TRUE(host.restart(probes));
    for (auto& probe : probes_made) EXPECT_EQ(probe->edition().value(), 2);
    return rounds;
  };
  EXPECT_EQ(rounds_with(0), 2);
  EXPECT_EQ(rounds_with(64), 2);
  EXPECT_EQ(rounds_with(65), 10);
  EXPECT_EQ(rounds_with(650), 10);
}

TEST_F(Interleaved, ChangesBeforeARestartIsPublishedReachTheNewCode) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe", {{"word", "early"}}).value();
  auto ends = host.create<test::Probe>("probe").value();
  place("probe-2.so", "probe.so");
  const Window window("restart: applied", [&] {
    elsewhere([&] {
      EXPECT_TRUE(probe->configure({{"word", "late"}}));
      ends = {};
    });
  });
  ASSERT_TRUE(host.restart(probes));
  EXPECT_TRUE(window.reached());
  EXPECT_EQ(probe->edition().value(), 2);
  EXPECT_EQ(probe->word().value(), "late");
}

TEST_F(Interleaved, ARescanBeforeALoadIsPublishedKeepsItsModules) {
  Host host(options());
  place("probe-2.so", "probe.so");
  place_fault("good", "echo.so");
  const Window window("load: served", [&] { elsewhere([&] { host.rescan(); }); });
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_TRUE(window.reached());
  EXPECT_EQ(version_of_probe(host), "2.0.0");
  EXPECT_TRUE(finds_echo(host));
}

TEST_F(Interleaved, AFileThatIsReplacedAfterItWasReadIsLoadedByTheNextRestart) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  const Window window("restart: loaded", [&] { place("probe-2.so", "probe.so"); });
  ASSERT_TRUE(host.restart(probes));
  EXPECT_TRUE(window.reached());
  EXPECT_EQ(probe->edition().value(), 1);
  EXPECT_EQ(host.restart_changed().restarted, Texts{probes});
  EXPECT_EQ(probe->edition().value(), 2);
}

// -- Creates ------------------------------------------------------------------

TEST_F(Interleaved, APluginThatIsRemovedAfterItWasChosenIsNotFound) {
  Host host(options());
  const Window window("create: chosen", [&] {
    fs::remove(placed("probe.so"));
    host.rescan();
  });
  const auto probe = host.create<test::Probe>("probe");
  ASSERT_FALSE(probe);
  EXPECT_EQ(probe.error().code(), "not-found");
  EXPECT_EQ(module(host, probes).package, "");
  place("probe-1.so", "probe.so");
  host.rescan();
  EXPECT_TRUE(host.create<test::Probe>("probe"));
}

TEST_F(Interleaved, AnInstanceOfCodeThatIsReplacedMeanwhileIsCreatedAgain) {
  Host host(options());
  std::thread restart;
  const Window window("create: created", [&] {
    place("probe-2.so", "probe.so");
    restart = std::thread([&] { EXPECT_TRUE(host.restart(probes)); });
    EXPECT_TRUE(eventually([&] { return module(host, probes).generation == 2; }));
  });
  auto probe = host.create<test::Probe>("probe", {{"word", "blue"}}).value();
  restart.join();
  EXPECT_EQ(probe->edition().value(), 2);
  EXPECT_EQ(probe->word().value(), "blue");
  EXPECT_EQ(module(host, probes).instances, 1u);
  EXPECT_FALSE(is_mapped("probe.g1"));
}

TEST_F(Interleaved, ACreateDuringTheEndOfTheLastInstanceLoadsTheModuleAgain) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  std::optional<Handle<test::Probe>> other;
  const Window window("unload: retired", [&] {
    elsewhere([&] { other = host.create<test::Probe>("probe").value(); });
  });
  probe = {};
  ASSERT_TRUE(other);
  EXPECT_EQ((*other)->edition().value(), 1);
  EXPECT_EQ(module(host, probes).generation, 2u);
  EXPECT_TRUE(eventually([&] { return copies() == Texts{module_file("probe.g2.so")}; }));
}

TEST_F(Interleaved, ARestartBeforeOldCodeIsUnloadedLeavesNone) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  place("probe-2.so", "probe.so");
  const Window window("drain: empty",
                      [&] { elsewhere([&] { EXPECT_TRUE(host.restart(probes)); }); });
  ASSERT_TRUE(host.restart(probes));
  EXPECT_TRUE(window.reached());
  EXPECT_EQ(probe->edition().value(), 2);
  EXPECT_EQ(module(host, probes).generation, 3u);
  EXPECT_TRUE(eventually([&] { return copies() == Texts{module_file("probe.g3.so")}; }));
}

// -- Versions that restart together -------------------------------------------

class InterleavedGroups : public Interleaved {
 protected:
  InterleavedGroups() {
    fs::remove(placed("probe.so"));
    for (const std::string version : {"1", "2"}) {
      const std::string directory = "probes/" + version + ".0.0";
      fs::create_directories(world_.plugins() / directory);
      place("probe-" + version + ".so", directory + "/probe.so");
    }
  }
};

TEST_F(InterleavedGroups, AConfigurationWhenAllAreReadyReachesTheNewCode) {
  Host host(options());
  auto one = host.create<test::Probe>("probe@1.0.0", {{"word", "early"}}).value();
  auto two = host.create<test::Probe>("probe@2.0.0", {{"word", "early"}}).value();
  const Window window("restart: ready", [&] {
    elsewhere([&] {
      EXPECT_TRUE(one->configure({{"word", "late"}}));
      EXPECT_TRUE(two->configure({{"word", "late"}}));
    });
  });
  ASSERT_TRUE(host.restart(probes));
  EXPECT_TRUE(window.reached());
  EXPECT_EQ(one->word().value(), "late");
  EXPECT_EQ(two->word().value(), "late");
  EXPECT_EQ(count_events(Event::Type::restarted), 2u);
}

TEST_F(InterleavedGroups, InstancesThatEndWhenAllAreReadyAreNotInTheNewCode) {
  Host host(options());
  auto one = host.create<test::Probe>("probe@1.0.0").value();
  auto two = host.create<test::Probe>("probe@2.0.0").value();
  auto more = host.create<test::Probe>("probe@2.0.0").value();
  const Window window("restart: ready", [&] {
    elsewhere([&] {
      one = {};
      more = {};
    });
  });
  ASSERT_TRUE(host.restart(probes));
  EXPECT_TRUE(window.reached());
  EXPECT_EQ(two->edition().value(), 2);
  EXPECT_TRUE(eventually([&] { return copies().size() == 1; }));
  two = {};
  EXPECT_TRUE(eventually([&] { return copies().empty(); }));
}

/// A point of a restart of several versions.
class InterleavedSteps : public InterleavedGroups,
                         public testing::WithParamInterface<const char*> {};

TEST_P(InterleavedSteps, AMemberThatEndsIsNotInTheNewCode) {
  for (const std::string ended : {"1.0.0", "2.0.0"}) {
    Host host(options());
    auto one = host.create<test::Probe>("probe@1.0.0").value();
    auto two = host.create<test::Probe>("probe@2.0.0").value();
    auto& ends = ended == "1.0.0" ? one : two;
    auto& stays = ended == "1.0.0" ? two : one;
    const Window window(GetParam(), [&] { elsewhere([&] { ends = {}; }); });
    EXPECT_TRUE(host.restart(probes));
    EXPECT_TRUE(window.reached());
    EXPECT_EQ(stays->edition().value(), ended == "1.0.0" ? 2 : 1);
    EXPECT_TRUE(eventually([&] { return copies().size() == 1; })) << ended;
    stays = {};
    EXPECT_TRUE(eventually([&] { return copies().empty(); })) << ended;
  }
}

TEST_P(InterleavedSteps, ASecondRestartWaitsForTheFirst) {
  Host host(options());
  auto one = host.create<test::Probe>("probe@1.0.0").value();
  auto two = host.create<test::Probe>("probe@2.0.0").value();
  std::future<bool> second;
  const Window window(GetParam(), [&] {
    second = std::async(std::launch::async, [&] { return host.restart(probes).has_value(); });
  });
  EXPECT_TRUE(host.restart(probes));
  EXPECT_TRUE(second.get());
  EXPECT_EQ(one->edition().value(), 1);
  EXPECT_EQ(two->edition().value(), 2);
  EXPECT_TRUE(eventually([&] { return copies().size() == 2; }));
}

INSTANTIATE_TEST_SUITE_P(Points, InterleavedSteps,
                         testing::Values("group: begun", "group: loaded", "group: drained"),
                         [](const auto& point) { return std::string(point.param + 7); });

// -- State --------------------------------------------------------------------

class InterleavedStates : public Interleaved {
 protected:
  InterleavedStates() { place("counter-1.so", "counter.so"); }
};

TEST_F(InterleavedStates, ARescanAfterStateWasSavedChangesNothing) {
  Host host(options());
  auto counter = host.create<test::Counter>("counter").value();
  ASSERT_TRUE(counter->add(5));
  place("counter-2.so", "counter.so");
  place_fault("good", "echo.so");
  const Window window("restart: saved", [&] { elsewhere([&] { host.rescan(); }); });
  ASSERT_TRUE(host.restart(counters));
  EXPECT_TRUE(window.reached());
  EXPECT_EQ(counter->edition().value(), 2);
  EXPECT_EQ(counter->total().value().total, 5);
  EXPECT_TRUE(finds_echo(host));
}

TEST_F(InterleavedStates, CallsAndCreatesAfterStateWasSavedReachTheNewCode) {
  Host host(options());
  auto counter = host.create<test::Counter>("counter").value();
  ASSERT_TRUE(counter->add(5));
  place("counter-2.so", "counter.so");
  std::future<std::int64_t> added;
  std::future<int> edition;
  const Window window("restart: saved", [&] {
    added = std::async(std::launch::async, [&] { return counter->add(1).value(); });
    edition = std::async(std::launch::async, [&] {
      return host.create<test::Counter>("counter").value()->edition().value();
    });
  });
  ASSERT_TRUE(host.restart(counters));
  EXPECT_EQ(added.get(), 6);
  EXPECT_EQ(edition.get(), 2);
}

TEST_F(InterleavedStates, TheEndOfTheHostAfterStateWasSavedLeavesNoCode) {
  std::optional<Host> host(options());
  std::optional counter = host->create<test::Counter>("counter").value();
  ASSERT_TRUE((*counter)->add(5));
  std::promise<void> closed;
  std::promise<void> saved;
  const Window end("host: closed", [&] { closed.set_value(); });
  const Window window("restart: saved", [&] {
    saved.set_value();
    closed.get_future().wait();
  });
  ASSERT_FALSE((*counter)->refuse(broken, "broken"));  // restarts it on a worker
  saved.get_future().wait();
  counter.reset();
  host.reset();
  EXPECT_FALSE(is_mapped("counter.g"));
}

// -- Files -------------------------------------------------------------------

TEST(InterleavedOriginals, OneOfTwoHostsLoadsAFileInPlace) {
  const World world;
  const fs::path file = world.write("module.so", "content");
  const std::string text = "content";
  const auto content = std::as_bytes(std::span(text));
  std::shared_ptr<detail::OriginalFile> second;
  const Window window("original: read",
                      [&] { second = detail::OriginalFile::claim(file, content); });
  EXPECT_EQ(detail::OriginalFile::claim(file, content), nullptr);
  EXPECT_NE(second, nullptr);
}

}}  // namespace tenon::tests
