// SPDX-License-Identifier: BSL-1.0
//
// Second actors between two steps, as the portable tests have, of what only POSIX has: forked
// processes, their directories and sockets, and a home directory that the environment names.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <test/counter.hpp>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "integration/interleaved.hpp"
#include "platform/local_socket.hpp"
#include "platform/private_directory.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

TEST_F(Interleaved, AForkAfterStateWasSavedChangesNothing) {
  place("counter-1.so", "counter.so");
  Host host(options());
  auto counter = host.create<test::Counter>("counter").value();
  ASSERT_TRUE(counter->add(5));
  place("counter-2.so", "counter.so");
  int status = -1;
  const Window window("restart: saved", [&] {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      const bool refused =
          !counter->add(1) && !host.restart(counters) && !host.create<test::Counter>("counter");
      _exit(refused ? 0 : 1);
    }
    waitpid(child, &status, 0);
  });
  ASSERT_TRUE(host.restart(counters));
  EXPECT_EQ(status, 0) << "the child has the old code, and nothing that could replace it";
  EXPECT_EQ(counter->edition().value(), 2);
  EXPECT_EQ(counter->total().value().total, 5);
}

// -- Quarantine ---------------------------------------------------------------

/// A host of an app that remembers crashes, in which one failure is too many.
class InterleavedQuarantines : public Interleaved {
 protected:
  InterleavedQuarantines() { ::setenv("HOME", world_.root().c_str(), 1); }
  ~InterleavedQuarantines() override { ::setenv("HOME", home_.c_str(), 1); }

  HostOptions remembering() {
    HostOptions options = short_drain();
    options.app = "photo";
    options.remember_crashes = true;
    options.restart.failures.max_failures = 0;
    return options;
  }
  static void fail(Host& host) {
    auto probe = host.create<test::Probe>("probe").value();
    EXPECT_FALSE(probe->refuse(broken, "broken"));
  }
  static bool leaves_out(const Host& host) {
    const Texts all = codes(host.problems());
    return std::ranges::find(all, "module-left-out") != all.end();
  }
  bool next_host_leaves_out() { return leaves_out(Host(remembering())); }

 private:
  const std::string home_ = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
};

TEST_F(InterleavedQuarantines, AReleaseBeforeTheRecordIsWrittenLeavesNone) {
  Host host(remembering());
  std::thread restart;
  const Window window("quarantine: closed", [&] {
    restart = std::thread([&] { EXPECT_TRUE(host.restart(probes)); });
    EXPECT_TRUE(eventually([&] { return !module(host, probes).quarantined; }));
  });
  fail(host);
  restart.join();
  EXPECT_FALSE(next_host_leaves_out());
}

TEST_F(InterleavedQuarantines, ARescanOfTheHostAfterTheRecordIsWrittenKeepsTheModule) {
  Host host(remembering());
  const Window window("quarantine: recorded", [&] { elsewhere([&] { host.rescan(); }); });
  fail(host);
  EXPECT_TRUE(window.reached());
  EXPECT_FALSE(leaves_out(host));
  EXPECT_TRUE(next_host_leaves_out());
}

TEST_F(InterleavedQuarantines, ARescanDuringARelease) {
  Host host(remembering());
  fail(host);
  const Window window("release: removed", [&] { elsewhere([&] { host.rescan(); }); });
  ASSERT_TRUE(host.restart(probes));
  EXPECT_TRUE(window.reached());
  EXPECT_FALSE(leaves_out(host));
  EXPECT_TRUE(host.create<test::Probe>("probe"));
}

TEST_F(InterleavedQuarantines, AReleaseDuringARescan) {
  Host host(remembering());
  fail(host);
  const Window window("rescan: records read",
                      [&] { elsewhere([&] { EXPECT_TRUE(host.restart(probes)); }); });
  host.rescan();
  EXPECT_TRUE(window.reached());
  EXPECT_FALSE(leaves_out(host));
  EXPECT_TRUE(host.create<test::Probe>("probe"));
}

TEST_F(InterleavedQuarantines, AQuarantineDuringARescan) {
  Host host(remembering());
  const Window window("rescan: records known", [&] { elsewhere([&] { fail(host); }); });
  host.rescan();
  EXPECT_TRUE(window.reached());
  EXPECT_FALSE(leaves_out(host));
  EXPECT_TRUE(next_host_leaves_out());
}

TEST_F(InterleavedQuarantines, AFailureOfANewFileWhileTheOldRecordIsRemovedIsRemembered) {
  Host host(remembering());
  fail(host);
  place("probe-2.so", "probe.so");
  const Window window("rescan: out of date", [&] {
    elsewhere([&] {
      ASSERT_TRUE(host.restart(probes));
      fail(host);
    });
  });
  Host other(remembering());
  EXPECT_TRUE(window.reached());
  EXPECT_TRUE(next_host_leaves_out());
}

// -- Directories and sockets --------------------------------------------------

class InterleavedDirectories : public testing::TestWithParam<const char*> {
 protected:
  using Directory = std::shared_ptr<platform::PrivateDirectory>;

  std::size_t count() const {
    const auto entries = fs::directory_iterator(world_.plugins());
    return static_cast<std::size_t>(std::distance(entries, fs::directory_iterator()));
  }
  std::size_t remove() const { return platform::remove_abandoned_directories(world_.plugins()); }
  void abandon() const {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const Directory held = platform::PrivateDirectory::create(world_.plugins()).value();
      raise(SIGKILL);
    }
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    ASSERT_EQ(count(), 1u);
  }

  World world_;
};

TEST_P(InterleavedDirectories, NoOtherHostRemovesADirectoryThatIsBeingCreated) {
  const Window window(GetParam(), [&] { EXPECT_EQ(remove(), 0u); });
  const Directory made = platform::PrivateDirectory::create(world_.plugins()).value();
  EXPECT_TRUE(window.reached());
  EXPECT_TRUE(made->is_usable());
  EXPECT_EQ(remove(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Points, InterleavedDirectories,
                         testing::Values("directory: made", "directory: opened"),
                         [](const auto& point) { return std::string(point.param + 11); });

using InterleavedRemovals = InterleavedDirectories;

TEST_F(InterleavedRemovals, OneOfTwoHostsRemovesADirectory) {
  abandon();
  std::size_t of_second = 1;
  const Window window("abandoned: locked", [&] { of_second = remove(); });
  EXPECT_EQ(remove(), 1u);
  EXPECT_EQ(of_second, 0u);
  EXPECT_EQ(count(), 0u);
}

TEST(InterleavedSockets, ANameThatIsRemovedIsNotTaken) {
  const World world;
  const auto directory = platform::SocketDirectory::open(world.root() / "sockets", true).value();
  // The name of a killed process that had the number of this one.
  platform::SocketName dead;
  {
    auto first = directory.listen().value();
    dead = first.name();
    const fs::path name = world.root() / "sockets" / to_string(dead);
    fs::rename(name, world.root() / "kept");
  }
  fs::rename(world.root() / "kept", world.root() / "sockets" / to_string(dead));
  std::optional<platform::LocalListener> live;
  const Window window("socket: refused", [&] { live.emplace(directory.listen().value()); });
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  EXPECT_FALSE(directory.connect(dead, deadline));
  ASSERT_TRUE(live);
  EXPECT_TRUE(directory.connect(live->name(), deadline)) << to_string(live->name());
}

}}  // namespace tenon::tests
