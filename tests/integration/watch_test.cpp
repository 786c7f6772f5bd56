// SPDX-License-Identifier: BSL-1.0
//
// Hosts that watch files and restart changed modules.
#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/probe.hpp>

#include <filesystem>
#include <fstream>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

class Watching : public Hosting {
 protected:
  Watching() { place("probe-1.so", "probe.so"); }

  HostOptions watching() {
    HostOptions options = this->options();
    options.watch = true;
    return options;
  }
  static bool becomes(Handle<test::Probe>& probe, int edition) {
    return eventually([&] { return probe->edition().value() == edition; });
  }
  std::filesystem::path file() const { return placed("probe.so"); }
  /// Returns the number of directories that this process watches.
  static std::size_t watched_directories() {
    std::size_t count = 0;
    for (const auto& open : std::filesystem::directory_iterator("/proc/self/fdinfo")) {
      const std::string info = read_file(open.path());
      for (std::size_t at = 0; (at = info.find("inotify wd:", at)) != std::string::npos; ++at) {
        ++count;
      }
    }
    return count;
  }
};

TEST_F(Watching, RestartsAfterARename) {
  Host host(watching());
  auto probe = host.create<test::Probe>("probe", {{"word", "kept"}}).value();
  place("probe-2.so", "probe.so");
  EXPECT_TRUE(becomes(probe, 2));
  EXPECT_EQ(probe->word().value(), "kept");
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::restarted) == 1; }));
  for (const Event& event : events()) {
    if (event.type == Event::Type::restarted) {
      EXPECT_EQ(event.reason, RestartReason::file_changed);
    }
  }
}

TEST_F(Watching, RestartsOnlyAfterAnOverwriteIsComplete) {
  place("counter-1.so", "counter.so");
  Host host(watching());
  auto probe = host.create<test::Probe>("probe").value();
  auto counter = host.create<test::Counter>("counter").value();
  const std::string whole = read_file(MODULES "/" + module_file("probe-2.so"));
  {
    std::ofstream writing(file(), std::ios::binary | std::ios::trunc);
    writing << whole.substr(0, whole.size() / 2) << std::flush;
    // The watcher sees changes in their order.
    place("counter-2.so", "counter.so");
    ASSERT_TRUE(eventually([&] { return counter->edition().value() == 2; }));
    EXPECT_EQ(probe->edition().value(), 1);
    writing << whole.substr(whole.size() / 2);
  }
  EXPECT_TRUE(becomes(probe, 2));
  EXPECT_EQ(count_events(Event::Type::restart_failed), 0u)
      << "the incomplete file was never loaded";
}

TEST_F(Watching, KeepsTheOldCodeUntilAGoodFileAppears) {
  Host host(watching());
  auto probe = host.create<test::Probe>("probe").value();
  place("probe-create-fails.so", "probe.so");
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::restart_failed) == 1; }));
  EXPECT_EQ(probe->edition().value(), 1);
  place("probe-2.so", "probe.so");
  EXPECT_TRUE(becomes(probe, 2));
  EXPECT_EQ(count_events(Event::Type::quarantined), 0u);
}

TEST_F(Watching, IgnoresUnloadedModules) {
  Host host(watching());
  place("probe-2.so", "probe.so");
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_EQ(probe->edition().value(), 2);
  EXPECT_EQ(module(host, probes).generation, 1u);
  EXPECT_EQ(count_events(Event::Type::restarted), 0u);
}

TEST_F(Watching, IncludesFilesFoundByARescan) {
  Host host(watching());
  place("stream-1.so", "stream.so");
  std::filesystem::remove(file());
  host.rescan();
  place("probe-1.so", "probe.so");
  host.rescan();
  auto probe = host.create<test::Probe>("probe").value();
  place("probe-2.so", "probe.so");
  EXPECT_TRUE(becomes(probe, 2));
}

TEST_F(Watching, ForgetsFilesThatARescanDoesNotFind) {
  Host host(watching());
  const std::size_t before = watched_directories();
  std::filesystem::create_directories(world_.plugins() / "probe/2.0.0");
  place("probe-2.so", "probe/2.0.0/probe.so");
  host.rescan();
  EXPECT_GT(watched_directories(), before);
  std::filesystem::remove(world_.plugins() / "probe/2.0.0/probe.so");
  host.rescan();
  EXPECT_EQ(watched_directories(), before) << "although the directory exists";
}

TEST_F(Watching, KeepsFilesOfModulesInUse) {
  Host host(watching());
  auto probe = host.create<test::Probe>("probe").value();
  std::filesystem::remove(file());
  host.rescan();
  place("probe-2.so", "probe.so");
  EXPECT_TRUE(becomes(probe, 2));
}

}}  // namespace tenon::tests
