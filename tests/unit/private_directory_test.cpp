// SPDX-License-Identifier: BSL-1.0
//
// Private directories, and removal of those that killed processes have left. The processes are
// children of the test.
#include "platform/private_directory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "framework/world.hpp"

namespace tenon { inline namespace v0_1 { namespace platform { namespace {

namespace fs = std::filesystem;

class PrivateDirectories : public testing::Test {
 protected:
  const fs::path& parent() const { return parent_; }
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(parent()), fs::directory_iterator()));
  }
  static std::shared_ptr<PrivateDirectory> create(const fs::path& parent) {
    return PrivateDirectory::create(parent).value();
  }
  /// Runs `body` in a child process, which is killed while it holds the result.
  template <class Body>
  static void run_and_kill(Body body) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto held = body();
      raise(SIGKILL);
    }
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
  }
  /// Creates a directory with two files in a process that is killed. Returns its path.
  fs::path abandon() const {
    const auto before = paths();
    run_and_kill([&] {
      auto directory = create(parent());
      std::FILE* file = std::fopen((directory->path() / "a.so").c_str(), "w");
      if (file != nullptr) std::fclose(file);
      fs::create_symlink("/nowhere", directory->path() / "a.debug");
      return directory;
    });
    for (const fs::path& path : paths()) {
      if (std::find(before.begin(), before.end(), path) == before.end()) return path;
    }
    return {};
  }

 private:
  std::vector<fs::path> paths() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(parent())) found.push_back(entry.path());
    return found;
  }

  const tests::World world_;
  const fs::path parent_ = world_.path("tmp/x").parent_path();
};

