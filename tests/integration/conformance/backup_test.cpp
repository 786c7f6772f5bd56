// SPDX-License-Identifier: BSL-1.0
//
// The conformance kit with backup plugins that break one rule each. WRONG is the directory of the
// modules, which are named after their faults.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wrong_modules.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;
using conformance::PluginSetup;

const std::string plugin = "test.example/vault";
const std::string item =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"front","namespace":"web"}})";

PluginSetup setup_of(const std::string& kind) {
  PluginSetup setup;
  setup.kind = "tenon.dev/" + kind;
  setup.plugin = plugin;
  return setup;
}

Options vault(const std::string& fault) {
  PluginSetup store = setup_of("object_store");
  store.config = {{"name", "memory"}};
  store.bucket = "bucket";
  PluginSetup snapshotter = setup_of("volume_snapshotter");
  snapshotter.volume = "volume";
  snapshotter.item = R"({"id":"volume"})";
  Options options;
  options.module = module_with("backup", fault);
  options.setups = {store, snapshotter};
  for (const char* kind : {"backup_item_action", "restore_item_action", "delete_item_action"}) {
    options.setups.push_back(setup_of(kind));
    options.setups.back().item = item;
  }
  return options;
}

struct Fault {
  const char* fault;
  Texts found_by;
};

class WrongBackupPlugin : public testing::TestWithParam<Fault> {};

TEST_P(WrongBackupPlugin, FailsTheCasesOfItsFault) {
  EXPECT_EQ(failed_cases(run(vault(GetParam().fault))), GetParam().found_by);
}

const Fault faults[] = {
    {"truncates objects", {"object_store: returns what was written"}},
    {"reads only a part of objects",
     {"object_store: returns what was written",
      "object_store: stores nothing if the content cannot be read completely"}},
    {"never replaces objects",
     {"object_store: returns what was written", "object_store: replaces an object",
      "object_store: serves several threads", "object_store: leaves no threads or descriptors"}},
    {"gives empty objects for missing ones",
     {"object_store: reports an object that does not exist",
      "object_store: deletes one object and no other"}},
    {"crashes for missing objects", {"object_store: reports an object that does not exist"}},
    {"gives a wrong size", {"object_store: knows the size of an object"}},
    {"lists out of order",
     {"object_store: lists keys in order", "object_store: lists keys page by page"}},
    {"takes no limit", {"object_store: lists keys page by page"}},
    {"repeats common prefixes", {"object_store: lists common prefixes"}},
    {"deletes too much", {"object_store: deletes one object and no other"}},
    {"needs an object to delete", {"object_store: deletes an object that does not exist"}},
    {"stores half an object",
     {"object_store: stores nothing if the content cannot be read completely"}},
    {"leaks a descriptor", {"object_store: leaves no threads or descriptors"}},

    {"does not set volumes", {"volume_snapshotter: sets the volume of a resource"}},
    {"gives resources that are not JSON", {"volume_snapshotter: sets the volume of a resource"}},
    {"fails its snapshots",
     {"volume_snapshotter: restores a snapshot to another volume",
      "volume_snapshotter: gives each snapshot a unique id",
      "volume_snapshotter: deletes snapshots, even if they do not exist",
      "volume_snapshotter: cancels a completed snapshot without an error",
      "volume_snapshotter: leaves no threads or descriptors"}},
    {"restores to the same volume", {"volume_snapshotter: restores a snapshot to another volume"}},
    {"repeats the ids of snapshots", {"volume_snapshotter: gives each snapshot a unique id"}},
    {"needs a snapshot to delete",
     {"volume_snapshotter: deletes snapshots, even if they do not exist"}},
    {"restores snapshots that are gone",
     {"volume_snapshotter: deletes snapshots, even if they do not exist",
      "volume_snapshotter: refuses snapshots that do not exist"}},
    {"takes snapshots of nothing", {"volume_snapshotter: refuses volumes that do not exist"}},

    {"has another name", {"backup_item_action: knows its registered name"}},
    {"selects something else each time",
     {"backup_item_action: applies to the same resources each time",
      "restore_item_action: applies to the same resources each time",
      "delete_item_action: applies to the same resources each time"}},
    {"has a broken label selector",
     {"backup_item_action: has a valid selector", "restore_item_action: has a valid selector",
      "delete_item_action: has a valid selector"}},
    {"has a broken pattern",
     {"backup_item_action: has a valid selector", "restore_item_action: has a valid selector",
      "delete_item_action: has a valid selector"}},
    {"gives items that are not JSON",
     {"backup_item_action: keeps version, kind and name of an item",
      "restore_item_action: keeps version, kind and name of an item"}},
    {"forgets what an item is",
     {"backup_item_action: keeps version, kind and name of an item",
      "restore_item_action: keeps version, kind and name of an item"}},
    {"names others in part",
     {"backup_item_action: identifies additional items completely",
      "restore_item_action: identifies additional items completely"}},
    {"makes another item each time",
     {"backup_item_action: returns the same result for the same item",
      "restore_item_action: returns the same result for the same item"}},
    {"knows every operation",
     {"backup_item_action: refuses operations that do not exist",
      "restore_item_action: refuses operations that do not exist"}},
    {"has lost its operation", {"backup_item_action: reports and cancels its operation"}},
    {"cannot cancel", {"backup_item_action: reports and cancels its operation"}},
    {"succeeds only once", {"delete_item_action: succeeds again for the same item"}},
};

INSTANTIATE_TEST_SUITE_P(All, WrongBackupPlugin, testing::ValuesIn(faults),
                         [](const auto& info) { return name_of_test(info.param.fault); });

TEST(BackupConformance, RightPluginsPassEveryCase) {
  for (const char* fault : {"nothing", "reports no progress"}) {
    Texts not_run;
    for (const Result& result : run(vault(fault))) {
      EXPECT_NE(result.verdict, Verdict::failed) << result.of.name << ": " << result.reason;
      if (result.verdict == Verdict::not_run) not_run.push_back(result.reason);
    }
    EXPECT_EQ(not_run, (Texts{"the store does not sign URLs",
                              "the action begins no operation for this item"}));
  }
}

TEST(BackupConformance, SnapshotsThatAreNeverCompleteFail) {
  Options options = vault("never completes a snapshot");
  options.timeout = 1s;
  const Result result =
      run(options, {"tenon.dev/volume_snapshotter", plugin, "gives each snapshot a unique id"});
  EXPECT_EQ(result.verdict, Verdict::failed);
  EXPECT_EQ(result.reason, "the snapshot is not complete in time");
}

TEST(BackupConformance, ActionsWithoutSetupRunCasesThatNeedNoItem) {
  Options options = vault("nothing");
  options.setups.clear();
  const auto verdict = [&](const std::string& kind, const std::string& name) {
    return run(options, {"tenon.dev/" + kind, plugin, name}).verdict;
  };
  EXPECT_EQ(verdict("backup_item_action", "has a valid selector"), Verdict::passed);
  EXPECT_EQ(verdict("backup_item_action", "identifies additional items completely"),
            Verdict::not_run);
  EXPECT_EQ(verdict("object_store", "accepts its configuration"), Verdict::not_run);
}

TEST(BackupConformance, StoreWithoutConfigurationThatFailsOtherwiseFails) {
  const auto results = run(vault("refuses its configuration"));
  EXPECT_EQ(failed_cases(results).front(), "object_store: accepts its configuration");
}

}}  // namespace tenon::tests
