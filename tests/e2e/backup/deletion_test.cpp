// SPDX-License-Identifier: BSL-1.0
//
// Deletes backups with tenon-backup: delete actions, failures and expiry.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "e2e/backup/host.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

TEST_F(Backup, DeletesEverythingAfterTheDeleteActions) {
  play();
  write_items({item("Pod", "web", "p", told("backup-a", "label")), item("Pod", "web", "q")});
  ASSERT_EQ(create().exit, 0);
  ASSERT_EQ(restore().exit, 0);
  const Outcome deleted = run({"delete", "nightly"});
  EXPECT_EQ(deleted.exit, 0) << deleted.err;
  EXPECT_TRUE(deleted.out.starts_with("backup nightly: deleted\n")) << deleted.out;
  EXPECT_NE(deleted.out.find("  test.example/a: executed for 2 items\n"), std::string::npos);
  EXPECT_EQ(files("store"), Lines());
  EXPECT_EQ(journal("delete "),
            (Lines{"a applies_to", "b applies_to", "a execute p of nightly, changed",
                   "b execute p of nightly, changed", "a execute q of nightly",
                   "b execute q of nightly"}));
  const Outcome again = run({"delete", "nightly"});
  EXPECT_EQ(again.exit, 3);
  EXPECT_NE(again.err.find("error[not-found] nightly"), std::string::npos) << again.err;
}

TEST_F(Backup, IsKeptUntilItsDeleteActionsSucceed) {
  play();
  write_items({item("Pod", "web", "p", told("delete-a", "fail")),
               item("Pod", "web", "q", told("delete-b", "fail")), item("Pod", "web", "r")});
  ASSERT_EQ(create().exit, 0);
  ASSERT_EQ(restore().exit, 0);
  const Lines stored = files("store");
  const Outcome deleted = run({"delete", "nightly"});
  EXPECT_EQ(deleted.exit, 1);
  EXPECT_TRUE(deleted.out.starts_with("backup nightly: not deleted\n")) << deleted.out;
  EXPECT_NE(deleted.out.find("  test.example/a: executed for 2 items\n"), std::string::npos);
  EXPECT_NE(deleted.out.find("Executed actions are not undone"), std::string::npos);
  EXPECT_NE(deleted.err.find("pods web/p: test.example/a: execute: told to fail"),
            std::string::npos);
  EXPECT_NE(deleted.err.find("pods web/q: test.example/b: execute: told to fail"),
            std::string::npos);
  EXPECT_EQ(files("store"), stored);
  EXPECT_NE(run({"list"}).out.find(" deleting "), std::string::npos);
  const Outcome described = run({"describe", "nightly"});
  EXPECT_NE(described.out.find("problems    2 errors, "), std::string::npos) << described.out;
  EXPECT_NE(described.out.find("told to fail"), std::string::npos);
  EXPECT_NE(restore("later").err.find("warning[being-deleted] nightly"), std::string::npos);

  const Lines before = journal("delete a execute ");
  const Outcome again = run({"delete", "nightly", "--json"});
  EXPECT_EQ(again.exit, 1);
  EXPECT_EQ(journal("delete a execute ").size(), 2 * before.size());
  const auto result = json(again);
  const auto& deletion = result.at("deletions").at(0);
  EXPECT_FALSE(deletion.at("deleted").as_bool());
  EXPECT_EQ(deletion.at("problems").as_array().size(), 2u);
  EXPECT_GE(deletion.at("executed").as_array().size(), 4u);
  EXPECT_EQ(deletion.at("executed").at(0).at("item"), "pods web/p");

  world.write("tenon-backup.json", world.read("tenon-backup.json"));
  fs::remove(world.plugins() / module_file("player.so"));
  configure();
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
  EXPECT_EQ(files("store"), Lines());
}

TEST_F(Backup, IsKeptIfADeleteActionHasNoSelector) {
  play({}, R"("applies_to": "fails")");
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create().exit, 0);
  EXPECT_EQ(run({"delete", "nightly"}).exit, 1);
  EXPECT_EQ(journal("delete a execute "), Lines());
  EXPECT_EQ(journal("delete b execute "), Lines());
  play({}, R"("labels": "a in (")");
  const Outcome deleted = run({"delete", "nightly"});
  EXPECT_EQ(deleted.exit, 1);
  EXPECT_NE(deleted.err.find("error[bad-label-selector] test.example/a: applies_to:"),
            std::string::npos)
      << deleted.err;
  EXPECT_EQ(run({"describe", "nightly"}).exit, 0);
}

