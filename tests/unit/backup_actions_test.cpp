// SPDX-License-Identifier: BSL-1.0
//
// The builtin item actions that use only documents, called through a host: resources that they add,
// and changes of items.
#include "unit/backup_actions.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tenon::tests { namespace {

/// Returns the resources that an action adds, eg: "serviceaccounts web/robot". Checks that it
/// changes nothing.
Texts added_by(std::string_view action, std::string_view item) {
  Host host = host_of_builtins();
  auto handle = host.create<BackupItemAction>(action).value();
  const auto done = handle->execute(item, BackupV2()).value();
  EXPECT_EQ(done.item, std::nullopt);
  EXPECT_EQ(done.operation_id, "");
  EXPECT_TRUE(done.post_operation_items.empty());
  Texts added;
  for (const ResourceIdV1& id : done.additional_items) {
    added.push_back(id.resource + " " + id.in_namespace + "/" + id.name);
  }
  return added;
}

struct Addition {
  std::string_view item;
  Texts added;
};

void expect_additions(std::string_view action, const std::vector<Addition>& cases) {
  for (const auto& [item, added] : cases) EXPECT_EQ(added_by(action, item), added) << item;
}

TEST(ServiceAccountAction, AddsTheServiceAccountOfAPod) {
  expect_additions(
      "tenon.dev/service-account",
      {{R"({"kind":"Pod","metadata":{"namespace":"web","name":"a"},
            "spec":{"serviceAccountName":"robot","serviceAccount":"old"}})",
        {"serviceaccounts web/robot"}},
       {R"({"kind":"Pod","metadata":{"namespace":"web"},"spec":{"serviceAccount":"old"}})",
        {"serviceaccounts web/old"}},
       {R"({"kind":"Pod","metadata":{"namespace":"web"},"spec":{"serviceAccountName":""}})",
        {"serviceaccounts web/default"}},
       {R"({"kind":"Pod","metadata":{"namespace":"db"}})", {"serviceaccounts db/default"}},
       {R"({"kind":"Pod"})", {"serviceaccounts /default"}},
       {R"({"kind":"ServiceAccount","metadata":{"namespace":"web","name":"robot"}})", {}},
       {R"({})", {}}});
}

TEST(PodVolumesAction, AddsTheClaimsOfAPod) {
  expect_additions(
      "tenon.dev/pod-volumes",
      {{R"({"kind":"Pod","metadata":{"namespace":"db","name":"pg-0"},"spec":{"volumes":[
             {"name":"data","persistentVolumeClaim":{"claimName":"data-pg-0"}},
             {"name":"settings","configMap":{"name":"pg"}},
             {"name":"scratch","ephemeral":{"volumeClaimTemplate":{}}},
             {"name":"again","persistentVolumeClaim":{"claimName":"data-pg-0"}},
             {"name":"empty","persistentVolumeClaim":{}},
             {"name":"log","persistentVolumeClaim":{"claimName":"a-log"}}]}})",
        {"persistentvolumeclaims db/data-pg-0", "persistentvolumeclaims db/pg-0-scratch",
         "persistentvolumeclaims db/a-log"}},
       {R"({"kind":"Pod","metadata":{"namespace":"db","name":"p"},"spec":{"volumes":[]}})", {}},
       {R"({"kind":"Pod","metadata":{"namespace":"db","name":"p"},"spec":{"volumes":[1,null]}})",
        {}},
       {R"({"kind":"Pod","metadata":{"namespace":"db","name":"p"}})", {}}});
}

TEST(PodVolumesAction, AddsTheVolumeOfAClaim) {
  expect_additions("tenon.dev/pod-volumes",
                   {{R"({"kind":"PersistentVolumeClaim","metadata":{"namespace":"db","name":"c"},
            "spec":{"volumeName":"pv-7"}})",
                     {"persistentvolumes /pv-7"}},
                    {R"({"kind":"PersistentVolumeClaim","spec":{"volumeName":""}})", {}},
                    {R"({"kind":"PersistentVolumeClaim","spec":{}})", {}},
                    {R"({"kind":"PersistentVolume","spec":{"volumeName":"pv-7"}})", {}}});
}

