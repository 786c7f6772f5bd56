// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-backup with item actions: which items they get, and how their failures are reported.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "e2e/backup/host.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

TEST_F(Backup, CallsActionsInTheOrderOfTheConfiguration) {
  play();
  write_items(
      {item("ConfigMap", "web", "c", told("backup-a", "label") + "," + told("backup-b", "label"))});
  ASSERT_EQ(create().exit, 0);
  EXPECT_EQ(journal("backup "), (Lines{"b applies_to", "a applies_to", "b execute c of nightly",
                                       "a execute c of nightly"}));
  ASSERT_EQ(restore().exit, 0);
  EXPECT_TRUE(world.read("restored/resources/configmaps/namespaces/web/c.json")
                  .starts_with(R"({"changed-by-a":1,"changed-by-b":1,"apiVersion")"));
  EXPECT_EQ(journal("restore "), (Lines{"b applies_to", "a applies_to", "b execute c of nightly",
                                        "a execute c of nightly"}));
}

TEST_F(Backup, CallsAnActionOfTwoVersionsOnce) {
  play();
  write_items({item("Secret", "web", "s")});
  ASSERT_EQ(create().exit, 0);
  EXPECT_EQ(journal("backup a execute "), Lines{"s of nightly"});
  EXPECT_EQ(journal("old "), Lines());
}

TEST_F(Backup, CallsActionsForTheItemsThatTheyApplyTo) {
  play(R"("resources": "cm", "labels": "tier=front")");
  write_items({labelled("web", "a", "tier", "front"), labelled("web", "b", "tier", "back"),
               item("Secret", "web", "s")});
  ASSERT_EQ(create().exit, 0);
  EXPECT_EQ(journal("backup a execute "), (Lines{"a of nightly"}));
  EXPECT_EQ(journal("backup b execute "), (Lines{"a of nightly", "b of nightly", "s of nightly"}));
}

TEST_F(Backup, AddsItemsThatActionsRequest) {
  play();
  write_items({item("Pod", "web", "p", told("backup-a", "also=pvc/web/c also=nodes/none")),
               item("PersistentVolumeClaim", "web", "c", told("backup-a", "also=pv/v")),
               item("PersistentVolume", "", "v", told("backup-b", "also=pods/web/p")),
               item("Secret", "web", "s"), item("Secret", "db", "t")});
  const Outcome made =
      create("nightly", {"--include-resources", "pods,pvc,pv,nodes", "--include-namespaces", "*"});
  EXPECT_EQ(made.exit, 0) << made.err;
  EXPECT_NE(made.err.find("warning[missing-additional-item] pods web/p:"), std::string::npos)
      << made.err;
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(), (Lines{"persistentvolumeclaims/namespaces/web/c",
                               "persistentvolumes/cluster/v", "pods/namespaces/web/p"}));
  EXPECT_EQ(journal("backup a execute ").size(), 3u);
}

/// Returns pods p100 to p199. Some of them request others.
Lines pods(const std::string& role) {
  const std::map<int, std::string> asks{{120, "also=pods/web/p170"},
                                        {121, "also=pods/web/p110 also=pods/web/p170"},
                                        {170, "also=pods/web/p190 also=pods/web/p120"}};
  Lines items;
  for (int i = 100; i < 200; ++i) {
    const auto found = asks.find(i);
    items.push_back(item("Pod", "web", "p" + std::to_string(i),
                         found == asks.end() ? "" : told(role, found->second)));
  }
  return items;
}

/// Returns the names of the pods in the order in which actions get them.
Lines in_order() {
  Lines names;
  const auto add = [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      if (i != 170 && i != 190) names.push_back("p" + std::to_string(i) + " of nightly");
    }
  };
  add(100, 121);
  names.insert(names.end(), {"p170 of nightly", "p190 of nightly"});
  add(121, 200);
  return names;
}

TEST_F(Backup, ShowsItemsToActionsInOneOrder) {
  play();
  write_items(pods("backup-a"));
  ASSERT_EQ(create().exit, 0);
  EXPECT_EQ(journal("backup a execute "), in_order());
  EXPECT_EQ(journal("backup b execute "), in_order());
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(restored().size(), 100u);
}