TEST_F(Backup, IsKeptIfAModuleMayHideADeleteAction) {
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create().exit, 0);
  const auto is_kept = [&](const std::string& says) {
    const Outcome deleted = run({"delete", "nightly"});
    EXPECT_EQ(deleted.exit, 1) << says;
    const std::size_t at = deleted.err.find(says);
    EXPECT_NE(at, std::string::npos) << deleted.err;
    EXPECT_EQ(deleted.err.find("hidden.so", deleted.err.find("hidden.so") + 1), std::string::npos)
        << "it is reported once: " << deleted.err;
    EXPECT_EQ(run({"describe", "nightly"}).exit, 0);
  };
  const fs::path hidden = world.place(PLAYER, "hidden.so");
  fs::resize_file(hidden, fs::file_size(hidden) / 2);
  is_kept("error[truncated-file]");
  fs::remove(hidden);
  world.place(FAULTS "/abi-too-new.so", "hidden.so");
  is_kept("error[abi-too-new]");
  fs::remove(hidden);
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
}

TEST_F(Backup, IsDeletedWithoutActionsIfItsArchiveIsGone) {
  play();
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create().exit, 0);
  for (const std::string& file : files("store")) {
    if (file.find("contents-") != std::string::npos) fs::remove(world.root() / "store" / file);
  }
  EXPECT_EQ(restore().exit, 3);
  const Outcome deleted = run({"delete", "nightly"});
  EXPECT_EQ(deleted.exit, 0) << deleted.err;
  EXPECT_EQ(deleted.out, "backup nightly: deleted\n");
  EXPECT_NE(deleted.err.find("warning[missing-archive]"), std::string::npos);
  EXPECT_EQ(journal("delete a execute "), Lines());
  EXPECT_EQ(files("store"), Lines());
}

TEST_F(Backup, IsKeptIfItsArchiveIsBroken) {
  play();
  write_items({item("Pod", "web", "p"), item("Pod", "web", "q")});
  ASSERT_EQ(create().exit, 0);
  damage();
  const Outcome deleted = run({"delete", "nightly"});
  EXPECT_EQ(deleted.exit, 1);
  EXPECT_NE(deleted.err.find("error[broken-archive] backups/nightly/contents-"), std::string::npos)
      << deleted.err;
  EXPECT_EQ(journal("delete a execute "), Lines());
  EXPECT_EQ(run({"describe", "nightly"}).exit, 0);
  EXPECT_EQ(restore().exit, 3);
  EXPECT_EQ(restored(), Lines());
}

/// A backup for which external-artifacts has something to do if an item has its annotation.
class Artifacts : public Backup {
 protected:
  Artifacts() {
    configure(
        R"("delete_actions": [{"plugin": "external-artifacts", "config": {"directory": "files"}}])");
    world.write("files/web/data", "");
  }

  static std::string annotated(const std::string& name, const std::string& annotations) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
           R"(","namespace":"web","annotations":{)" + annotations + "}}}";
  }
  static std::string with_artifact(const std::string& name) {
    return annotated(name, R"("a":"1","tenon.dev/external-artifact":"data")");
  }
  bool has_artifact() const { return fs::exists(world.root() / "files/web/data"); }
};

TEST_F(Artifacts, AreNotLookedForIfNoItemHasTheAnnotation) {
  write_items({item("Pod", "web", "p"), annotated("q", R"("tenon.dev/external":"data")"),
               item("Pod", "web", "r",
                    R"("spec":{"metadata":{"annotations":{"tenon.dev/external-artifact":"x"}}})")});
  ASSERT_EQ(create().exit, 0);
  damage();
  EXPECT_EQ(run({"delete", "nightly", "--dry-run"}).exit, 0);
  const Outcome deleted = run({"delete", "nightly"});
  EXPECT_EQ(deleted.exit, 0) << deleted.err;
  EXPECT_EQ(deleted.out, "backup nightly: deleted\n");
  EXPECT_EQ(deleted.err, "");
  EXPECT_EQ(files("store"), Lines());
}

