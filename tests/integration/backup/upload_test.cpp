// SPDX-License-Identifier: BSL-1.0
//
// Uploads of archives that exceed a limit.
#include "backup/upload.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/world.hpp"
#include "unit/archives.hpp"

namespace backup {
namespace {

TEST(Upload, OfAnArchiveThatIsTooLargeStoresNothing) {
  const tenon::tests::World world;
  std::filesystem::create_directory(world.root() / "store");
  world.place(FLAT_STORE, "flat-store.so");
  tenon::tools::Console console{"test"};
  Settings settings;
  settings.store.reference = "example.io/flat-store";
  settings.store.config = {{"folder", (world.root() / "store").string()}};
  Session session(console, settings, {world.plugins()}, {});
  Store store = Store::open(session).value();

  Upload upload(store, session.caller, "backups/a/contents", {.limits = {.entries = 2}});
  EXPECT_TRUE(upload.add(nth_id(1), "{}"));
  EXPECT_TRUE(upload.add(nth_id(2), "{}"));
  EXPECT_FALSE(upload.refused());
  EXPECT_EQ(upload.add("metadata/backup.json", "{}").error().code(), "archive-too-large");
  EXPECT_TRUE(upload.refused());
  EXPECT_EQ(upload.finish().error().to_string(),
            "error[archive-too-large] the backup is too large for one archive\n"
            "   found   one more entry\n"
            "   needed  at most 2 entries\n"
            "   fix     create several backups, eg: one for each namespace");
  EXPECT_TRUE(store.names().value().empty());
}

}  // namespace
}  // namespace backup
