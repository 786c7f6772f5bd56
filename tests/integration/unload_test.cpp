// SPDX-License-Identifier: BSL-1.0
//
// Unloading, after restarts, of modules whose code prevents it, and of libraries beside modules.
// tests/unit/image_test.cpp tests single images.
#include <gtest/gtest.h>
#include <test/echo.hpp>

#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

// Each test uses other file names, since some leave code mapped.
class Unload : public Hosting {
 protected:
  static constexpr const char* package = "test.example/faults";
  static constexpr const char* package_in_cpp = "test.example/echo";

  /// Installs a library in the search path of the modules sibling-user.
  void place_library(std::string_view build, std::string_view name) const {
    world_.write("lib/" + std::string(name),
                 read_file(std::string(FAULTS "/").append(build).append(".so")));
  }
};

TEST_F(Unload, UnmapsModulesWithUniqueSymbols) {
  place_fault("unique-symbols", "echo.so");
  Host host(options());
  auto echo = host.create<test::Echo>("standalone:echo").value();
  for (int generation = 1; generation <= 5; ++generation) {
    EXPECT_TRUE(echo->say("hello"));
    EXPECT_TRUE(echo->say("hello"));
    EXPECT_EQ(echo->count().value(), 2) << "statics of the previous generation were used";
    ASSERT_TRUE(host.restart(package_in_cpp));
    EXPECT_FALSE(is_mapped("echo.g" + std::to_string(generation)));
  }
  EXPECT_EQ(module(host, package_in_cpp).still_mapped, 0u);
  EXPECT_EQ(copies(), Texts{module_file("echo.g6.so")});
}

TEST_F(Unload, UnloadsLibrariesBesideTheModule) {
  place_fault("sibling-user", "echo.so");
  place_library("sibling-1", "libtests-sibling.so.1");
  place_library("deep", "libtests-deep.so.1");
  Host host(options());
  auto echo = host.create<test::Echo>("standalone:echo").value();
  EXPECT_EQ(echo->say("hello").value(), "1: hello");
  EXPECT_EQ(echo->count().value(), 1 + 1001 + 1001);

  place_fault("sibling-user-edition-2", "echo.so");
  place_library("sibling-2", "libtests-sibling.so.1");
  ASSERT_TRUE(host.restart(package));
  EXPECT_EQ(echo->say("hello").value(), "2: hello");
  EXPECT_EQ(echo->count().value(), 1 + 2001 + 1001)
      << "the new library is loaded, and both start to count again";
  EXPECT_FALSE(is_mapped("echo.g1"));

  place_library("sibling-1", "libtests-sibling.so.1");
  ASSERT_TRUE(host.restart(package)) << "only the library has changed";
  EXPECT_EQ(echo->say("hello").value(), "2: hello");
  EXPECT_EQ(echo->count().value(), 1 + 1001 + 1001);
  EXPECT_EQ(module(host, package).still_mapped, 0u);
}

TEST_F(Unload, IsPreventedByRunningThreads) {
  place_fault("thread-stays", "stays.so");
  Host host(options());
  auto echo = host.create<test::Echo>("standalone:echo").value();
  ASSERT_TRUE(host.restart(package)) << "running threads do not fail a restart";
  EXPECT_TRUE(is_mapped("stays.g1")) << "a thread runs in it";
  EXPECT_EQ(echo->say("hello").value(), "1: hello");
  EXPECT_EQ(module(host, package).still_mapped, 1u);
  const auto told = events(Event::Type::unload_prevented);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].message.find("its code stays mapped: pthread_create in " +
                                 placed("stays.so").string() + ": its threads may outlast stop; "),
            0u)
      << told[0].message;
  EXPECT_EQ(told[0].generation, 1u);
}

TEST_F(Unload, IsPreventedByOpenHandles) {
  place_fault("unruly", "opened.so");
  Host host(options());
  auto unruly = host.create<test::Echo>("unruly").value();
  ASSERT_TRUE(unruly->say("open itself"));
  ASSERT_TRUE(host.restart("test.example/unruly"));
  EXPECT_TRUE(is_mapped("opened.g1"));
  const auto reported = events(Event::Type::unload_prevented);
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].message,
            "its code stays mapped: " + placed("opened.so").string() +
                ": a handle from dlopen that is still open, or a library that has looked up its "
                "symbols with dlsym, holds it; close in stop what the module has opened");
}

