// SPDX-License-Identifier: BSL-1.0
#include "platform/file.hpp"

#include "framework/world.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <array>
#include <cstring>
#include <string>

namespace tenon::platform {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(File, IsReadAtAnyPlace) {
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

TEST(File, IsNeitherAPipeNorAFolder) {
  const tests::World world;
  ASSERT_EQ(::mkfifo(world.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(File::open(world.path("pipe")).error().found(), "a pipe");
  EXPECT_EQ(File::open(world.root()).error().found(), "a folder");
  EXPECT_EQ(File::open(world.path("none")).error().code(), "not-found");
}

TEST(File, HasAnIdentityThatChangesWithIt) {
  const tests::World world;
  const auto path = world.write("a", "old");
  const auto before = identity_of(path).value();
  EXPECT_EQ(identity_of(path).value(), before);
  ASSERT_TRUE(replace_file(path, bytes("new")));
  EXPECT_NE(identity_of(path).value(), before);
}

TEST(File, IsReplacedAsAWhole) {
  const tests::World world;
  const auto path = world.path("a");
  ASSERT_TRUE(replace_file(path, bytes("first")));
  ASSERT_TRUE(replace_file(path, bytes("second")));
  EXPECT_EQ(world.read("a"), "second");
  for (const auto& entry : fs::directory_iterator(world.root())) {
    EXPECT_EQ(entry.path().string().find(".new"), std::string::npos) << entry.path();
  }
}

TEST(File, KeepsItsRightsWhenItIsReplaced) {
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

TEST(File, IsNotReplacedWhereThatCannotBe) {
  const tests::World world;
  const auto error = replace_file(world.root() / "none" / "a", bytes("x")).error();
  EXPECT_EQ(error.code(), "not-found");
  fs::create_directory(world.path("folder"));
  world.write("folder/inside", "");
  EXPECT_EQ(replace_file(world.path("folder"), bytes("x")).error().code(), "cannot-write");
}

TEST(File, IsCreatedForItsOwnerAloneAndOnlyOnce) {
  const tests::World world;
  const auto path = world.path("private");
  ASSERT_TRUE(create_file(path, bytes("x")));
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(create_file(path, bytes("y")).error().code(), "cannot-write");
  EXPECT_EQ(world.read("private"), "x");
}

TEST(File, IsRemovedOrAnEmptyFolderIs) {
  const tests::World world;
  const auto folder = world.path("folder/file").parent_path();
  ASSERT_TRUE(platform::remove(folder));
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_TRUE(platform::remove(folder)) << "nothing is there";
  EXPECT_FALSE(platform::remove(world.root()));
}

}  // namespace
}  // namespace tenon::platform
