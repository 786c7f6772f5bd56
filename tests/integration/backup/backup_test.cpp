// SPDX-License-Identifier: BSL-1.0
//
// Plugins of version 1 of the backup kinds in a host that knows version 2.
#include <tenon/backup_item_action.hpp>
#include <tenon/object_store.hpp>
#include <tenon/restore_item_action.hpp>
#include <tenon/volume_snapshotter.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;
using Keys = std::vector<std::string>;

class OldBackup : public Hosting {
 protected:
  OldBackup() {
    place("old-backup.so");
    host_.emplace(options());
  }

  template <class Kind>
  Handle<Kind> create(std::string_view name, const TextMap& config = {}) {
    return host_->create<Kind>(name, config).value();
  }

  std::optional<Host> host_;
};

class Content : public HostReader {
 public:
  explicit Content(std::string text) : left_(std::move(text)) {}
  Result<std::size_t> read(Call&, std::span<std::uint8_t> into) override {
    const std::size_t count = std::min(left_.size(), into.size());
    std::copy_n(left_.data(), count, into.data());
    left_.erase(0, count);
    return count;
  }

 private:
  std::string left_;
};

Reader content(std::string text) {
  return std::make_unique<Content>(std::move(text));
}

std::string all(Reader reader) {
  std::string text;
  std::uint8_t room[5];
  while (const std::size_t count = reader.read(room).value()) {
    text.append(reinterpret_cast<const char*>(room), count);
  }
  return text;
}

BackupV2 nightly() {
  BackupV2 backup;
  backup.name = "nightly";
  backup.selector.included_namespaces = {"web", "db"};
  backup.phase = BackupV2::Phase::InProgress;
  backup.expires = Timestamp(1h);
  return backup;
}

RestoreV1 again() {
  RestoreV1 restore;
  restore.name = "nightly-1";
  restore.backup = "nightly";
  restore.namespace_mapping = {{"web", "web-2"}};
  return restore;
}

using OldObjectStore = OldBackup;

TEST_F(OldObjectStore, KeepsObjects) {
  auto store = create<ObjectStore>("test.example/store");
  ASSERT_TRUE(store->put_object("b", "a/1", content("the content")));
  EXPECT_EQ(all(store->get_object("b", "a/1").value()), "the content");
  EXPECT_EQ(store->get_object("b", "a/2").error().code(), "not-found");
  EXPECT_EQ(store->list_common_prefixes("b", "a/", "/").value(), Keys{"a/f-1/"});
  EXPECT_EQ(store->create_signed_url("b", "a/1", 5ns).value(), "memory:a/1?ttl=5");
  ASSERT_TRUE(store->delete_object("b", "a/1"));
  EXPECT_EQ(store->get_object("b", "a/1").error().code(), "not-found");
}

TEST_F(OldObjectStore, KnowsOnlyWhetherAnObjectExists) {
  auto store = create<ObjectStore>("test.example/store");
  ASSERT_TRUE(store->put_object("b", "k", content("")));
  EXPECT_EQ(store->object_info("b", "k").value(), ObjectInfoV1{});
  EXPECT_EQ(store->object_info("b", "l").error().code(), "not-found");
  EXPECT_EQ(store->object_info("c", "k").error().code(), "not-found");
}

TEST_F(OldObjectStore, ListsInPages) {
  auto store = create<ObjectStore>("test.example/store");
  for (const char* key : {"a/3", "a/1", "a/2", "b/1", "a/"}) {
    ASSERT_TRUE(store->put_object("b", key, content("")));
  }
  const auto expect = [&](std::string_view after, std::uint32_t limit, const Keys& keys,
                          bool more) {
    const auto page = store->list_objects("b", "a/", after, limit).value();
    EXPECT_EQ(page.keys, keys) << after << " " << limit;
    EXPECT_EQ(page.more, more) << after << " " << limit;
  };
  expect("", 0, {"a/", "a/1", "a/2", "a/3"}, false);
  expect("", 2, {"a/", "a/1"}, true);
  expect("a/1", 2, {"a/2", "a/3"}, false);
  expect("a/1", 1, {"a/2"}, true);
  expect("a/11", 0, {"a/2", "a/3"}, false);
  expect("a/3", 2, {}, false);
  EXPECT_EQ(store->list_objects("none", "", "", 0).value().keys, Keys{});
}

