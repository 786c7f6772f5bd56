// SPDX-License-Identifier: BSL-1.0
//
// The directories of private copies of several hosts that share a directory for temporary files.
// WAITING_HOST is a program with a host that waits to be killed.
#include <gtest/gtest.h>
#include <test/echo.hpp>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

class ImageDirectories : public Hosting {
 protected:
  ImageDirectories() {
    world_.set(temporary_variable, world_.root().string());
    place_fault("good", "echo.so");
  }

  /// Returns the names of the image directories in `parent`.
  static Texts directories(const fs::path& parent) {
    Texts found;
    for (const auto& entry : fs::directory_iterator(parent)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("tenon-")) found.push_back(name);
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  Texts directories() const { return directories(world_.root()); }

  /// Starts another process with a host, which loads a module.
  Child other_host() const {
    Child child = world_.start({WAITING_HOST, world_.plugins().string(), "echo"});
    EXPECT_TRUE(eventually([&] { return child.err().find("ready") != std::string::npos; }))
        << child.err();
    return child;
  }
};

TEST_F(ImageDirectories, AreRemovedAfterTheirHostWasKilled) {
  auto killed = other_host();
  const Texts left = directories();
  ASSERT_EQ(left.size(), 1u);
  killed.kill();
  ASSERT_EQ(directories(), left) << "no host has removed it yet";

  Host host(options());
  ASSERT_EQ(directories(), left) << "no module is loaded yet";
  auto echo = host.create<test::Echo>("echo").value();
  ASSERT_EQ(directories().size(), 1u);
  EXPECT_NE(directories(), left);
  EXPECT_EQ(echo->say("hello").value(), "1: hello");
}

TEST_F(ImageDirectories, AreKeptWhileTheirHostLives) {
  auto live = other_host();
  const Texts theirs = directories();
  {
    Host host(options());
    auto echo = host.create<test::Echo>("echo").value();
    EXPECT_EQ(directories().size(), 2u);
    Host second(options());
    auto other = second.create<test::Echo>("echo").value();
    EXPECT_EQ(directories().size(), 3u) << "each host of a process has its own directory";
    EXPECT_EQ(echo->say("hello").value(), "1: hello");
  }
  EXPECT_EQ(directories(), theirs);
}

#ifndef _WIN32  // a loaded file cannot be removed
TEST_F(ImageDirectories, AreRecreatedAfterACleanerDeletedThem) {
  Host host(options());
  auto echo = host.create<test::Echo>("echo").value();
  const Texts first = directories();
  fs::remove_all(world_.root() / first.at(0));

  place_fault("good-edition-2", "echo.so");
  ASSERT_TRUE(host.restart("test.example/faults"));
  EXPECT_EQ(echo->say("hello").value(), "2: hello");
  ASSERT_EQ(directories().size(), 1u);
  EXPECT_NE(directories(), first);

  // Other hosts would not remove a directory without a lock file, so the host stops using it.
  fs::remove(world_.root() / directories().at(0) / "lock");
  ASSERT_TRUE(host.restart("test.example/faults"));
  ASSERT_EQ(directories().size(), 1u);
  EXPECT_TRUE(fs::exists(world_.root() / directories().at(0) / "lock"));
}
#endif

TEST_F(ImageDirectories, AreInTheConfiguredDirectory) {
  HostOptions options = this->options();
  options.copy_directory = world_.path("images/x").parent_path();
  {
    Host host(options);
    auto echo = host.create<test::Echo>("echo").value();
    EXPECT_EQ(directories(options.copy_directory).size(), 1u);
    EXPECT_EQ(directories(), Texts());
  }
  EXPECT_TRUE(fs::is_empty(options.copy_directory));

  options.copy_directory = world_.root() / "none";
  Host host(options);
  const auto echo = host.create<test::Echo>("echo");
  ASSERT_FALSE(echo);
  EXPECT_EQ(echo.error().code(), "not-found");
  EXPECT_EQ(echo.error().where(), options.copy_directory.string());
}

#ifndef _WIN32  // a loaded file cannot be replaced
TEST_F(ImageDirectories, AreNotUsedForModulesLoadedInPlace) {
  HostOptions options = this->options();
  options.load_in_place = true;
  Host host(options);
  auto echo = host.create<test::Echo>("echo").value();
  EXPECT_EQ(directories(), Texts());
  EXPECT_TRUE(is_mapped("plugins/echo.so"));

  // The path is in use by the old code, so the restart loads a copy.
  place_fault("good-edition-2", "echo.so");
  ASSERT_TRUE(host.restart("test.example/faults"));
  EXPECT_EQ(echo->say("hello").value(), "2: hello");
  EXPECT_EQ(copies(), Texts{module_file("echo.g2.so")});
  EXPECT_FALSE(is_mapped("plugins/echo.so"));

  place_fault("good", "echo.so");
  ASSERT_TRUE(host.restart("test.example/faults"));
  EXPECT_EQ(echo->say("hello").value(), "1: hello");
  EXPECT_EQ(copies(), Texts());
  EXPECT_TRUE(is_mapped("plugins/echo.so"));
}
#endif

TEST_F(ImageDirectories, AreUsedForLockedFiles) {
  HostOptions options = this->options();
  options.lock_file = world_.root() / "tenon.lock";
  ASSERT_TRUE(Host(this->options()).write_lock(options.lock_file));
  options.load_in_place = true;
  Host host(options);
  auto echo = host.create<test::Echo>("standalone:echo");
  ASSERT_TRUE(echo) << echo.error().to_string();
  EXPECT_EQ(copies(), Texts{module_file("echo.g1.so")})
      << "the loaded content is the checked content";
}

}}  // namespace tenon::tests