TEST(BackupActions, SelectTheResourcesThatTheyHandle) {
  Host host = host_of_builtins();
  const auto resources = [&]<class K>(K*, std::string_view action) {
    return host.create<K>(action).value()->applies_to().value();
  };
  SelectorV1 expected;
  expected.included_resources = {"pods"};
  EXPECT_EQ(resources((BackupItemAction*)nullptr, "tenon.dev/service-account"), expected);
  expected.included_resources = {"pods", "persistentvolumeclaims"};
  EXPECT_EQ(resources((BackupItemAction*)nullptr, "tenon.dev/pod-volumes"), expected);
  expected.included_resources = {};
  EXPECT_EQ(resources((RestoreItemAction*)nullptr, "tenon.dev/change-namespace"), expected);
  EXPECT_EQ(resources((DeleteItemAction*)nullptr, "tenon.dev/external-artifacts"), expected);
  expected.excluded_resources = {"nodes"};
  EXPECT_EQ(resources((RestoreItemAction*)nullptr, "tenon.dev/remap-labels"), expected);
}

TEST(BackupActions, ReturnTheirRegisteredNames) {
  Host host = host_of_builtins();
  for (const char* name : {"tenon.dev/service-account", "tenon.dev/pod-volumes"}) {
    EXPECT_EQ(host.create<BackupItemAction>(name).value()->name().value(), name);
  }
  for (const char* name : {"tenon.dev/change-namespace", "tenon.dev/remap-labels"}) {
    EXPECT_EQ(host.create<RestoreItemAction>(name).value()->name().value(), name);
  }
}

void expect_not_an_object(const Error& error, std::string_view item) {
  EXPECT_EQ(error.status(), TENON_INVALID_ARGUMENT) << item;
  EXPECT_NE(
      error.message().find(item.empty() || item[0] == '{' ? "not JSON: " : "not a JSON object"),
      std::string::npos)
      << item << ": " << error.message();
}

TEST(BackupActions, RefuseItemsThatAreNotObjects) {
  Host host = host_of_builtins();
  for (const char* item : {"", "[]", "\"Pod\"", "null", "7", "{\"kind\":", "{} {}"}) {
    for (const char* name : {"tenon.dev/service-account", "tenon.dev/pod-volumes"}) {
      auto action = host.create<BackupItemAction>(name).value();
      expect_not_an_object(action->execute(item, BackupV2()).error(), item);
    }
    for (const char* name : {"tenon.dev/change-namespace", "tenon.dev/remap-labels"}) {
      auto action = host.create<RestoreItemAction>(name).value();
      expect_not_an_object(action->execute(item, item, mapping({})).error(), item);
    }
    auto action = host.create<DeleteItemAction>("tenon.dev/external-artifacts").value();
    expect_not_an_object(action->execute(item, BackupV2()).error(), item);
  }
}

TEST(BackupActions, ReadTextsWithEscapes) {
  EXPECT_EQ(added_by("tenon.dev/pod-volumes",
                     R"({"kind":"Pod","metadata":{"namespace":"db","name":"p"},"spec":{"volumes":[
                        {"name":"data","persistent\u0056olumeClaim":{"claimName":"c"}}]}})"),
            Texts{"persistentvolumeclaims db/c"});
  Host host = host_of_builtins();
  auto action = host.create<RestoreItemAction>("tenon.dev/change-namespace").value();
  const auto done =
      action->execute(R"({"metadata":{"namespace":"w\u0065b"}})", "{}", mapping({{"web", "b"}}));
  EXPECT_EQ(done.value().updated_item->text, R"({"metadata":{"namespace":"b"}})");
}

TEST(BackupActions, AcceptDeeplyNestedSchemas) {
  std::string schema = "{\"kind\":\"CustomResourceDefinition\",\"spec\":";
  for (int i = 0; i < 120; ++i) schema += "{\"properties\":";
  schema += "0" + std::string(120, '}') + "}";
  EXPECT_EQ(added_by("tenon.dev/pod-volumes", schema), Texts{});
}

TEST(BackupActions, RunOnSeveralThreadsAtOnce) {
  Host host = host_of_builtins();
  auto action = host.create<RestoreItemAction>("tenon.dev/change-namespace").value();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, to = "n" + std::to_string(i)] {
      for (int round = 0; round < 200; ++round) {
        const auto done =
            action->execute(R"({"metadata":{"namespace":"a"}})", "{}", mapping({{"a", to}}));
        EXPECT_EQ(done.value().updated_item->text, R"({"metadata":{"namespace":")" + to + "\"}}");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}}  // namespace tenon::tests
