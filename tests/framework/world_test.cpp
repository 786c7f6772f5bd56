// SPDX-License-Identifier: BSL-1.0
#include "framework/world.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace tenon::tests { namespace {

TEST(World, RemovesItsDirectoryWhenDestroyed) {
  std::filesystem::path root;
  {
    World world;
    root = world.root();
    world.write("some/where/file", "content");
    EXPECT_EQ(world.read("some/where/file"), "content");
  }
  EXPECT_FALSE(std::filesystem::exists(root));
}

TEST(World, RunsProgramsInItsOwnEnvironment) {
  World world("photo-lab");
  world.set("GREETING", "hello");
  const Outcome run =
      world.run({"sh", "-c", "echo $GREETING $PHOTO_LAB_PLUGIN_PATH; pwd >&2; exit 3"});
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.out, "hello " + world.plugins().string() + "\n");
  EXPECT_EQ(run.err, std::filesystem::canonical(world.root()).string() + "\n");
}

TEST(World, SignalsRunningPrograms) {
  World world;
  Child child = world.start({"sh", "-c", "echo ready >&2; exec sleep 600"});
  ASSERT_TRUE(eventually([&] { return child.err() == "ready\n"; }));
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait().exit, 128 + SIGTERM);
}

TEST(World, KillsProgramsAndWaitsForTheirChildren) {
  World world;
  Child child = world.start(
      {"sh", "-c", "setpriv --pdeathsig KILL sh -c 'echo ready >&2; exec sleep 600' & wait"});
  ASSERT_TRUE(eventually([&] { return child.err() == "ready\n"; }));
  const pid_t worker = child.worker();
  EXPECT_EQ(child.kill().exit, 128 + SIGKILL);
  EXPECT_TRUE(state_of(worker) == 'X' || state_of(worker) == 'Z');
}

TEST(World, StartsProgramsOnATerminal) {
  World world;
  const Outcome run =
      world.start_on_terminal({"sh", "-c", "test -t 1 && test -t 2 && echo yes >&2; exit 3"})
          .wait();
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.out, "yes\r\n");
  EXPECT_EQ(run.err, "");
}

TEST(World, ReplacesModules) {
  World world;
  const auto first = world.write("a.so", "one");
  const auto second = world.write("b.so", "two");
  EXPECT_EQ(world.place(first), world.plugins() / "a.so");
  EXPECT_EQ(read_file(world.place(second, "a.so")), "two");
}

}}  // namespace tenon::tests