TEST_F(Artifacts, AreRemovedIfAnItemHasTheAnnotation) {
  write_items({item("Pod", "web", "p"), with_artifact("q")});
  ASSERT_EQ(create().exit, 0);
  const Outcome deleted = run({"delete", "nightly"});
  EXPECT_EQ(deleted.exit, 0) << deleted.err;
  EXPECT_FALSE(has_artifact());
}

TEST_F(Artifacts, AreRemovedIfABackupActionAddsTheAnnotation) {
  world.place(PLAYER, "player.so");
  configure(actions("backup") + R"(, "delete_actions": [{"plugin": "external-artifacts",)"
                                R"( "config": {"directory": "files"}}])");
  write_items({item("Pod", "web", "p", told("backup-a", "annotate"))});
  ASSERT_EQ(create().exit, 0);
  fs::remove(world.plugins() / module_file("player.so"));
  configure(
      R"("delete_actions": [{"plugin": "external-artifacts", "config": {"directory": "files"}}])");
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
  EXPECT_FALSE(has_artifact());
}

/// One annotation of one item must not keep a backup for ever.
TEST_F(Artifacts, ThatAreRefusedDoNotKeepTheBackup) {
  configure("");  // nobody has configured a directory
  Lines items = {with_artifact("p")};
  for (int i = 0; i < 99; ++i) items.push_back(item("Pod", "web", "q" + std::to_string(i)));
  write_items(items);
  ASSERT_EQ(create().exit, 0);
  const Outcome deleted = run({"delete", "nightly"});
  EXPECT_EQ(deleted.exit, 0) << deleted.err;
  EXPECT_NE(deleted.err.find("warning[failed-precondition] pods web/p: "
                             "tenon.dev/external-artifacts: execute: "),
            std::string::npos)
      << deleted.err;
  EXPECT_EQ(files("store"), Lines());
  EXPECT_TRUE(has_artifact());

  ASSERT_EQ(create("old", {"--ttl", "1ms"}).exit, 0);
  EXPECT_EQ(run({"expire"}).exit, 0);
  EXPECT_EQ(files("store"), Lines());
}

TEST_F(Artifacts, ThatWillBeRefusedAreNamedWhenTheBackupIsCreated) {
  write_items({with_artifact("good"),
               annotated("bad", R"("tenon.dev/external-artifact":"../db/data, data, /x")"),
               annotated("number", R"("tenon.dev/external-artifact":7)")});
  world.write("files/db/data", "");
  const Outcome created = create();
  EXPECT_EQ(created.exit, 0) << created.err;
  EXPECT_NE(created.err.find("warning[refused-artifact] pods web/bad: an external artifact of the "
                             "item will not be removed with the backup: the path \"../db/data\""),
            std::string::npos)
      << created.err;
  EXPECT_NE(created.err.find("warning[refused-artifact] pods web/number: "), std::string::npos);
  EXPECT_EQ(created.err.find("[refused-artifact] pods web/good"), std::string::npos);
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
  EXPECT_FALSE(has_artifact());
  EXPECT_TRUE(fs::exists(world.root() / "files/db/data"));
}

TEST_F(Artifacts, OfADirectoryThatIsMissingKeepTheBackup) {
  write_items({with_artifact("p")});
  ASSERT_EQ(create().exit, 0);
  fs::rename(world.root() / "files", world.root() / "away");
  EXPECT_EQ(run({"delete", "nightly"}).exit, 1);
  fs::rename(world.root() / "away", world.root() / "files");
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
  EXPECT_FALSE(has_artifact());
}

TEST_F(Artifacts, AreKeptIfTheActionsAreOmitted) {
  write_items({with_artifact("p")});
  ASSERT_EQ(create().exit, 0);
  damage();
  const Outcome kept = run({"delete", "nightly"});
  EXPECT_EQ(kept.exit, 1);
  EXPECT_NE(kept.err.find("error[broken-archive]"), std::string::npos) << kept.err;
  EXPECT_NE(kept.err.find("`tenon-backup delete nightly --without-actions`"), std::string::npos);
  EXPECT_EQ(run({"delete", "nightly", "--without-actions", "--dry-run"}).exit, 2);
  ASSERT_EQ(run({"describe", "nightly"}).exit, 0);

  const Outcome deleted = run({"delete", "nightly", "--without-actions", "--json"});
  EXPECT_EQ(deleted.exit, 0) << deleted.err;
  EXPECT_NE(deleted.err.find("warning[action-omitted] tenon.dev/external-artifacts: nightly: "),
            std::string::npos)
      << deleted.err;
  const auto result = json(deleted);
  EXPECT_TRUE(result.at("deletions").at(0).at("deleted").as_bool());
  EXPECT_EQ(result.at("deletions").at(0).at("problems").at(0).at("code"), "action-omitted");
  EXPECT_EQ(files("store"), Lines());
  EXPECT_TRUE(has_artifact());
}

