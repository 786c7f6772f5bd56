// SPDX-License-Identifier: BSL-1.0
//
// The delete flow of tenon-backup in a host without builtins, and so without delete actions.
#include "backup/deletion.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "backup/create.hpp"
#include "framework/world.hpp"

namespace backup { namespace {

class NoDeleteAction : public testing::Test {
 protected:
  NoDeleteAction() {
    std::filesystem::create_directory(world_.root() / "store");
    world_.write("items.json",
                 R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"n"}})");
    world_.place(FLAT_STORE, "flat-store.so");
    settings_.store.reference = "example.io/flat-store";
    settings_.store.config = {{"directory", (world_.root() / "store").string()}};
    session_.emplace(console_, settings_, std::vector{world_.plugins()},
                     std::vector<const tenon_module*>());
    store_.emplace(Store::open(*session_).value());
  }

  tenon::tests::World world_;
  tenon::tools::Console console_{"test"};
  Settings settings_;
  std::optional<Session> session_;
  std::optional<Store> store_;
  Report report_{console_};
  Tally tally_;
};

TEST_F(NoDeleteAction, NeedsNoArchive) {
  const auto record = create_backup(
      *session_, *store_,
      {.name = "nightly", .from = world_.root() / "items.json", .selector = {}, .ttl = {}}, report_,
      tally_);
  ASSERT_TRUE(record) << record.error().to_string();
  ASSERT_TRUE(*record);
  std::size_t broken = 0;
  for (const auto& entry : std::filesystem::directory_iterator(world_.root() / "store")) {
    if (entry.path().string().find("contents-") == std::string::npos) continue;
    std::filesystem::resize_file(entry.path(), 10);
    ++broken;
  }
  ASSERT_EQ(broken, 1u);
  const auto deletion =
      delete_backup(*session_, *store_, **record, DeleteActions::executed, report_, tally_);
  ASSERT_TRUE(deletion) << deletion.error().to_string();
  EXPECT_TRUE(deletion->deleted);
  EXPECT_TRUE(deletion->actions.empty());
  EXPECT_EQ(report_.errors(), 0u);
  EXPECT_TRUE(store_->names().value().empty());
}

}}  // namespace backup
