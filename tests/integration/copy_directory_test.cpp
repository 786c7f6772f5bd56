// SPDX-License-Identifier: BSL-1.0
//
// The folders of private copies of several hosts that share a folder for temporary files.
// WAITING_HOST is a program with a host that waits to be killed.
#include <gtest/gtest.h>
#include <test/echo.hpp>

#include <csignal>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

class ImageFolders : public Hosting {
 protected:
  ImageFolders() {
    world_.set("TMPDIR", world_.root().string());
    place_fault("good", "echo.so");
  }

  /// Returns the names of the image folders in `parent`.
  static Texts folders(const fs::path& parent) {
    Texts found;
    for (const auto& entry : fs::directory_iterator(parent)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("tenon-")) found.push_back(name);
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  Texts folders() const { return folders(world_.root()); }

  /// Starts another process with a host, which loads a module.
  Child other_host() const {
    Child child = world_.start({WAITING_HOST, world_.plugins().string(), "echo"});
    EXPECT_TRUE(eventually([&] { return child.err().find("ready") != std::string::npos; }))
        << child.err();
    return child;
  }
  static void kill(Child& child) {
    child.signal(SIGKILL);
    child.wait();
  }
};

TEST_F(ImageFolders, AreRemovedAfterTheirHostWasKilled) {
  auto killed = other_host();
  const Texts left = folders();
  ASSERT_EQ(left.size(), 1u);
  kill(killed);
  ASSERT_EQ(folders(), left) << "no host has removed it yet";

  Host host(options());
  ASSERT_EQ(folders(), left) << "no module is loaded yet";
  auto echo = host.create<test::Echo>("echo").value();
  ASSERT_EQ(folders().size(), 1u);
  EXPECT_NE(folders(), left);
  EXPECT_EQ(echo->say("hello").value(), "1: hello");
}

TEST_F(ImageFolders, AreKeptWhileTheirHostLives) {
  auto live = other_host();
  const Texts theirs = folders();
  {
    Host host(options());
    auto echo = host.create<test::Echo>("echo").value();
    EXPECT_EQ(folders().size(), 2u);
    Host second(options());
    auto other = second.create<test::Echo>("echo").value();
    EXPECT_EQ(folders().size(), 3u) << "each host of a process has its own folder";
    EXPECT_EQ(echo->say("hello").value(), "1: hello");
  }
  EXPECT_EQ(folders(), theirs);
}

TEST_F(ImageFolders, AreRecreatedAfterACleanerDeletedThem) {
  Host host(options());
  auto echo = host.create<test::Echo>("echo").value();
  const Texts first = folders();
  fs::remove_all(world_.root() / first.at(0));

  place_fault("good-edition-2", "echo.so");
  ASSERT_TRUE(host.restart("test.example/faults"));
  EXPECT_EQ(echo->say("hello").value(), "2: hello");
  ASSERT_EQ(folders().size(), 1u);
  EXPECT_NE(folders(), first);

  // Other hosts would not remove a folder without a lock file, so the host stops using it.
  fs::remove(world_.root() / folders().at(0) / "lock");
  ASSERT_TRUE(host.restart("test.example/faults"));
  ASSERT_EQ(folders().size(), 1u);
  EXPECT_TRUE(fs::exists(world_.root() / folders().at(0) / "lock"));
}

TEST_F(ImageFolders, AreInTheConfiguredFolder) {
  HostOptions options = this->options();
  options.copy_directory = world_.path("images/x").parent_path();
  {
    Host host(options);
    auto echo = host.create<test::Echo>("echo").value();
    EXPECT_EQ(folders(options.copy_directory).size(), 1u);
    EXPECT_EQ(folders(), Texts());
  }
  EXPECT_TRUE(fs::is_empty(options.copy_directory));

  options.copy_directory = world_.root() / "none";
  Host host(options);
  const auto echo = host.create<test::Echo>("echo");
  ASSERT_FALSE(echo);
  EXPECT_EQ(echo.error().code(), "not-found");
  EXPECT_EQ(echo.error().where(), options.copy_directory.string());
}

TEST_F(ImageFolders, AreNotUsedForModulesLoadedInPlace) {
  HostOptions options = this->options();
  options.load_in_place = true;
  Host host(options);
  auto echo = host.create<test::Echo>("echo").value();
  EXPECT_EQ(folders(), Texts());
  EXPECT_TRUE(is_mapped("plugins/echo.so"));

  // The path is in use by the old code, so the restart loads a copy.
  place_fault("good-edition-2", "echo.so");
  ASSERT_TRUE(host.restart("test.example/faults"));
  EXPECT_EQ(echo->say("hello").value(), "2: hello");
  EXPECT_EQ(copies(), Texts{"echo.g2.so"});
  EXPECT_FALSE(is_mapped("plugins/echo.so"));

  place_fault("good", "echo.so");
  ASSERT_TRUE(host.restart("test.example/faults"));
  EXPECT_EQ(echo->say("hello").value(), "1: hello");
  EXPECT_EQ(copies(), Texts());
  EXPECT_TRUE(is_mapped("plugins/echo.so"));
}

TEST_F(ImageFolders, AreUsedForLockedFiles) {
  HostOptions options = this->options();
  options.lock_file = world_.root() / "tenon.lock";
  ASSERT_TRUE(Host(this->options()).write_lock(options.lock_file));
  options.load_in_place = true;
  Host host(options);
  auto echo = host.create<test::Echo>("standalone:echo");
  ASSERT_TRUE(echo) << echo.error().to_string();
  EXPECT_EQ(copies(), Texts{"echo.g1.so"}) << "the loaded content is the checked content";
}

}}  // namespace tenon::tests