TEST_F(Artifacts, AreLookedForIfTheRecordDoesNotListAnnotations) {
  const auto needs_archive = [&] {
    damage();
    const Outcome kept = run({"delete", "nightly"});
    EXPECT_NE(kept.err.find("error[broken-archive]"), std::string::npos) << kept.err;
    return run({"delete", "nightly", "--without-actions"}).exit == 0;
  };
  std::string many;
  for (int i = 0; i < 15'000; ++i) {
    many += (i == 0 ? "\"a" : ",\"a") + std::to_string(i) + "\":\"\"";
  }
  write_items({annotated("p", many)});
  ASSERT_EQ(create().exit, 0);
  EXPECT_TRUE(needs_archive());

  // The record of an earlier program.
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create().exit, 0);
  for (const std::string& file : files("store")) {
    if (!file.ends_with("/backup.json")) continue;
    auto record = boost::json::parse(world.read("store/" + file)).as_object();
    EXPECT_EQ(record.at("value").as_object().erase("annotations"), 1u);
    world.write("store/" + file, boost::json::serialize(record));
  }
  EXPECT_TRUE(needs_archive());
}

TEST_F(Artifacts, OfABrokenBackupDoNotStopTheExpiryOfOthers) {
  write_items({with_artifact("p")});
  for (const char* name : {"a", "b", "c"}) ASSERT_EQ(create(name, {"--ttl", "1ms"}).exit, 0);
  damage("b");
  const Outcome expired = run({"expire"});
  EXPECT_EQ(expired.exit, 1);
  EXPECT_EQ(expired.out.substr(0, 22), "backup a: deleted\n  te") << expired.out;
  EXPECT_NE(expired.out.find("backup b: not deleted\n"), std::string::npos);
  EXPECT_NE(expired.out.find("backup c: deleted\n"), std::string::npos);
  EXPECT_EQ(run({"describe", "b"}).exit, 0);
}

TEST_F(Backup, KeepsItsSnapshotsIfASnapshotterCannotBeUsed) {
  write_volume();
  configure(snapshotters);
  write_items({volume("v")});
  ASSERT_EQ(create().exit, 0);
  const Lines stored = files("snapshots");
  std::string both = snapshotters;
  both.insert(both.size() - 1,
              R"(, {"plugin": "directory", "config": {"volumes": "none", "snapshots": "none"}})");
  configure(both);
  const Outcome deleted = run({"delete", "nightly"});
  EXPECT_EQ(deleted.exit, 1);
  EXPECT_TRUE(deleted.out.starts_with("backup nightly: not deleted\n")) << deleted.out;
  EXPECT_EQ(files("snapshots"), stored);
}

TEST_F(Backup, NamesOnlySnapshotsThatWereNotDeleted) {
  write_volume();
  world.write("volumes/w/data", "dear");
  configure(snapshotters);
  write_items({volume("v"), volume("w")});
  ASSERT_EQ(create().exit, 0);
  const std::string record = "store/tenon/backups/nightly/backup.json";
  auto changed = boost::json::parse(world.read(record));
  // The snapshotter refuses this id.
  changed.at("value").at("snapshots").at(1).at("snapshot_id") = "..";
  world.write(record, boost::json::serialize(changed));
  EXPECT_EQ(run({"delete", "nightly"}).exit, 1);
  const auto described = json(run({"describe", "nightly", "--json"}));
  const auto& left = described.at("backup").at("snapshots").as_array();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].at("snapshot_id"), "..");
}

