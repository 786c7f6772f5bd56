// SPDX-License-Identifier: BSL-1.0
//
// Who may change a file: its owner and mode, and the directories above it.
#include "platform/exposure.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include "framework/world.hpp"

namespace tenon { inline namespace v0_1 { namespace platform { namespace {

namespace fs = std::filesystem;

constexpr uid_t somebody = 1;

class Exposures : public testing::Test {
 protected:
  Exposures() { chmod(root().c_str(), 0755); }

  fs::path root() const { return fs::canonical(world_.root()); }
  fs::path place(std::string_view name) const { return fs::canonical(world_.write(name, "x")); }
  static std::string found_at(const fs::path& path) {
    const auto exposure = exposure_at(path);
    return exposure ? exposure->found + ": " + exposure->path.string() : "";
  }

 private:
  const tests::World world_;
};

TEST_F(Exposures, OfOwnFilesAreNone) {
  EXPECT_EQ(found_at(place("a/b/file")), "");
  EXPECT_EQ(found_at(root() / "a/b"), "");
  EXPECT_EQ(found_at(root() / "missing"), "");
}

TEST_F(Exposures, AreFilesThatEveryUserMayWrite) {
  const fs::path file = place("a/file");
  chmod(file.c_str(), 0666);
  const auto exposure = exposure_at(file);
  ASSERT_TRUE(exposure);
  EXPECT_EQ(exposure->found, "a file of mode 0666, so that every user may write");
  EXPECT_EQ(exposure->path, file);
  EXPECT_EQ(exposure->fix, "chmod o-w " + file.string());
  EXPECT_FALSE(exposure->by_owner);
}

TEST_F(Exposures, AreDirectoriesThatEveryUserMayWrite) {
  const fs::path file = place("a/b/file");
  for (const char* above : {"a", "a/b"}) {
    const fs::path directory = root() / above;
    chmod(directory.c_str(), 0777);
    EXPECT_EQ(found_at(file),
              "a directory of mode 0777, so that every user may write: " + directory.string());
    chmod(directory.c_str(), 01777);
    EXPECT_EQ(found_at(file), "") << "only owners of entries may rename them";
    chmod(directory.c_str(), 0755);
  }
}

TEST_F(Exposures, AreFilesThatAGroupMayWrite) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const fs::path file = place("a/file");
  chmod(file.c_str(), 0664);
  EXPECT_EQ(found_at(file), "") << "the group of root";
  ASSERT_EQ(chown(file.c_str(), 0, 1), 0);
  EXPECT_EQ(found_at(file),
            "a file of mode 0664, so that the group daemon may write: " + file.string());
  chmod(file.c_str(), 0644);
  EXPECT_EQ(found_at(file), "");
}

TEST_F(Exposures, AreFilesOfOtherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const fs::path file = place("a/b/file");
  ASSERT_EQ(chown(file.c_str(), somebody, 0), 0);
  EXPECT_EQ(found_at(file), "a file of the user daemon: " + file.string());
  ASSERT_EQ(chown(file.c_str(), 0, 0), 0);
  ASSERT_EQ(chown((root() / "a").c_str(), somebody, 0), 0);
  EXPECT_EQ(found_at(file), "a directory of the user daemon: " + (root() / "a").string());
  chmod((root() / "a").c_str(), 01777);
  EXPECT_NE(found_at(file), "") << "the owner of a directory may rename what is in it";
}

TEST_F(Exposures, AreAccessControlLists) {
  const fs::path file = place("a/file");
  // Version 2; entries with a tag, rights and an id: owner, user 1, group, mask, others.
  constexpr std::array<unsigned char, 44> list = {
      2,  0, 0, 0,                                                               //
      1,  0, 6, 0, 0xff, 0xff, 0xff, 0xff, 2,  0, 6, 0, 1,    0,    0,    0,     //
      4,  0, 4, 0, 0xff, 0xff, 0xff, 0xff, 16, 0, 6, 0, 0xff, 0xff, 0xff, 0xff,  //
      32, 0, 4, 0, 0xff, 0xff, 0xff, 0xff};
  if (setxattr(file.c_str(), "system.posix_acl_access", list.data(), list.size(), 0) != 0)
    GTEST_SKIP() << "the file system has no access control lists";
  EXPECT_EQ(found_at(file),
            "a file with an access control list, by which others may write: " + file.string());
}

TEST_F(Exposures, DoNotDependOnSymbolicLinks) {
  const fs::path file = place("safe/file");
  fs::create_directories(root() / "open");
  chmod((root() / "open").c_str(), 0777);
  fs::create_symlink(file, root() / "open/link");
  EXPECT_EQ(found_at(root() / "open/link"), "") << "it leads to a file that nobody can change";
  fs::create_symlink(place("open/file"), root() / "safe/link");
  EXPECT_NE(found_at(root() / "safe/link"), "");
}

TEST_F(Exposures, OfReplacedFilesAreThoseOfTheOpenOne) {
  const fs::path file = place("a/file");
  chmod(file.c_str(), 0666);
  const auto open = File::open(file).value();
  fs::rename(place("a/other"), file);
  EXPECT_TRUE(exposure_of(file, open.access()));
  EXPECT_FALSE(exposure_of(file, File::open(file).value().access()));
  fs::remove(file);
  EXPECT_FALSE(exposure_of(file, {.owner = geteuid(), .mode = 0644})) << "it was removed";
  fs::remove_all(root() / "a");
  EXPECT_TRUE(exposure_of(file, open.access())) << "its directory cannot be checked";
}

TEST_F(Exposures, AreFoundOnceForADirectory) {
  const fs::path file = place("a/b/file");
  ExposureCheck check;
  const FileAccess access{.owner = geteuid(), .group = 0, .mode = 0644};
  EXPECT_FALSE(check.of(file, access));
  chmod((root() / "a").c_str(), 0777);
  EXPECT_FALSE(check.of(root() / "a/b/another", access)) << "remembered";
  EXPECT_TRUE(ExposureCheck().of(file, access));
}

}}}}  // namespace tenon::v0_1::platform
