// SPDX-License-Identifier: BSL-1.0
//
// The folders of private copies, as several hosts share a folder for temporary files. WAITING_HOST
// is a program with a host that waits to be killed.
#include <gtest/gtest.h>

#include <csignal>
#include <test/echo.hpp>

#include "integration/hosting.hpp"

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;

class ImageFolders : public Hosting {
 protected:
  ImageFolders() {
    world_.set("TMPDIR", world_.root().string());
    place_fault("good", "echo.so");
  }

  /// The folders of copies in a folder.
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

  /// Another process with a host that has loaded a module.
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

TEST_F(ImageFolders, OfAKilledHostAreRemovedByTheNext) {
  auto killed = other_host();
  const Texts left = folders();
  ASSERT_EQ(left.size(), 1u);
  kill(killed);
  ASSERT_EQ(folders(), left) << "nobody was there to remove it";

  Host host(options());
  ASSERT_EQ(folders(), left) << "no module is loaded yet";
  auto echo = host.create<test::Echo>("echo").value();
  ASSERT_EQ(folders().size(), 1u);
  EXPECT_NE(folders(), left);
  EXPECT_EQ(echo->say("hello").value(), "1: hello");
}

TEST_F(ImageFolders, OfALiveHostStay) {
  auto live = other_host();
  const Texts theirs = folders();
  {
    Host host(options());
    auto echo = host.create<test::Echo>("echo").value();
    EXPECT_EQ(folders().size(), 2u);
    Host second(options());
    auto other = second.create<test::Echo>("echo").value();
    EXPECT_EQ(folders().size(), 3u) << "hosts of one process have folders of their own";
    EXPECT_EQ(echo->say("hello").value(), "1: hello");
  }
  EXPECT_EQ(folders(), theirs);
}

TEST_F(ImageFolders, ThatACleanerDeletedAreMadeAgain) {
  Host host(options());
  auto echo = host.create<test::Echo>("echo").value();
  const Texts first = folders();
  fs::remove_all(world_.root() / first.at(0));

  place_fault("good-edition-2", "echo.so");
  ASSERT_TRUE(host.restart("test.example/faults"));
  EXPECT_EQ(echo->say("hello").value(), "2: hello");
  ASSERT_EQ(folders().size(), 1u);
  EXPECT_NE(folders(), first);

  // A folder without its lock is not removed by other hosts, so it is not used any longer.
  fs::remove(world_.root() / folders().at(0) / "lock");
  ASSERT_TRUE(host.restart("test.example/faults"));
  ASSERT_EQ(folders().size(), 1u);
  EXPECT_TRUE(fs::exists(world_.root() / folders().at(0) / "lock"));
}

TEST_F(ImageFolders, LieWhereTheHostSays) {
  HostOptions options = this->options();
  options.image_folder = world_.path("images/x").parent_path();
  {
    Host host(options);
    auto echo = host.create<test::Echo>("echo").value();
    EXPECT_EQ(folders(options.image_folder).size(), 1u);
    EXPECT_EQ(folders(), Texts());
  }
  EXPECT_TRUE(fs::is_empty(options.image_folder));

  options.image_folder = world_.root() / "none";
  Host host(options);
  const auto echo = host.create<test::Echo>("echo");
  ASSERT_FALSE(echo);
  EXPECT_EQ(echo.error().code(), "not-found");
  EXPECT_EQ(echo.error().where(), options.image_folder.string());
}

TEST_F(ImageFolders, AreNotNeededWhereTheFileItselfIsLoaded) {
  HostOptions options = this->options();
  options.map_original = true;
  Host host(options);
  auto echo = host.create<test::Echo>("echo").value();
  EXPECT_EQ(folders(), Texts());
  EXPECT_TRUE(is_mapped("plugins/echo.so"));

  // While the old code serves, the path leads to it; the restart takes a copy.
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

TEST_F(ImageFolders, AreNeededForFilesThatALockNames) {
  HostOptions options = this->options();
  options.lock_file = world_.root() / "tenon.lock";
  ASSERT_TRUE(Host(this->options()).write_lock(options.lock_file));
  options.map_original = true;
  Host host(options);
  auto echo = host.create<test::Echo>("standalone:echo");
  ASSERT_TRUE(echo) << echo.error().to_string();
  EXPECT_EQ(copies(), Texts{"echo.g1.so"}) << "what is loaded is what was checked";
}

}  // namespace
}  // namespace tenon::tests