TEST_F(Backup, IsDeletedFromAFullStore) {
  world.place(PLAYER, "player.so");
  world.write("tenon-backup.json",
              R"({"store": {"plugin": "test.example/small"}, )" + actions("delete") + "}");
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create().exit, 0);
  ASSERT_EQ(restore().exit, 0);
  ASSERT_EQ(create("short", {"--ttl", "1ms"}).exit, 0);
  world.write("full", "");
  const Outcome expired = run({"expire"});
  EXPECT_EQ(expired.exit, 0) << expired.err;
  EXPECT_TRUE(expired.out.starts_with("backup short: deleted\n")) << expired.out;
  EXPECT_NE(expired.err.find("warning[phase-not-stored] short: "), std::string::npos)
      << expired.err;

  // The deletion is interrupted after it has made room.
  world.write("stuck", "");
  const Outcome stuck = run({"delete", "nightly"});
  EXPECT_EQ(stuck.exit, 1);
  EXPECT_NE(stuck.err.find("the object cannot be deleted"), std::string::npos) << stuck.err;
  EXPECT_TRUE(stuck.out.starts_with("backup nightly: not deleted\n")) << stuck.out;
  EXPECT_NE(stuck.out.find("test.example/a: executed for 1 item\n"), std::string::npos);
  EXPECT_EQ(files("objects").size(), 2u);
  EXPECT_NE(run({"list"}).out.find(" deleting "), std::string::npos);
  fs::remove(world.root() / "stuck");
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
  EXPECT_EQ(files("objects"), Lines());
  EXPECT_EQ(journal("delete a execute "), (Lines{"p of short", "p of nightly"}));
}

TEST_F(Backup, KeepsItsRecordIfTheStoreListsKeysAgain) {
  world.place(PLAYER, "player.so");
  world.write("tenon-backup.json", R"({"store": {"plugin": "test.example/small"}})");
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create().exit, 0);
  world.write("endless", "");
  const Outcome outcome = run({"delete", "nightly"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_NE(outcome.err.find("test.example/small: list_objects: backups/nightly/: the keys are out "
                             "of order: 'backups/nightly/backup.json' after "
                             "'backups/nightly/backup.json'"),
            std::string::npos)
      << outcome.err;
  fs::remove(world.root() / "endless");
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
}

TEST_F(Backup, IsDeletedWithRestoresThatEndedLater) {
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create().exit, 0);
  ASSERT_EQ(restore("restored", {"--name", "first"}).exit, 0);
  const std::string record = "store/tenon/restores/nightly/first.json";
  const std::string content = world.read(record);
  ASSERT_EQ(run({"delete", "nightly"}).exit, 0);
  world.write(record, content);  // as by a restore that ends now
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
  EXPECT_EQ(files("store"), Lines());
  EXPECT_EQ(run({"delete", "nightly"}).exit, 3);
}

TEST_F(Backup, IsDeletedAfterItExpires) {
  play();
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create("short", {"--ttl", "1ms"}).exit, 0);
  ASSERT_EQ(create("long", {"--ttl", "1h"}).exit, 0);
  ASSERT_EQ(create("longest", {"--ttl", "2500000h"}).exit, 0);
  ASSERT_EQ(create("endless").exit, 0);
  EXPECT_TRUE(run({"expire", "--dry-run"}).out.starts_with("backup short: expired 20"));
  const auto planned = json(run({"expire", "--dry-run", "--json"}));
  ASSERT_EQ(planned.at("backups").as_array().size(), 1u);
  EXPECT_EQ(planned.at("backups").at(0).at("name"), "short");
  EXPECT_EQ(planned.at("items").at(0).at("backup"), "short");
  EXPECT_EQ(planned.at("items").at(0).at("item"), "pods web/p");
  EXPECT_TRUE(run({"expire"}).out.starts_with("backup short: deleted\n"));
  EXPECT_EQ(journal("delete a execute "), Lines{"p of short"});
  EXPECT_EQ(run({"describe", "short"}).exit, 3);
  EXPECT_EQ(run({"describe", "long"}).exit, 0);
  EXPECT_EQ(json(run({"expire", "--dry-run", "--json"})).at("items").as_array().size(), 0u);
  EXPECT_EQ(run({"describe", "longest"}).exit, 0);
  EXPECT_EQ(run({"describe", "endless"}).exit, 0);
  EXPECT_EQ(create("wrong", {"--ttl", "soon"}).exit, 2);
}

