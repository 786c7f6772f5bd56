// SPDX-License-Identifier: BSL-1.0
#include "platform/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string>
#include <system_error>

#include "framework/world.hpp"
#include "platform/file_status.hpp"
#include "platform/replace_file.hpp"

namespace tenon { inline namespace v0_1 { namespace platform { namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(File, IsNotWrittenPastTheLimitOfFileSizes) {
  const tests::World world;
  const fs::path path = world.path("a");
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{4096, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto replaced = replace_content(path, std::string(8192, 'x'));
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_EQ(replaced.failed, std::errc::file_too_large);
  EXPECT_FALSE(fs::exists(path));
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
}

TEST(File, IsReadAtAnyOffset) {
  const tests::World world;
  const auto file = File::open(world.write("a", "0123456789")).value();
  EXPECT_EQ(file.identity().size, 10U);

  std::array<std::byte, 4> piece;
  EXPECT_EQ(file.read_at(3, piece).value(), 4U);
  EXPECT_EQ(std::memcmp(piece.data(), "3456", 4), 0);
  EXPECT_EQ(file.read_at(8, piece).value(), 2U);
  EXPECT_EQ(file.read_at(10, piece).value(), 0U);
  EXPECT_EQ(file.read_all(10).value().size(), 10U);
  EXPECT_EQ(file.read_all(9).error().code(), "cannot-read");
}

TEST(File, RefusesPipesAndDirectories) {
  const tests::World world;
  ASSERT_EQ(::mkfifo(world.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(File::open(world.path("pipe")).error().found(), "a pipe");
  EXPECT_EQ(File::open(world.root()).error().found(), "a directory");
  EXPECT_EQ(File::open(world.path("none")).error().code(), "not-found");
}

TEST(File, RefusesAListedFileThatWasReplaced) {
  const tests::World world;
  ASSERT_EQ(::mkfifo(world.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(File::open(world.path("pipe"), true).error().found(), "a pipe");
  EXPECT_EQ(File::open(world.root(), true).error().found(), "a directory");
  EXPECT_EQ(File::open(world.path("none"), true).error().code(), "not-found");
}

TEST(Directory, ListsTheTypesOfItsEntries) {
  const tests::World world;
  const fs::path all = world.path("all");
  fs::create_directories(all / "directory");
  world.write("all/file", "");
  fs::create_symlink("file", all / "link");
  ASSERT_EQ(::mkfifo((all / "pipe").c_str(), 0600), 0);
  std::vector<DirectoryEntry> entries;
  ASSERT_FALSE(read_directory(all, entries));
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_TRUE(entries[0].is_directory);
  EXPECT_TRUE(entries[1].is_regular);
  for (const int other : {0, 2, 3}) EXPECT_FALSE(entries[other].is_regular) << entries[other].name;
}

TEST(Directory, HasTheStatusOfItsEntries) {
  const tests::World world;
  const fs::path all = world.path("all");
  fs::create_directories(all / "directory");
  world.write("all/file", "text");
  fs::create_symlink("file", all / "link");
  fs::create_symlink("none", all / "nowhere");
  OpenDirectory open(all.c_str());
  std::vector<DirectoryEntry> entries;
  ASSERT_FALSE(open.read(entries));
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  ASSERT_EQ(entries.size(), 4U);
  fs::rename(all, world.path("renamed"));
  const FileIdentity file = identity_of(world.path("renamed/file")).value();
  EXPECT_TRUE(open.status_of(entries[0])->access.is_directory);
  EXPECT_EQ(open.status_of(entries[1])->identity, file);
  EXPECT_EQ(open.status_of(entries[2])->identity, file) << "links are followed";
  EXPECT_FALSE(open.status_of(entries[3]));
  EXPECT_TRUE(open.access()->is_directory);
}

TEST(Directory, ReportsThatItCannotBeOpened) {
  const tests::World world;
  OpenDirectory none(world.path("none").c_str());
  std::vector<DirectoryEntry> entries;
  EXPECT_EQ(none.read(entries), std::errc::no_such_file_or_directory);
  EXPECT_FALSE(none.access());
  EXPECT_FALSE(none.status_of({"file", false, false, true}));
}

TEST(File, HasAnIdentityThatChangesWithIt) {
  const tests::World world;
  const auto path = world.write("a", "old");
  const auto before = identity_of(path).value();
  EXPECT_EQ(identity_of(path).value(), before);
  ASSERT_TRUE(replace_file(path, bytes("new")));
  EXPECT_NE(identity_of(path).value(), before);
}

TEST(File, IsUnchangedIfAnotherOneReplacesIt) {
  const tests::World world;
  const auto path = world.write("a", "one");
  const auto file = File::open(path).value();
  EXPECT_TRUE(file.is_unchanged());
  fs::rename(world.write("b", "another"), path);
  EXPECT_TRUE(file.is_unchanged());
  fs::remove(path);
  EXPECT_TRUE(file.is_unchanged());
}

TEST(File, IsChangedIfItIsWrittenTo) {
  const tests::World world;
  const auto path = world.write("a", "one");
  const auto file = File::open(path).value();
  world.write("a", "three");
  EXPECT_FALSE(file.is_unchanged()) << "its size";
  const auto again = File::open(path).value();
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(1));
  EXPECT_FALSE(again.is_unchanged()) << "its time";
}

TEST(File, IsReplacedAtomically) {
  const tests::World world;
  const auto path = world.path("a");
  ASSERT_TRUE(replace_file(path, bytes("first")));
  ASSERT_TRUE(replace_file(path, bytes("second")));
  EXPECT_EQ(world.read("a"), "second");
  for (const auto& entry : fs::directory_iterator(world.root())) {
    EXPECT_EQ(entry.path().string().find(".new"), std::string::npos) << entry.path();
  }
}

TEST(File, KeepsItsPermissionsWhenReplaced) {
  const tests::World world;
  const auto path = world.write("a", "old");
  for (const auto rights : {fs::perms::owner_read, fs::perms::owner_all | fs::perms::group_read}) {
    fs::permissions(path, rights);
    ASSERT_TRUE(replace_file(path, bytes("new")));
    EXPECT_EQ(fs::status(path).permissions(), rights);
  }
  ASSERT_TRUE(replace_file(world.path("b"), bytes("new")));
  EXPECT_EQ(fs::status(world.path("b")).permissions(),
            fs::status(world.write("c", "")).permissions());
}

TEST(ReplacedFile, LeavesOtherFilesUnchanged) {
  const tests::World world;
  const auto path = world.write("a", "old");
  world.write("theirs", "theirs");
  fs::create_hard_link(world.path("theirs"), world.path("a.new"));
  ASSERT_EQ(world.run({"mkfifo", "a.lock"}).exit, 0);
  ASSERT_FALSE(replace_content(path, "new").failed);
  EXPECT_EQ(world.read("a"), "new");
  EXPECT_EQ(world.read("theirs"), "theirs");
  EXPECT_EQ(world.read("a.new"), "theirs");
  for (const auto& entry : fs::directory_iterator(world.root())) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".tenon-")) << entry.path();
  }
}

TEST(ReplacedFile, RemovesTemporaryFilesOfProcessesThatHaveEnded) {
  const tests::World world;
  const auto abandoned = world.write(".tenon-0123456789abcdef", "half");
  const auto locked = world.write(".tenon-fedcba9876543210", "half");
  const int owner = ::open(locked.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(owner, LOCK_EX), 0);
  const std::array<const char*, 3> others = {".tenon-partial", ".tenon-0123456789abcdeg",
                                             "0123456789abcdef"};
  for (const char* other : others) world.write(other, "");
  fs::create_symlink("0123456789abcdef", world.path(".tenon-aaaaaaaaaaaaaaaa"));
  ASSERT_FALSE(replace_content(world.path("a"), "new").failed);
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(locked));
  for (const char* other : others) EXPECT_TRUE(fs::exists(world.path(other))) << other;
  EXPECT_TRUE(fs::exists(world.path(".tenon-aaaaaaaaaaaaaaaa")));
  ::close(owner);
}

TEST(ReplacedFile, FollowsSymbolicLinks) {
  const tests::World world;
  const auto target = world.write("directory/target", "old");
  fs::create_symlink("directory/target", world.path("link"));
  fs::create_symlink("link", world.path("link-of-link"));
  ASSERT_FALSE(replace_content(world.path("link-of-link"), "new").failed);
  EXPECT_TRUE(fs::is_symlink(world.path("link-of-link")));
  EXPECT_EQ(world.read("directory/target"), "new");
  fs::create_symlink("directory/fresh", world.path("dangling"));
  ASSERT_FALSE(replace_content(world.path("dangling"), "new").failed);
  EXPECT_EQ(world.read("directory/fresh"), "new");
  fs::create_symlink("circle", world.path("circle"));
  EXPECT_TRUE(replace_content(world.path("circle"), "new").failed);
}

TEST(ReplacedFile, FollowsAsManyLinksAsTheSystem) {
  const tests::World world;
  world.write("0", "old");
  for (int i = 1; i <= 400; ++i)
    fs::create_symlink(std::to_string(i - 1), world.path(std::to_string(i)));
  EXPECT_FALSE(replace_content(world.path("40"), "new").failed);
  EXPECT_EQ(world.read("0"), "new");
  EXPECT_TRUE(replace_content(world.path("41"), "newer").failed);
  EXPECT_TRUE(replace_content(world.path("400"), "newer").failed);
  EXPECT_EQ(world.read("0"), "new");
}

TEST(ReplacedFile, IsUnchangedUntilTheCommit) {
  const tests::World world;
  const auto path = world.write("a", "old");
  {
    Replacement dropped(path);
    dropped.append("half");
  }
  EXPECT_EQ(world.read("a"), "old");
  Replacement replacement(path);
  replacement.append("first ");
  replacement.append("second");
  EXPECT_EQ(world.read("a"), "old");
  ASSERT_FALSE(replacement.commit().failed);
  EXPECT_EQ(world.read("a"), "first second");
  for (const auto& entry : fs::directory_iterator(world.root())) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".tenon-")) << entry.path();
  }
}