TEST_F(Backup, ShowsItemsToRestoreActionsInOneOrder) {
  play();
  write_items(pods("restore-a"));
  ASSERT_EQ(create().exit, 0);
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(journal("restore a execute "), in_order());
  EXPECT_EQ(journal("restore b execute "), in_order());
  EXPECT_EQ(restored().size(), 100u);
}

TEST_F(Backup, ShowsItemsToOtherActionsAfterOneHung) {
  play();
  configure(actions("backup") + R"(, "timeouts": {"call": "300ms"})");
  Lines items;
  Lines names;
  for (int i = 100; i < 180; ++i) {
    const std::string name = "s" + std::to_string(i);
    items.push_back(
        item("Secret", "web", name, i == 150 ? told("backup-b", "hang") : std::string()));
    names.push_back(name + " of nightly");
  }
  write_items(items);
  const Outcome made = create();
  EXPECT_EQ(made.exit, 1);
  EXPECT_NE(made.out.find("80 items, 0 snapshots, 1 error"), std::string::npos) << made.out;
  EXPECT_NE(made.err.find("error[deadline-exceeded] secrets web/s150: test.example/b: execute: the "
                          "call did not return within 300ms and was abandoned"),
            std::string::npos)
      << made.err;
  EXPECT_EQ(journal("backup a execute "), names);
  EXPECT_EQ(journal("backup b execute "), names);
}

TEST_F(Backup, AddsItemsWhoseLabelsDoNotMatch) {
  play();
  write_items({labelled("web", "a", "tier", "front"), labelled("web", "b", "tier", "back"),
               labelled("db", "c", "tier", "back")});
  world.write("items.json",
              list_of({labelled("web", "b", "tier", "back"), labelled("db", "c", "tier", "back"),
                       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",)"
                       R"("namespace":"web","labels":{"tier":"front"}},)" +
                           told("backup-a", "also=cm/web/b also=cm/db/c") + "}"}));
  ASSERT_EQ(create("nightly", {"-l", "tier=front", "--include-namespaces", "web"}).exit, 0);
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(), (Lines{"configmaps/namespaces/web/a", "configmaps/namespaces/web/b"}));
}

TEST_F(Backup, WaitsForOperations) {
  play();
  write_items({item("Pod", "web", "p", told("backup-a", "operation=3 after=secrets/web/late")),
               labelled("web", "q", "x", "y"), item("Secret", "web", "late")});
  ASSERT_EQ(create("nightly", {"--include-resources", "pods,secrets,cm"}).exit, 0);
  EXPECT_EQ(journal("backup a progress "), Lines(3, "p:3"));
  EXPECT_EQ(journal("backup a cancel "), Lines());
}

TEST_F(Backup, AddsItemsAfterAnOperationEnds) {
  play();
  write_items({R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"web",)"
               R"("labels":{"x":"y"}},)" +
                   told("backup-a", "operation=2 after=secrets/web/late") + "}",
               item("Secret", "web", "late")});
  ASSERT_EQ(create("nightly", {"-l", "x=y"}).exit, 0);
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(), (Lines{"pods/namespaces/web/p", "secrets/namespaces/web/late"}));
  const Lines calls = journal("backup a ");
  EXPECT_EQ(calls.back(), "execute late of nightly");
}

/// Returns an item with the label x=y.
std::string selected(const std::string& kind, const std::string& space, const std::string& name,
                     const std::string& more = {}) {
  return R"({"apiVersion":"v1","kind":")" + kind + R"(","metadata":{"name":")" + name +
         R"(","namespace":")" + space + R"(","labels":{"x":"y"}})" + (more.empty() ? "" : ",") +
         more + "}";
}