#ifndef _WIN32  // no terminal
TEST_F(Backup, ShowsTheProgressOfEachExpiredBackup) {
  play();
  const std::string waits = item("Pod", "web", "w", told("delete-a", "wait"));
  write_items({item("Pod", "web", "p"), item("Pod", "web", "q"), item("Pod", "web", "r")});
  ASSERT_EQ(create("a", {"--ttl", "1ms"}).exit, 0);
  write_items({item("Pod", "web", "p"), waits});
  ASSERT_EQ(create("b", {"--ttl", "1ms"}).exit, 0);
  Child child = world.start_on_terminal({TENON_BACKUP, "expire"});
  EXPECT_TRUE(eventually([&] { return child.out().find("] 1 of 2 items") != std::string::npos; }))
      << child.out();
  world.write("go", "");
  const Outcome expired = child.wait();
  EXPECT_EQ(expired.exit, 0) << expired.out;
  EXPECT_EQ(files("store"), Lines());
}
#endif

TEST_F(Backup, IsNotDeletedIfItReplacesAnExpiredOne) {
  play();
  write_items({item("Pod", "web", "p", told("delete-a", "wait"))});
  ASSERT_EQ(create("a", {"--ttl", "1ms"}).exit, 0);
  write_items({item("Pod", "web", "q")});
  ASSERT_EQ(create("b", {"--ttl", "1ms"}).exit, 0);
  Child child = world.start({TENON_BACKUP, "expire"});
  ASSERT_TRUE(eventually([&] { return !journal("delete a execute p of a").empty(); }));
  ASSERT_EQ(run({"delete", "b"}).exit, 0);
  ASSERT_EQ(create("b", {"--ttl", "1h"}).exit, 0);
  world.write("go", "");
  const Outcome expired = child.wait();
  EXPECT_EQ(expired.exit, 0) << expired.err;
  EXPECT_EQ(run({"describe", "a"}).exit, 3);
  EXPECT_EQ(run({"describe", "b"}).exit, 0);
}

/// The end of a deletion during which another process deletes the backup.
struct Overtaken {
  std::string name;
  std::string word;  // for the delete action of the last item
  bool replaced;     // another backup of the same name is created
};

class OvertakenDeletion : public Backup, public testing::WithParamInterface<Overtaken> {};

TEST_P(OvertakenDeletion, DeletesOnlyItsOwnBackup) {
  play();
  write_items({item("Pod", "web", "p", told("delete-a", "wait")),
               item("Pod", "web", "q", told("delete-a", GetParam().word))});
  ASSERT_EQ(create().exit, 0);
  Child child = world.start({TENON_BACKUP, "delete", "nightly"});
  ASSERT_TRUE(eventually([&] { return !journal("delete a execute p").empty(); }));
  fs::remove(world.plugins() /
             module_file("player.so"));  // the other processes have no delete actions
  configure();
  ASSERT_EQ(run({"delete", "nightly"}).exit, 0);
  if (GetParam().replaced) {
    write_items({item("Pod", "web", "new")});
    ASSERT_EQ(create().exit, 0);
  }
  const Lines stored = files("store");
  world.write("go", "");
  const Outcome deleted = child.wait();
  EXPECT_EQ(deleted.exit, GetParam().replaced || GetParam().word == "fail" ? 1 : 0) << deleted.err;
  EXPECT_EQ(files("store"), stored);
  if (!GetParam().replaced) return;
  EXPECT_NE(deleted.err.find("error[aborted] nightly: the backup was replaced while it was "
                             "deleted; the new backup is kept"),
            std::string::npos)
      << deleted.err;
  EXPECT_NE(deleted.out.find("test.example/a: executed for "), std::string::npos) << deleted.out;
  EXPECT_NE(run({"describe", "nightly"}).out.find("completed"), std::string::npos);
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(), Lines{"pods/namespaces/web/new"});
}

INSTANTIATE_TEST_SUITE_P(, OvertakenDeletion,
                         testing::Values(Overtaken{"succeeds", "", false},
                                         Overtaken{"fails", "fail", false},
                                         Overtaken{"succeedsAfterAReplacement", "", true},
                                         Overtaken{"failsAfterAReplacement", "fail", true}),
                         [](const auto& row) { return row.param.name; });

}}  // namespace tenon::tests