TEST_F(Unload, IsPreventedByLibrariesThatUseItsSymbols) {
  place_fault("unruly-lends", "lends.so");
  const std::string borrower =
      world_.write("borrower.so", read_file(FAULTS "/borrower.so")).string();
  Host host(options());
  auto unruly = host.create<test::Echo>("unruly").value();
  ASSERT_TRUE(unruly->say("lend symbols"));
  ASSERT_TRUE(host.restart("test.example/unruly"));
  EXPECT_TRUE(is_mapped("lends.g1"));
  const auto reported = events(Event::Type::unload_prevented);
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].message,
            "its code stays mapped: " + placed("lends.so").string() + ": " + borrower +
                ", which uses its symbols, holds it; close that library in stop, or link it with "
                "the libraries whose symbols it uses");
}

TEST_F(Unload, KeepsTheHostOfRunningThreads) {
  place_fault("thread-stays", "logs.so");
  std::mutex mutex;
  std::multiset<std::string> lines;
  HostOptions logging = options();
  logging.log_level = LogLevel::debug;
  logging.log_sink = [&](const LogLine& line) {
    const std::lock_guard lock(mutex);
    if (line.package == package) lines.insert(std::string(line.message));
  };
  Host host(logging);
  auto echo = host.create<test::Echo>("standalone:echo").value();
  ASSERT_TRUE(host.restart(package));
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    return lines.count("left by the host") == 3 && lines.count("left in a call") == 3;
  })) << "the thread of the first generation still uses its host";
}

TEST_F(Unload, UnmapsModulesThatJoinTheirThreads) {
  place_fault("thread-joined", "joined.so");
  Host host(options());
  auto echo = host.create<test::Echo>("standalone:echo").value();
  ASSERT_TRUE(host.restart(package));
  EXPECT_FALSE(is_mapped("joined.g1"));
  EXPECT_EQ(module(host, package).still_mapped, 0u);
}

TEST_F(Unload, RefusesToRestartANodeleteModule) {
  place_fault("nodelete", "nodelete.so");
  Host host(options());
  auto echo = host.create<test::Echo>("standalone:echo").value();
  const auto refused = host.restart(package);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "not-reloadable");
  EXPECT_EQ(refused.error().found(), "DF_1_NODELETE: the file states that it is never unloaded");
  EXPECT_EQ(module(host, package).generation, 1u);
  EXPECT_EQ(echo->say("hello").value(), "1: hello");

  ASSERT_TRUE(host.restart(package, {.force = true}));
  EXPECT_TRUE(is_mapped("nodelete.g1"));
  EXPECT_EQ(module(host, package).still_mapped, 1u);
}

TEST_F(Unload, WaitsForThreadLocalObjects) {
  place_fault("thread-local", "holding.so");
  Host host(options());
  auto echo = host.create<test::Echo>("standalone:echo").value();
  std::mutex mutex;
  std::condition_variable changed;
  bool said = false, over = false;
  std::thread thread([&] {
    EXPECT_TRUE(echo->say("hello"));
    std::unique_lock lock(mutex);
    said = true;
    changed.notify_all();
    changed.wait(lock, [&] { return over; });
  });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return said; });
  }
  ASSERT_TRUE(host.restart(package_in_cpp));
  EXPECT_TRUE(is_mapped("holding.g1"));
  EXPECT_EQ(count_events(Event::Type::unload_prevented), 1u);
  {
    std::lock_guard lock(mutex);
    over = true;
    changed.notify_all();
  }
  thread.join();
  EXPECT_TRUE(eventually([&] { return !is_mapped("holding.g1"); })) << "the unload was not retried";
  EXPECT_TRUE(eventually([&] { return copies() == Texts{module_file("holding.g2.so")}; }));
}

}}  // namespace tenon::tests