TEST(ReplacedFile, CountsOtherHardLinks) {
  const tests::World world;
  const auto path = world.write("a", "old");
  EXPECT_EQ(replace_content(path, "1").other_names, 0U);
  fs::create_hard_link(path, world.path("b"));
  EXPECT_EQ(replace_content(path, "2").other_names, 1U);
  EXPECT_EQ(world.read("b"), "1");
}

TEST(ReplacedFile, RefusesPipes) {
  const tests::World world;
  ASSERT_EQ(world.run({"mkfifo", "pipe"}).exit, 0);
  EXPECT_TRUE(replace_content(world.path("pipe"), "new").failed);
  EXPECT_TRUE(fs::is_fifo(world.path("pipe")));
}

TEST(ReplacedFile, KeepsOwnerPermissionsAndAccessList) {
  const tests::World world;
  const auto path = world.write("a", "old");
  // Version 2; then tag, permissions and id of owner, user 1, group, mask and others.
  const std::uint32_t list[] = {2,   0x00060001, ~0U, 0x00040002, 1,  0x00040004,
                                ~0U, 0x00040010, ~0U, 0x00000020, ~0U};
  const bool lists = ::setxattr(path.c_str(), "system.posix_acl_access", list, sizeof list, 0) == 0;
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(path.c_str(), 1, 1), 0);
  }
  struct stat before;
  ASSERT_EQ(::stat(path.c_str(), &before), 0);
  ASSERT_FALSE(replace_content(path, "new").failed);
  struct stat after;
  ASSERT_EQ(::stat(path.c_str(), &after), 0);
  EXPECT_NE(before.st_ino, after.st_ino);
  EXPECT_EQ(before.st_uid, after.st_uid);
  EXPECT_EQ(before.st_gid, after.st_gid);
  EXPECT_EQ(before.st_mode, after.st_mode);
  std::uint32_t kept[11] = {};
  const auto size = ::getxattr(path.c_str(), "system.posix_acl_access", kept, sizeof kept);
  EXPECT_EQ(size == sizeof list && std::equal(kept, kept + 11, list), lists);
}

TEST(ReplacedFile, IsPrivateToItsOwnerOnRequest) {
  const tests::World world;
  ASSERT_FALSE(replace_content(world.path("a"), "new", Attributes::owner_only).failed);
  EXPECT_EQ(fs::status(world.path("a")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST(File, ReportsAFailedReplacement) {
  const tests::World world;
  const auto error = replace_file(world.root() / "none" / "a", bytes("x")).error();
  EXPECT_EQ(error.code(), "not-found");
  fs::create_directory(world.path("directory"));
  world.write("directory/inside", "");
  EXPECT_EQ(replace_file(world.path("directory"), bytes("x")).error().code(), "cannot-write");
}

TEST(File, IsRemovedLikeAnEmptyDirectory) {
  const tests::World world;
  const auto directory = world.path("directory/file").parent_path();
  ASSERT_TRUE(platform::remove(directory));
  EXPECT_FALSE(fs::exists(directory));
  EXPECT_TRUE(platform::remove(directory)) << "it does not exist";
  EXPECT_FALSE(platform::remove(world.root()));
}

}}}}  // namespace tenon::v0_1::platform