TEST_F(OldBackup, SnapshotsHaveNoOperations) {
  auto snapshotter = create<VolumeSnapshotter>("test.example/snapshotter");
  EXPECT_EQ(snapshotter->create_snapshot("v", "z", {{"a", "1"}, {"b", "2"}}).value(),
            "v@z a=1 b=2");
  EXPECT_EQ(snapshotter->create_volume_from_snapshot("s", "fast", "z", 0).value(), "s fast z 0");
  EXPECT_EQ(snapshotter->create_volume_from_snapshot("s", "fast", "z", std::nullopt).value(),
            "s fast z none");
  EXPECT_EQ(snapshotter->get_volume_info("idle", "z").value().iops, 0);
  EXPECT_EQ(snapshotter->get_volume_info("v", "z").value().iops, std::nullopt);
  EXPECT_EQ(snapshotter->get_volume_id("{}").value(), "{}");
  EXPECT_EQ(snapshotter->set_volume_id("{}", "w").value(), Json{"\"w\""});
  EXPECT_TRUE(snapshotter->delete_snapshot("s"));
  EXPECT_EQ(snapshotter->delete_snapshot("kept").error().code(), "failed-precondition");

  const auto progress = snapshotter->progress("s");
  EXPECT_EQ(progress.error().code(), "unimplemented");
  EXPECT_EQ(progress.error().message(),
            "a volume snapshotter of version 1 has no asynchronous operations");
  EXPECT_TRUE(snapshotter->cancel("s"));
}

TEST_F(OldBackup, BackupActionsGetTheBackupInVersion1) {
  auto action = create<BackupItemAction>("test.example/mark-backups", {{"added", "settings"}});
  EXPECT_EQ(action->name().value(), "test.example/mark-backups");
  EXPECT_EQ(action->applies_to().value().included_resources, Keys{"pods"});
  const auto done = action->execute("{}", nightly()).value();
  EXPECT_EQ(done.item, Json{"\"nightly in_progress of web db\""});
  ASSERT_EQ(done.additional_items.size(), 1u);
  EXPECT_EQ(done.additional_items[0].resource, "configmaps");
  EXPECT_EQ(done.additional_items[0].in_namespace, "web");
  EXPECT_EQ(done.additional_items[0].name, "settings");
  EXPECT_EQ(done.operation_id, "");
  EXPECT_TRUE(done.post_operation_items.empty());

  const auto progress = action->progress("1", nightly());
  EXPECT_EQ(progress.error().code(), "unimplemented");
  EXPECT_EQ(progress.error().message(),
            "a backup item action of version 1 has no asynchronous operations");
  EXPECT_TRUE(action->cancel("1", nightly()));
}

TEST_F(OldBackup, BackupActionsMayLeaveItemsUnchanged) {
  auto action = create<BackupItemAction>("test.example/mark-backups");
  const auto done = action->execute("{}", nightly()).value();
  EXPECT_EQ(done.item, std::nullopt);
  EXPECT_TRUE(done.additional_items.empty());
}

TEST_F(OldBackup, ActionsEndByTheDeadlineOfTheirCall) {
  auto action = create<BackupItemAction>("test.example/mark-backups");
  const BackupV2 backup = nightly();
  Call call;
  call.set_timeout(20ms);
  EXPECT_EQ(action->execute(call, "\"slow\"", backup).error().code(), "deadline-exceeded");
}

TEST_F(OldBackup, RestoreActionsHaveNoOperations) {
  auto action = create<RestoreItemAction>("test.example/map-namespaces");
  EXPECT_EQ(action->name().value(), "test.example/map-namespaces");
  EXPECT_EQ(action->applies_to().value(), SelectorV1{});
  const auto done = action->execute("1", "1", again()).value();
  EXPECT_EQ(done.updated_item, Json{"\"nightly web->web-2\""});
  ASSERT_EQ(done.additional_items.size(), 1u);
  EXPECT_EQ(done.additional_items[0].name, "key");
  EXPECT_FALSE(done.skip_restore);
  EXPECT_EQ(done.operation_id, "");
  EXPECT_FALSE(done.wait_for_additional_items);
  EXPECT_EQ(done.additional_items_ready_timeout, 0ns);
  EXPECT_TRUE(action->execute("1", "2", again()).value().skip_restore);

  const auto progress = action->progress("1", again());
  EXPECT_EQ(progress.error().code(), "unimplemented");
  EXPECT_EQ(progress.error().message(),
            "a restore item action of version 1 has no asynchronous operations");
  EXPECT_TRUE(action->cancel("1", again()));
  EXPECT_TRUE(action->are_additional_items_ready(done.additional_items, again()).value());
}

}}  // namespace tenon::tests