TEST_F(Backup, AddsItemsThatActionsOnNamespacesRequest) {
  play();
  write_items({item("Namespace", "", "web", told("backup-a", "also=cm/db/c")),
               item("Namespace", "", "db", told("backup-b", "operation=2 after=secrets/ops/s")),
               item("Namespace", "", "ops", told("backup-a", "also=pods/web/p also=ns/web")),
               item("Namespace", "", "other"), selected("Pod", "web", "p"),
               item("ConfigMap", "db", "c"), item("Secret", "ops", "s"),
               item("Secret", "other", "t")});
  ASSERT_EQ(create("nightly", {"-l", "x=y"}).exit, 0);
  EXPECT_EQ(journal("backup b progress "), Lines(2, "db:2"));
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(),
            (Lines{"configmaps/namespaces/db/c", "namespaces/cluster/db", "namespaces/cluster/ops",
                   "namespaces/cluster/web", "pods/namespaces/web/p", "secrets/namespaces/ops/s"}));
  EXPECT_EQ(journal("backup a execute ").size(), 6u) << "each item once";
}

TEST_F(Backup, WaitsForOperationsOfNamespaces) {
  play();
  write_items({item("Namespace", "", "web", told("backup-a", "operation=fails")),
               selected("Pod", "web", "p")});
  const Outcome made = create("nightly", {"-l", "x=y"});
  EXPECT_EQ(made.exit, 1);
  EXPECT_NE(made.err.find("error[operation-failed] namespaces web: test.example/a: progress:"),
            std::string::npos)
      << made.err;
}

TEST_F(Backup, WaitsForOperationsOfPostOperationItems) {
  play();
  write_items({selected("Pod", "web", "p", told("backup-a", "operation=1 after=secrets/web/s")),
               item("Secret", "web", "s", told("backup-a", "operation=2 after=secrets/db/t")),
               item("Secret", "db", "t", told("backup-a", "operation=fails after=pods/web/p")),
               item("Namespace", "", "db")});
  const Outcome made = create("nightly", {"-l", "x=y"});
  EXPECT_EQ(made.exit, 1);
  EXPECT_NE(made.err.find("error[operation-failed] secrets db/t:"), std::string::npos) << made.err;
  EXPECT_EQ(journal("backup a progress "), (Lines{"p:1", "s:2", "s:2", "t:fails"}));
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(), (Lines{"namespaces/cluster/db", "pods/namespaces/web/p",
                               "secrets/namespaces/db/t", "secrets/namespaces/web/s"}));
}

TEST_F(Backup, ReportsOperationsThatFailOrDoNotEnd) {
  play();
  write_items({item("Pod", "web", "p", told("backup-a", "operation=fails")),
               item("Pod", "web", "q", told("backup-b", "operation=never")),
               item("Pod", "web", "stuck", told("backup-b", "operation=never"))});
  const Outcome made = create();
  EXPECT_EQ(made.exit, 1);
  EXPECT_NE(made.err.find("pods web/stuck: test.example/b: cancel: it cannot be stopped"),
            std::string::npos)
      << made.err;
  EXPECT_EQ(made.err.find("pods web/q: test.example/b: cancel"), std::string::npos) << made.err;
  EXPECT_NE(made.err.find("error[operation-failed] pods web/p: test.example/a: progress: the "
                          "operation p:fails failed: the disk is on fire"),
            std::string::npos)
      << made.err;
  EXPECT_NE(made.err.find("error[operation-timed-out] pods web/q: test.example/b: progress: the "
                          "operation q:never did not end within 200ms and was cancelled"),
            std::string::npos)
      << made.err;
  EXPECT_EQ(journal("backup b cancel "), (Lines{"q:never", "stuck:never"}));
  EXPECT_EQ(journal("backup a cancel "), Lines());
}

TEST_F(Backup, RestoresRequiredItemsFirst) {
  play();
  write_items({item("Pod", "web", "p", told("restore-a", "also=services/web/s ready=1")),
               item("Service", "web", "s", told("restore-b", "also=pods/web/p")),
               item("ConfigMap", "web", "c")});
  ASSERT_EQ(create().exit, 0);
  const Outcome outcome = restore();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(journal("restore a "),
            (Lines{"applies_to", "execute c of nightly", "execute p of nightly",
                   "execute s of nightly", "ready? 1"}));
  EXPECT_EQ(restored().size(), 3u);
}

