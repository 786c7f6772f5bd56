// SPDX-License-Identifier: BSL-1.0
//
// Uploads of archives that exceed a limit, and uploads to a store that reads only a part of an
// archive. WRONG is the directory of modules that are named after their faults.
#include "backup/upload.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "framework/world.hpp"
#include "unit/archives.hpp"

namespace backup { namespace {

TEST(Upload, OfAnArchiveThatIsTooLargeStoresNothing) {
  const tenon::tests::World world;
  std::filesystem::create_directory(world.root() / "store");
  world.place(FLAT_STORE, "flat-store.so");
  tenon::tools::Console console{"test"};
  Settings settings;
  settings.store.reference = "example.io/flat-store";
  settings.store.config = {{"directory", (world.root() / "store").string()}};
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

/// Uploads to a store that reads a part of the archive and reports success.
class PartOfAnArchive : public testing::Test {
 protected:
  PartOfAnArchive() {
    world_.place(WRONG "/backup-reads-only-a-part-of-objects.so");
    settings_.store.reference = "test.example/vault";
    settings_.store.config = {{"name", "memory"}};
    session_.emplace(console_, settings_, std::vector{world_.plugins()},
                     std::vector<const tenon_module*>());
    store_.emplace(Store::open(*session_).value());
    upload_.emplace(*store_, session_->caller, "backups/a/contents", ArchiveSettings());
  }

  void add_until_refused() {
    const std::string content(1'000'000, ' ');
    for (std::size_t i = 0; !upload_->refused(); ++i) {
      static_cast<void>(upload_->add(nth_id(i), content));
    }
  }

  void expect_failure() {
    const auto stored = upload_->finish();
    ASSERT_FALSE(stored);
    EXPECT_EQ(to_text(stored.error()),
              "test.example/vault: put_object: backups/a/contents: internal: the store reported "
              "success without reading the whole archive\n"
              "   fix     report the error to the author of the plugin");
    EXPECT_TRUE(store_->names().value().empty());
  }

  tenon::tests::World world_;
  tenon::tools::Console console_{"test"};
  Settings settings_;
  std::optional<Session> session_;
  std::optional<Store> store_;
  std::optional<Upload> upload_;
};

TEST_F(PartOfAnArchive, IsRemovedIfItIsStoredBeforeTheEnd) {
  add_until_refused();
  expect_failure();
}

TEST_F(PartOfAnArchive, IsRemovedIfItIsStoredAfterTheEnd) {
  std::mt19937 random;
  std::string content;  // hardly shrinks when it is compressed, so the store reads only a part
  while (content.size() < 100'000) content += std::to_string(random());
  ASSERT_TRUE(upload_->add(nth_id(1), content));
  expect_failure();
}

TEST_F(PartOfAnArchive, IsRemovedIfTheUploadIsAbandoned) {
  add_until_refused();
  EXPECT_TRUE(upload_->abandon());
  EXPECT_TRUE(store_->names().value().empty());
}

}}  // namespace backup