TEST_F(PrivateDirectories, ArePrivateAndRemovedWithTheirFiles) {
  {
    const auto one = create(parent());
    const auto two = create(parent());
    EXPECT_NE(one->path(), two->path());
    EXPECT_EQ(fs::status(one->path()).permissions(), fs::perms::owner_all);
    EXPECT_TRUE(one->is_usable());
    fs::create_symlink("/nowhere", one->path() / "link");
    EXPECT_EQ(remove_abandoned_directories(parent()), 0u);
    EXPECT_EQ(count(), 2u);
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(PrivateDirectories, ThatAreKeptAreRemovedAtProcessExit) {
  const auto ours = create(parent());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    static const auto& kept = *new std::shared_ptr(create(parent()));
    fs::create_symlink("/nowhere", kept->path() / "a.so");
    if (count() != 2) std::abort();
    std::exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  // A leak checker may change the status: objects that other threads of the parent reach count as
  // leaked in the child.
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(count(), 1u);
  EXPECT_TRUE(ours->is_usable()) << "the directory of the parent";
}

TEST_F(PrivateDirectories, OfAKilledProcessAreRemoved) {
  ASSERT_FALSE(abandon().empty());
  EXPECT_EQ(remove_abandoned_directories(parent()), 1u);
  EXPECT_EQ(count(), 0u);
}

TEST_F(PrivateDirectories, OfAKilledProcessAreRemovedDespiteItsChild) {
  // The child of the killed process lives until the pipe is closed.
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  run_and_kill([&] {
    auto directory = create(parent());
    if (fork() != 0) return directory;
    close(pipe[1]);
    char c;
    _exit(static_cast<int>(read(pipe[0], &c, 1)));
  });
  ASSERT_EQ(count(), 1u);
  // The child closes its copy of the lock when it starts, which may be after the end of its parent.
  EXPECT_TRUE(tests::eventually([&] { return remove_abandoned_directories(parent()) == 1; }));
  close(pipe[0]);
  close(pipe[1]);
}

TEST_F(PrivateDirectories, OfALiveProcessAreKeptWhenItsChildEnds) {
  const auto directory = create(parent());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(directory->is_usable());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "it is not usable in the child";
  EXPECT_EQ(remove_abandoned_directories(parent()), 0u);
  EXPECT_TRUE(directory->is_usable());
}

TEST_F(PrivateDirectories, WithoutALockAreKept) {
  fs::remove(abandon() / "lock");
  fs::create_directory(parent() / "tenon-old000");
  EXPECT_EQ(remove_abandoned_directories(parent()), 0u);
  EXPECT_EQ(count(), 2u);
}

TEST_F(PrivateDirectories, WithOtherNamesOrTextsAreKept) {
  fs::rename(abandon(), parent() / "tenon-notes");
  fs::rename(abandon(), parent() / "tenon-my-notes");
  std::ofstream(abandon() / "lock") << "mine";
  EXPECT_EQ(remove_abandoned_directories(parent()), 0u);
  EXPECT_EQ(count(), 3u);
}

TEST_F(PrivateDirectories, CreateFilesOnceForTheirOwner) {
  const auto directory = create(parent());
  const std::string text(8192, 'x');
  const auto content = std::as_bytes(std::span(text));
  ASSERT_TRUE(directory->create_file("a", content));
  EXPECT_EQ(fs::status(directory->path() / "a").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(directory->create_file("a", content).error().code(), "cannot-write");
  ASSERT_TRUE(directory->link_file("a", "b"));
  EXPECT_TRUE(fs::equivalent(directory->path() / "a", directory->path() / "b"));
  EXPECT_EQ(directory->link_file("a", "b").error().code(), "cannot-write");

  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{4096, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto failed = directory->create_file("c", content);
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_EQ(failed.error().code(), "cannot-write");
  EXPECT_FALSE(fs::exists(directory->path() / "c"));
}

TEST_F(PrivateDirectories, CreateFilesWhereverTheirPathLeadsNow) {
  const auto directory = create(parent());
  const fs::path moved = parent() / "moved";
  fs::rename(directory->path(), moved);
  fs::create_directory(directory->path());
  ASSERT_TRUE(directory->create_file("a", {}));
  EXPECT_TRUE(fs::exists(moved / "a"));
  EXPECT_TRUE(fs::is_empty(directory->path()));
}

TEST_F(PrivateDirectories, AreNotCreatedWhereOthersMayRenameThem) {
  fs::permissions(parent(), fs::perms::others_write, fs::perm_options::add);
  const auto refused = PrivateDirectory::create(parent());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "untrusted-owner");
  EXPECT_EQ(refused.error().fix(),
            "chmod +t " + parent().string() + ", or set TMPDIR to another directory");
  fs::permissions(parent(), fs::perms::sticky_bit, fs::perm_options::add);
  EXPECT_TRUE(PrivateDirectory::create(parent()));
}

TEST_F(PrivateDirectories, OfRootAreNotCreatedInThoseOfOthers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give directories away";
  ASSERT_EQ(chown(parent().c_str(), 1, 1), 0);
  const auto refused = PrivateDirectory::create(parent());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "untrusted-owner");
  EXPECT_EQ(refused.error().fix(), "set TMPDIR to a directory of this user");
}

TEST_F(PrivateDirectories, OfOtherUsersAreKept) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const fs::path theirs = abandon();
  ASSERT_EQ(chown(theirs.c_str(), 1, 1), 0);
  const fs::path lock_is_theirs = abandon();
  ASSERT_EQ(chown((lock_is_theirs / "lock").c_str(), 1, 1), 0);
  EXPECT_EQ(remove_abandoned_directories(parent()), 0u);
  EXPECT_TRUE(fs::exists(theirs / "a.so"));
  EXPECT_TRUE(fs::exists(lock_is_theirs / "a.so"));
}

TEST_F(PrivateDirectories, ReadableByOthersAreKept) {
  const fs::path open = abandon();
  fs::permissions(open, fs::perms::others_read, fs::perm_options::add);
  EXPECT_EQ(remove_abandoned_directories(parent()), 0u);
  EXPECT_TRUE(fs::exists(open / "a.so"));
}

TEST_F(PrivateDirectories, BehindASymbolicLinkAreKept) {
  const fs::path elsewhere = parent() / "elsewhere";
  fs::rename(abandon(), elsewhere);
  fs::create_directory_symlink(elsewhere, parent() / "tenon-link00");
  const fs::path lock_is_a_link = abandon();
  fs::rename(lock_is_a_link / "lock", parent() / "lock");
  fs::create_symlink(parent() / "lock", lock_is_a_link / "lock");
  EXPECT_EQ(remove_abandoned_directories(parent()), 0u);
  EXPECT_TRUE(fs::exists(elsewhere / "a.so"));
  EXPECT_TRUE(fs::exists(lock_is_a_link / "a.so"));
}

TEST_F(PrivateDirectories, AreRemovedInBatchesOf100) {
  run_and_kill([&] {
    std::vector<std::shared_ptr<PrivateDirectory>> directories;
    for (int i = 0; i < 130; ++i) directories.push_back(create(parent()));
    return directories;
  });
  EXPECT_EQ(remove_abandoned_directories(parent()), 100u);
  EXPECT_EQ(remove_abandoned_directories(parent()), 30u);
  EXPECT_EQ(count(), 0u);
}

TEST_F(PrivateDirectories, WithThousandsOfFilesAreRemovedBySeveralCalls) {
  const fs::path path = abandon();
  for (int i = 0; i < 10'000; ++i) std::ofstream(path / std::to_string(i));
  EXPECT_EQ(remove_abandoned_directories(parent()), 0u);
  EXPECT_TRUE(fs::exists(path / "lock")) << "otherwise no call removes the rest";
  EXPECT_EQ(remove_abandoned_directories(parent()), 1u);
  EXPECT_EQ(count(), 0u);
}

TEST_F(PrivateDirectories, AreKeptUntilTheirFilesCanBeListed) {
  const fs::path path = abandon();
  // Enough for the descriptors of the parent, the directory and its lock.
  const int descriptors[] = {dup(0), dup(0), dup(0)};
  for (const int one : descriptors) close(one);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit small{static_cast<rlim_t>(descriptors[2]) + 1, limit.rlim_max};
  setrlimit(RLIMIT_NOFILE, &small);
  const std::size_t removed = remove_abandoned_directories(parent());
  setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(removed, 0u);
  EXPECT_TRUE(fs::exists(path / "lock"));
  EXPECT_EQ(remove_abandoned_directories(parent()), 1u);
}

TEST_F(PrivateDirectories, AreFoundAmongThousandsOfOthers) {
  for (int i = 0; i < 1500; ++i) fs::create_directory(parent() / ("tenon-" + std::to_string(i)));
  ASSERT_FALSE(abandon().empty());
  // Each call looks at a thousand directories, from a random one on.
  EXPECT_TRUE(tests::eventually([&] { return remove_abandoned_directories(parent()) == 1; }));
  EXPECT_EQ(count(), 1500u);
}

TEST_F(PrivateDirectories, AreCheckedByTheThousand) {
  // A directory inside keeps them, so that only their other file shows which ones were checked.
  const fs::path path = abandon();
  const auto lock = tests::read_file(path / "lock");
  fs::remove_all(path);
  const auto left_of = [&](int total) {
    std::vector<fs::path> files;
    for (int i = 0; i < total; ++i) {
      const std::string number = std::to_string(1'000'000 + i).substr(1);
      const fs::path one = parent() / ("tenon-" + number);
      fs::create_directories(one / "inside");
      fs::permissions(one, fs::perms::owner_all);
      if (!fs::exists(one / "lock")) std::ofstream(one / "lock") << lock;
      files.push_back(one / "file");
      std::ofstream(files.back()).flush();
    }
    EXPECT_EQ(remove_abandoned_directories(parent()), 0u);
    return std::ranges::count_if(files, [](const fs::path& file) { return fs::exists(file); });
  };
  EXPECT_EQ(left_of(1'000), 0);
  EXPECT_EQ(left_of(1'001), 1);
}

TEST_F(PrivateDirectories, AreUnusableWithoutTheirLock) {
  const auto directory = create(parent());
  fs::remove(directory->path() / "lock");
  EXPECT_FALSE(directory->is_usable());
  const auto other = create(parent());
  fs::remove_all(other->path());
  EXPECT_FALSE(other->is_usable());
  fs::create_directory(other->path());
  EXPECT_FALSE(other->is_usable()) << "another directory of the same name";
}

TEST_F(PrivateDirectories, RequireAnExistingParent) {
  const auto none = PrivateDirectory::create(parent() / "none");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), "not-found");
  EXPECT_EQ(remove_abandoned_directories(parent() / "none"), 0u);
}

}}}}  // namespace tenon::v0_1::platform