TEST_F(Backup, RestoresAdditionalItemsOneAfterTheOther) {
  play();
  write_items(
      {item("Pod", "web", "p", told("restore-a", "also=services/web/s also=services/web/t")),
       item("Service", "web", "s", told("restore-a", "also=services/web/z ready=1")),
       item("Service", "web", "t"), item("Service", "web", "z")});
  ASSERT_EQ(create().exit, 0);
  const Outcome outcome = restore();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(journal("restore a "),
            (Lines{"applies_to", "execute p of nightly", "execute s of nightly",
                   "execute z of nightly", "ready? 1", "execute t of nightly"}));
}

TEST_F(Backup, RestoresNoAdditionalItemsWhoseLabelsDoNotMatch) {
  play();
  write_items({R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"web",)"
               R"("labels":{"tier":"front"}},)" +
                   told("restore-a", "also=configmaps/web/b also=configmaps/web/c") + "}",
               labelled("web", "b", "tier", "back"), labelled("web", "c", "tier", "front")});
  ASSERT_EQ(create().exit, 0);
  const Outcome outcome = restore("restored", {"-l", "tier=front"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(restored(), (Lines{"configmaps/namespaces/web/a", "configmaps/namespaces/web/c"}));
  EXPECT_EQ(journal("restore a execute "), (Lines{"a of nightly", "c of nightly"}));
}

TEST_F(Backup, WaitsForItemsForTheLongestTime) {
  play();
  write_items({item("Pod", "web", "p",
                    told("restore-a", "also=services/web/s also=services/web/t ready=longest")),
               item("Service", "web", "s"), item("Service", "web", "t")});
  ASSERT_EQ(create().exit, 0);
  const Outcome outcome = restore();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(journal("restore a ready?"), (Lines{" 2", " 2"}));
}

TEST_F(Backup, ContinuesARestoreIfItemsDoNotBecomeReady) {
  play();
  write_items({item("Pod", "web", "p", told("restore-a", "ready=never"))});
  ASSERT_EQ(create().exit, 0);
  const Outcome outcome = restore();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_NE(outcome.err.find("error[additional-items-not-ready] pods web/p: test.example/a: "
                             "are_additional_items_ready: the additional items are not ready after "
                             "20ms"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(restored(), (Lines{"pods/namespaces/web/p"}));
}

TEST_F(Backup, OmitsItemsThatABackupActionSkips) {
  play();
  write_items({item("Secret", "web", "p", told("backup-b", "skip also=pods/web/absent")),
               item("Secret", "web", "q")});
  const Outcome made = create();
  EXPECT_EQ(made.out, "backup nightly: completed, 1 item, 0 snapshots, 0 errors, 0 warnings\n");
  EXPECT_EQ(journal("backup a execute "), (Lines{"q of nightly"}));
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(), (Lines{"secrets/namespaces/web/q"}));
}

TEST_F(Backup, OmitsItemsWithTheLabelForIt) {
  play();
  const std::string label = "velero.io/exclude-from-backup";
  write_items({labelled("web", "out", label, "true"), labelled("web", "in", label, "false"),
               item("Secret", "web", "s", told("backup-a", "also=configmaps/web/out"))});
  EXPECT_EQ(create("nightly", {"--dry-run"}).out.find("web/out"), std::string::npos);
  const Outcome made = create();
  EXPECT_EQ(made.out, "backup nightly: completed, 2 items, 0 snapshots, 0 errors, 0 warnings\n")
      << made.err;
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(), (Lines{"configmaps/namespaces/web/in", "secrets/namespaces/web/s"}));
}

TEST_F(Backup, OmitsItemsThatARestoreActionSkips) {
  play();
  write_items({item("Pod", "web", "p", told("restore-b", "skip")), item("Pod", "web", "q")});
  ASSERT_EQ(create().exit, 0);
  EXPECT_EQ(restore("restored", {"--name", "r"}).out,
            "restore r: 1 item restored, 1 skipped, 0 errors\n");
  EXPECT_EQ(restored(), (Lines{"pods/namespaces/web/q"}));
  EXPECT_EQ(journal("restore a execute "), (Lines{"q of nightly"}));
}

/// A failure of an action, and how the run reports it.
struct ActionFailure {
  std::string name;
  std::string word;
  std::string says;
};

class FailingAction : public Backup, public testing::WithParamInterface<ActionFailure> {};

TEST_P(FailingAction, IsAnErrorOfTheItemAndTheRunContinues) {
  play();
  configure(actions("backup") + R"(, "timeouts": {"call": "200ms", "poll": "1ms"})");
  write_items({item("Secret", "web", "p", told("backup-a", GetParam().word)),
               item("Secret", "web", "q", told("backup-a", "label"))});
  const Outcome made = create();
  EXPECT_EQ(made.exit, 1) << made.err;
  EXPECT_EQ(made.out,
            "backup nightly: partially failed, 2 items, 0 snapshots, 1 error, 0 warnings\n");
  EXPECT_NE(made.err.find(GetParam().says), std::string::npos) << made.err;
  EXPECT_EQ(made.err.find(GetParam().says), made.err.rfind(GetParam().says)) << made.err;
  const Outcome told = run({"describe", "nightly"});
  EXPECT_NE(told.out.find("test.example/a"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("secrets web/p"), std::string::npos);
  world.place(PLAYER, "player.so");
  configure();
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(world.read("restored/resources/secrets/namespaces/web/p.json"),
            item("Secret", "web", "p", "\"do-backup-a\":\"" + GetParam().word + "\"") + "\n");
  EXPECT_NE(world.read("restored/resources/secrets/namespaces/web/q.json").find("changed-by-a"),
            std::string::npos);
}

std::vector<ActionFailure> action_failures() {
  std::vector<ActionFailure> all{
      {"fails", "fail", "error[internal] secrets web/p: test.example/a: execute: told to fail"},
      {"noJson", "junk", "error[not-json] secrets web/p: test.example/a: execute:"},
      {"changes_the_kind", "rekind",
       "error[identity-changed] secrets web/p: test.example/a: execute: the action changed the kind "
       "or API group of the item; found configmaps web/p; needed secrets web/p"},
      {"renames", "rename",
       "error[identity-changed] secrets web/p: test.example/a: execute: the action changed the "
       "name or namespace of the item; found secrets web/other; needed secrets web/p"},
      {"hangs", "hang",
       "error[deadline-exceeded] secrets web/p: test.example/a: execute: the call did not return "
       "within 200ms and was abandoned; its module was restarted"}};
#if !SANITIZED  // a sanitizer reports the crash and ends the program
  all.push_back({"crashes", "crash", "error[crashed] secrets web/p: test.example/a: execute:"});
#endif
  return all;
}

INSTANTIATE_TEST_SUITE_P(, FailingAction, testing::ValuesIn(action_failures()),
                         [](const auto& row) { return row.param.name; });

TEST_F(Backup, CutsLongMessagesOfActions) {
  play();
  write_items({item("Secret", "web", "s", told("backup-a", "fail long"))});
  ASSERT_EQ(create().exit, 1);
  const auto described = json(run({"describe", "nightly", "--json"}));
  const std::string message =
      described.at("backup").at("problems").at(0).at("message").as_string().c_str();
  EXPECT_TRUE(message.starts_with("told to fail\u00e9")) << message;
  EXPECT_TRUE(message.ends_with("\u00e9\u2026"));
  EXPECT_GT(message.size(), 2040u);
  EXPECT_LT(message.size(), 2060u);
}

#if !SANITIZED  // a sanitizer reports the crash and ends the program
TEST_F(Backup, GivesUpOnAnActionThatAlwaysCrashes) {
  play();
  Lines items;
  for (int i = 0; i < 20; ++i) {
    items.push_back(item("Secret", "web", "s" + std::to_string(i), told("backup-a", "crash")));
  }
  write_items(items);
  const Outcome made = create();
  EXPECT_EQ(made.exit, 1);
  EXPECT_NE(made.out.find("20 items, 0 snapshots, "), std::string::npos) << made.out;
  EXPECT_NE(made.err.find("quarantined"), std::string::npos) << made.err;
  EXPECT_LT(journal("backup a execute ").size(), items.size());
}
#endif

TEST_F(Backup, GivesUpOnAnActionThatAlwaysHangs) {
  play();
  configure(actions("backup") + R"(, "timeouts": {"call": "50ms"})");
  Lines items;
  for (int i = 0; i < 6; ++i) {
    items.push_back(item("Secret", "web", "s" + std::to_string(i), told("backup-a", "hang")));
  }
  write_items(items);
  const Outcome made = create();
  EXPECT_EQ(made.exit, 1);
  EXPECT_NE(made.out.find("6 items, 0 snapshots, 4 errors, "), std::string::npos) << made.out;
  EXPECT_NE(made.err.find("error[action-given-up] secrets web/s2: test.example/a: execute: gave up "
                          "after 3 calls that did not return"),
            std::string::npos)
      << made.err;
  EXPECT_EQ(journal("backup a execute ").size(), 3u);
  EXPECT_EQ(journal("backup b execute ").size(), 6u);
}

TEST_F(Backup, ContinuesWithoutAnUnusableAction) {
  play(R"("applies_to": "fails")");
  write_items({item("Pod", "web", "p")});
  const Outcome made = create();
  EXPECT_EQ(made.exit, 1);
  EXPECT_NE(made.err.find("error[internal] test.example/a: applies_to: no selector today"),
            std::string::npos)
      << made.err;
  EXPECT_EQ(journal("backup b execute "), Lines{"p of nightly"});
  EXPECT_EQ(journal("backup a execute "), Lines());
}

TEST_F(Backup, ContinuesWithoutAnActionThatHangsInConfigure) {
  world.place(PLAYER, "player.so");
  configure(actions("backup", R"("configure": "hangs")") + R"(, "timeouts": {"call": "300ms"})");
  write_items({item("Pod", "web", "p")});
  const Outcome made = create();
  EXPECT_EQ(made.exit, 1);
  EXPECT_NE(made.err.find("error[deadline-exceeded] test.example/a: configure: the call did not "
                          "return within 300ms and was abandoned"),
            std::string::npos)
      << made.err;
  EXPECT_EQ(journal("backup b execute "), Lines{"p of nightly"});
}

TEST_F(Backup, EndsIfTheStoreHangsInCreate) {
  world.place(PLAYER, "player.so");
  world.write("no-birth", "");
  world.write("tenon-backup.json",
              R"({"store": {"plugin": "test.example/unborn"}, "timeouts": {"call": "300ms"}})");
  const Outcome listed = run({"list"});
  EXPECT_EQ(listed.exit, 3);
  EXPECT_NE(listed.err.find("test.example/unborn: create: deadline-exceeded: the call did not "
                            "return within 300ms"),
            std::string::npos)
      << listed.err;
}

TEST_F(Backup, ReportsFilesThatAreNotPlugins) {
  world.write("plugins/broken.so", "no library");
  write_items({item("Pod", "web", "p")});
  for (const Lines& command : std::vector<Lines>{{"create", "nightly", "--from", "items.json"},
                                                 {"restore", "nightly", "--to", "restored"},
                                                 {"delete", "nightly"}}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit, 0) << command[0];
    EXPECT_NE(outcome.err.find("warning["), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(module_file("broken.so")), std::string::npos) << outcome.err;
  }
}

TEST_F(Backup, DoesNotReportModulesInDevelopment) {
  fs::create_directories(world.plugins() / "player/dev");
  world.place(PLAYER, "player/dev/player.so");
  write_items({item("ConfigMap", "web", "c")});
  for (const Lines& command : std::vector<Lines>{{"create", "nightly", "--from", "items.json"},
                                                 {"restore", "nightly", "--to", "restored"},
                                                 {"delete", "nightly"}}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit, 0) << command[0];
    EXPECT_EQ(outcome.err, "") << command[0];
  }
}

}}  // namespace tenon::tests
