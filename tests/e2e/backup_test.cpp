// SPDX-License-Identifier: BSL-1.0
//
// tenon-backup as people run it: what is stored and restored, which actions see what, and what
// happens when one of them fails.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// An item whose members behind the metadata are given.
std::string item(const std::string& kind, const std::string& space, const std::string& name,
                 const std::string& more = {}) {
  const std::string in = space.empty() ? "" : ",\"namespace\":\"" + space + "\"";
  return R"({"apiVersion":"v1","kind":")" + kind + R"(","metadata":{"name":")" + name + "\"" + in +
         "}" + (more.empty() ? "" : "," + more) + "}";
}

std::string labelled(const std::string& space, const std::string& name, const std::string& label,
                     const std::string& value) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
         R"(","namespace":")" + space + R"(","labels":{")" + label + R"(":")" + value + R"("}}})";
}

/// What an item tells the action `letter` of a role.
std::string told(const std::string& role, const std::string& words) {
  return "\"do-" + role + "\":\"" + words + "\"";
}

std::string list_of(const Lines& items) {
  std::string text = R"({"apiVersion":"v1","kind":"List","items":[)";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "" : ",") + items[i];
  return text + "]}";
}

class Backup : public testing::Test {
 protected:
  Backup() {
    fs::create_directory(world.root() / "store");
    configure();
  }

  /// `more`: further members of the configuration.
  void configure(const std::string& more = {}) {
    world.write("tenon-backup.json",
                R"({"store": {"plugin": "filesystem", "config": {"directory": "store"}})" +
                    (more.empty() ? "" : ", " + more) + "}");
  }
  /// The actions of the player, with the members of their configurations.
  static std::string actions(const std::string& role, const std::string& a = {},
                             const std::string& b = {}) {
    const auto use = [](const std::string& letter, const std::string& more) {
      return R"({"plugin": "test.example/)" + letter + R"(", "config": {"journal": "journal")" +
             (more.empty() ? "" : ", " + more) + "}}";
    };
    return "\"" + role + "_actions\": [" + use("b", b) + ", " + use("a", a) + "]";
  }
  /// All actions of the player, with short times.
  void play(const std::string& backup_a = {}, const std::string& delete_a = {}) {
    world.place(PLAYER, "player.so");
    configure(actions("backup", backup_a) + ", " + actions("restore") + ", " +
              actions("delete", delete_a) +
              R"(, "timeouts": {"operation": "200ms", "poll": "1ms"})");
  }

  /// A volume of one file.
  void write_volume() {
    world.write("volumes/v/data", "precious");
    fs::create_directories(world.root() / "snapshots");
  }
  std::string volume(const std::string& name) const {
    return item(
        "PersistentVolume", "", name,
        R"("spec":{"hostPath":{"path":")" + (world.root() / "volumes" / name).string() + "\"}}");
  }
  static constexpr const char* snapshotters =
      R"("snapshotters": [{"plugin": "directory", "config": {"volumes": "volumes",)"
      R"( "snapshots": "snapshots"}}])";

  void write_items(const Lines& items) { world.write("items.json", list_of(items)); }
  Outcome run(Lines arguments) {
    arguments.insert(arguments.begin(), TENON_BACKUP);
    return world.run(arguments);
  }
  Outcome create(const std::string& name = "nightly", const Lines& more = {}) {
    Lines arguments{"create", name, "--from", "items.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  Outcome restore(const std::string& to = "restored", const Lines& more = {}) {
    Lines arguments{"restore", "nightly", "--to", to};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  /// The files below a folder, as paths relative to it.
  Lines files(const std::string& folder) {
    Lines found;
    if (!fs::exists(world.root() / folder)) return found;
    for (const auto& entry : fs::recursive_directory_iterator(world.root() / folder)) {
      if (entry.is_regular_file()) {
        found.push_back(entry.path().lexically_relative(world.root() / folder));
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  /// The same of a restore, without what all have in common.
  Lines restored(const std::string& folder = "restored") {
    Lines found = files(folder + "/resources");
    for (std::string& path : found) path.resize(path.size() - std::string(".json").size());
    return found;
  }
  Lines journal() { return lines_of(world.read("journal")); }
  /// The lines of the journal that begin so, without that.
  Lines journal(const std::string& begin) {
    Lines found;
    for (const std::string& line : journal()) {
      if (line.starts_with(begin)) found.push_back(line.substr(begin.size()));
    }
    return found;
  }
  boost::json::object json(const Outcome& outcome) {
    boost::json::error_code error;
    const auto value = boost::json::parse(outcome.out, error);
    EXPECT_FALSE(error) << outcome.out << outcome.err;
    return value.is_object() ? value.get_object() : boost::json::object();
  }

  World world{"tenon"};
};

// -- Without actions ----------------------------------------------------------

TEST_F(Backup, RestoresWhatWasBackedUp) {
  const Lines items{item("Namespace", "", "web"),
                    item("ConfigMap", "web", "a", R"("data":{"k":"v"})"),
                    item("Secret", "db", "b", R"("x":[1,2.5,null,"\u00e9"])")};
  write_items(items);
  const Outcome made = create();
  EXPECT_EQ(made.exit, 0) << made.err;
  EXPECT_EQ(made.out, "backup nightly: completed, 3 items, 0 snapshots, 0 errors, 0 warnings\n");
  const Outcome outcome = restore("restored", {"--name", "again"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "restore again: 3 items restored, 0 skipped, 0 errors\n");
  EXPECT_EQ(restored(), (Lines{"configmaps/namespaces/web/a", "namespaces/cluster/web",
                               "secrets/namespaces/db/b"}));
  EXPECT_EQ(world.read("restored/resources/configmaps/namespaces/web/a.json"), items[1] + "\n");
  EXPECT_EQ(world.read("restored/resources/namespaces/cluster/web.json"), items[0] + "\n");
  EXPECT_EQ(world.read("restored/resources/secrets/namespaces/db/b.json"), items[2] + "\n");
}

TEST_F(Backup, ReadsFoldersOfDocuments) {
  world.write("in/a.json", item("ConfigMap", "web", "a"));
  world.write("in/deep/b.json", item("ConfigMap", "web", "b"));
  world.write("in/c.txt", "not looked at");
  EXPECT_EQ(run({"create", "nightly", "--from", "in"}).exit, 0);
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(), (Lines{"configmaps/namespaces/web/a", "configmaps/namespaces/web/b"}));
}

TEST_F(Backup, RestoresFromAFolderThatItRestoredInto) {
  write_items({item("ConfigMap", "web", "a"), item("Deployment", "web", "b")});
  ASSERT_EQ(create().exit, 0);
  ASSERT_EQ(restore("first").exit, 0);
  ASSERT_EQ(run({"create", "again", "--from", "first"}).exit, 0);
  ASSERT_EQ(run({"restore", "again", "--to", "second"}).exit, 0);
  EXPECT_EQ(restored("first"), restored("second"));
}

TEST_F(Backup, IsDescribedInItsArchive) {
  write_items({item("ConfigMap", "web", "a")});
  ASSERT_EQ(create().exit, 0);
  for (const std::string& file : files("store")) {
    if (!file.ends_with(".tar.gz")) continue;
    const Outcome listed = world.run({"tar", "tzf", "store/" + file});
    EXPECT_EQ(listed.out, "resources/configmaps/namespaces/web/a.json\nmetadata/backup.json\n");
    const Outcome described = world.run({"tar", "xzOf", "store/" + file, "metadata/backup.json"});
    const auto document = json(described);
    EXPECT_EQ(document.at("type"), "tenon.dev/backup");
    EXPECT_EQ(document.at("value").at("phase"), "completed");
    EXPECT_EQ(document.at("value").at("counts").at("items"), 1);
  }
}

TEST_F(Backup, StoresZstdAsWell) {
  configure(R"("compression": "zstd")");
  write_items({item("ConfigMap", "web", "a")});
  ASSERT_EQ(create().exit, 0);
  const Lines stored = files("store");
  EXPECT_TRUE(std::any_of(stored.begin(), stored.end(),
                          [](const std::string& path) { return path.ends_with(".tar.zst"); }));
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(), (Lines{"configmaps/namespaces/web/a"}));
}

TEST_F(Backup, ReportsWhatIsWrongWithSingleItems) {
  write_items({item("ConfigMap", "web", "a"), R"({"apiVersion":"v1","kind":"ConfigMap"})",
               item("ConfigMap", "web", "b")});
  const Outcome made = create();
  EXPECT_EQ(made.exit, 1);
  EXPECT_EQ(made.out,
            "backup nightly: partially failed, 2 items, 0 snapshots, 1 error, 0 warnings\n");
  EXPECT_NE(made.err.find("tenon-backup: error[not-a-resource] items.json:1:"), std::string::npos)
      << made.err;
}

TEST_F(Backup, KeepsWhatIsThereAlreadyInTheFolder) {
  write_items({item("ConfigMap", "web", "a"), item("ConfigMap", "web", "b")});
  ASSERT_EQ(create().exit, 0);
  world.write("restored/resources/configmaps/namespaces/web/a.json", "{}\n");
  const Outcome first = restore();
  EXPECT_EQ(first.exit, 0) << first.err;
  EXPECT_NE(first.err.find("warning[already-exists] configmaps web/a:"), std::string::npos)
      << first.err;
  EXPECT_EQ(world.read("restored/resources/configmaps/namespaces/web/a.json"), "{}\n");
  EXPECT_EQ(restore("restored", {"--name", "two"}).out,
            "restore two: 0 items restored, 2 skipped, 0 errors\n");
}

TEST_F(Backup, TakesDocumentsThatAreDeep) {
  std::string deep = "1";
  for (int i = 0; i < 200; ++i) deep = "[" + deep + "]";
  write_items({item("ConfigMap", "web", "a", "\"data\":" + deep)});
  EXPECT_EQ(create().exit, 0);
  EXPECT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(), Lines{"configmaps/namespaces/web/a"});
}

TEST_F(Backup, IsRestoredAsOftenAsAnybodyLikes) {
  write_items({item("ConfigMap", "web", "a")});
  ASSERT_EQ(create().exit, 0);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(restore("to-" + std::to_string(i)).exit, 0);
  EXPECT_EQ(restore("nothing", {"--include-namespaces", "none"}).exit, 0);
  EXPECT_EQ(restore("named", {"--name", "again"}).exit, 0);
  EXPECT_EQ(restore("named", {"--name", "again"}).exit, 2);
  const Lines stored = files("store");
  EXPECT_EQ(std::count_if(stored.begin(), stored.end(),
                          [](const std::string& path) {
                            return path.find("restores/nightly/") != std::string::npos;
                          }),
            7);
}

TEST_F(Backup, RestoresVolumesFromTheirSnapshots) {
  write_volume();
  configure(snapshotters);
  write_items({volume("v"), volume("gone")});
  const Outcome made = create();
  EXPECT_EQ(made.exit, 1) << "there is no volume \"gone\"";
  EXPECT_NE(made.out.find(" 1 snapshot, 1 error,"), std::string::npos) << made.out << made.err;
  EXPECT_NE(made.err.find("persistentvolumes gone: tenon.dev/directory:"), std::string::npos);
  world.write("volumes/v/data", "spoilt");
  ASSERT_EQ(restore().exit, 0);
  const auto path =
      boost::json::parse(world.read("restored/resources/persistentvolumes/cluster/v.json"))
          .at("spec")
          .at("hostPath")
          .at("path")
          .as_string();
  EXPECT_NE(path, (world.root() / "volumes/v").string());
  EXPECT_EQ(read_file(fs::path(path.c_str()) / "data"), "precious");

  const auto volumes = [&] {
    const fs::directory_iterator all(world.root() / "volumes");
    return std::count_if(begin(all), end(all), [](const fs::directory_entry& entry) {
      return entry.path().filename().string()[0] != '.';
    });
  };
  ASSERT_EQ(volumes(), 2);
  EXPECT_EQ(restore().exit, 0);
  EXPECT_EQ(volumes(), 2) << "the file of the item was there already";

  configure();
  const Outcome kept = run({"delete", "nightly"});
  EXPECT_EQ(kept.exit, 1);
  EXPECT_NE(kept.err.find("error[snapshotter-missing] persistentvolumes v:"), std::string::npos)
      << kept.err;
  configure(snapshotters);
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
  EXPECT_EQ(files("snapshots"), Lines());
  EXPECT_EQ(files("store"), Lines());
}

// -- Which items --------------------------------------------------------------

TEST_F(Backup, TakesTheItemsThatAreMeant) {
  write_items({item("Namespace", "", "web"), item("Namespace", "", "db"), item("Node", "", "n"),
               labelled("web", "a", "tier", "front"), labelled("web", "b", "tier", "back"),
               labelled("db", "c", "tier", "front"), item("Secret", "web", "s")});
  struct Row {
    Lines options;
    Lines items;
  };
  const Lines rows_all{"configmaps/namespaces/db/c",  "configmaps/namespaces/web/a",
                       "configmaps/namespaces/web/b", "namespaces/cluster/db",
                       "namespaces/cluster/web",      "nodes/cluster/n",
                       "secrets/namespaces/web/s"};
  const std::vector<Row> rows{
      {{}, rows_all},
      {{"--include-namespaces", "web"},
       {"configmaps/namespaces/web/a", "configmaps/namespaces/web/b", "namespaces/cluster/web",
        "secrets/namespaces/web/s"}},
      {{"--exclude-namespaces", "web"},
       {"configmaps/namespaces/db/c", "namespaces/cluster/db", "nodes/cluster/n"}},
      {{"--include-resources", "cm,no"},
       {"configmaps/namespaces/db/c", "configmaps/namespaces/web/a", "configmaps/namespaces/web/b",
        "nodes/cluster/n"}},
      {{"--exclude-resources", "configmaps,ns"}, {"nodes/cluster/n", "secrets/namespaces/web/s"}},
      {{"--selector", "tier in (front),!old"},
       {"configmaps/namespaces/db/c", "configmaps/namespaces/web/a", "namespaces/cluster/db",
        "namespaces/cluster/web"}},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string name = "row-" + std::to_string(i);
    EXPECT_EQ(create(name, rows[i].options).exit, 0) << name;
    EXPECT_EQ(run({"restore", name, "--to", name}).exit, 0);
    EXPECT_EQ(restored(name), rows[i].items) << name;
    if (i == 0) continue;
    Lines arguments{"restore", "row-0", "--to", "of-" + name};
    if (rows[i].options[0] == "--selector") continue;  // namespaces are not restored by labels
    arguments.insert(arguments.end(), rows[i].options.begin(), rows[i].options.end());
    EXPECT_EQ(run(arguments).exit, 0);
    EXPECT_EQ(restored("of-" + name), rows[i].items) << name;
  }
}

TEST_F(Backup, RefusesSelectorsThatAreWrong) {
  write_items({item("ConfigMap", "web", "a")});
  EXPECT_EQ(create("a", {"--selector", "a=="}).exit, 0);
  for (const Lines& options : std::vector<Lines>{{"--selector", "a in ("},
                                                 {"--exclude-namespaces", "[a"},
                                                 {"--include-resources", "x[z-a]"}}) {
    const Outcome made = create("b", options);
    EXPECT_EQ(made.exit, 2) << options[0];
    EXPECT_NE(made.err.find("error[bad-"), std::string::npos) << made.err;
  }
  EXPECT_EQ(run({"describe", "b"}).exit, 3);
}

// -- Actions ------------------------------------------------------------------

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

TEST_F(Backup, AddsTheItemsThatActionsAskFor) {
  play();
  write_items({item("Pod", "web", "p", told("backup-a", "also=pvc/web/c also=nodes/none")),
               item("PersistentVolumeClaim", "web", "c", told("backup-a", "also=pv/v")),
               item("PersistentVolume", "", "v", told("backup-b", "also=pods/web/p")),
               item("Secret", "web", "s"), item("Secret", "db", "t")});
  const Outcome made =
      create("nightly", {"--include-resources", "pods,pvc,pv,nodes", "--include-namespaces", "*"});
  EXPECT_EQ(made.exit, 0) << made.err;
  EXPECT_NE(made.err.find("warning[additional-item-missing] pods web/p:"), std::string::npos)
      << made.err;
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(), (Lines{"persistentvolumeclaims/namespaces/web/c",
                               "persistentvolumes/cluster/v", "pods/namespaces/web/p"}));
  EXPECT_EQ(journal("backup a execute ").size(), 3u);
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

TEST_F(Backup, AddsItemsWhenAnOperationHasEnded) {
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

TEST_F(Backup, ReportsOperationsThatFailOrDoNotEnd) {
  play();
  write_items({item("Pod", "web", "p", told("backup-a", "operation=fails")),
               item("Pod", "web", "q", told("backup-b", "operation=never"))});
  const Outcome made = create();
  EXPECT_EQ(made.exit, 1);
  EXPECT_NE(made.err.find("error[operation-failed] pods web/p: test.example/a: progress: the "
                          "operation p:fails has failed: the disk is on fire"),
            std::string::npos)
      << made.err;
  EXPECT_NE(made.err.find("error[operation-timed-out] pods web/q: test.example/b: progress: the "
                          "operation q:never has not ended within 200ms and is cancelled"),
            std::string::npos)
      << made.err;
  EXPECT_EQ(journal("backup b cancel "), Lines{"q:never"});
  EXPECT_EQ(journal("backup a cancel "), Lines());
}

TEST_F(Backup, RestoresTheItemsThatOthersNeedFirst) {
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

TEST_F(Backup, RestoresWithoutItemsThatDoNotBecomeReady) {
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

TEST_F(Backup, LeavesOutWhatARestoreActionSkips) {
  play();
  write_items({item("Pod", "web", "p", told("restore-b", "skip")), item("Pod", "web", "q")});
  ASSERT_EQ(create().exit, 0);
  EXPECT_EQ(restore("restored", {"--name", "r"}).out,
            "restore r: 1 item restored, 1 skipped, 0 errors\n");
  EXPECT_EQ(restored(), (Lines{"pods/namespaces/web/q"}));
  EXPECT_EQ(journal("restore a execute "), (Lines{"q of nightly"}));
}

/// One way in which an action goes wrong, and what the run says about it.
struct Mishap {
  std::string name;
  std::string word;
  std::string says;
};

class Mishaps : public Backup, public testing::WithParamInterface<Mishap> {};

TEST_P(Mishaps, AreAnErrorOfTheItemAndTheRunContinues) {
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

std::vector<Mishap> mishaps() {
  std::vector<Mishap> all{
      {"fails", "fail", "error[internal] secrets web/p: test.example/a: execute: told to fail"},
      {"noJson", "junk", "error[not-json] secrets web/p: test.example/a: execute:"},
      {"renames", "rename",
       "error[identity-changed] secrets web/p: test.example/a: execute: the action gave the item "
       "another name or namespace; found secrets web/other; needed secrets web/p"},
      {"hangs", "hang",
       "error[deadline-exceeded] secrets web/p: test.example/a: execute: the call did not return "
       "within 200ms and was left behind; its module was restarted"}};
#if !SANITIZED  // a sanitizer reports the crash and ends the program
  all.push_back({"crashes", "crash", "error[crashed] secrets web/p: test.example/a: execute:"});
#endif
  return all;
}

INSTANTIATE_TEST_SUITE_P(, Mishaps, testing::ValuesIn(mishaps()),
                         [](const auto& row) { return row.param.name; });

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

TEST_F(Backup, GoesOnWithoutAnActionThatCannotBeUsed) {
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

TEST_F(Backup, SaysWhichFilesAreNoPlugins) {
  world.write("plugins/broken.so", "no library");
  write_items({item("Pod", "web", "p")});
  for (const Lines& command : std::vector<Lines>{{"create", "nightly", "--from", "items.json"},
                                                 {"restore", "nightly", "--to", "restored"},
                                                 {"delete", "nightly"}}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit, 0) << command[0];
    EXPECT_NE(outcome.err.find("warning["), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("broken.so"), std::string::npos) << outcome.err;
  }
}

// -- Deletion -----------------------------------------------------------------

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
  EXPECT_NE(deleted.out.find("What was executed is not undone"), std::string::npos);
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
  const auto answer = json(again);
  const auto& deletion = answer.at("deletions").at(0);
  EXPECT_FALSE(deletion.at("deleted").as_bool());
  EXPECT_EQ(deletion.at("problems").as_array().size(), 2u);
  EXPECT_GE(deletion.at("executed").as_array().size(), 4u);
  EXPECT_EQ(deletion.at("executed").at(0).at("item"), "pods web/p");

  world.write("tenon-backup.json", world.read("tenon-backup.json"));
  fs::remove(world.plugins() / "player.so");
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
  EXPECT_NE(deleted.err.find("warning[contents-missing]"), std::string::npos);
  EXPECT_EQ(journal("delete a execute "), Lines());
  EXPECT_EQ(files("store"), Lines());
}

TEST_F(Backup, IsKeptIfItsArchiveIsBroken) {
  play();
  write_items({item("Pod", "web", "p"), item("Pod", "web", "q")});
  ASSERT_EQ(create().exit, 0);
  for (const std::string& file : files("store")) {
    if (file.find("contents-") == std::string::npos) continue;
    fs::resize_file(world.root() / "store" / file,
                    fs::file_size(world.root() / "store" / file) - 9);
  }
  const Outcome deleted = run({"delete", "nightly"});
  EXPECT_EQ(deleted.exit, 1);
  EXPECT_NE(deleted.err.find("error[not-an-archive]"), std::string::npos) << deleted.err;
  EXPECT_EQ(journal("delete a execute "), Lines());
  EXPECT_EQ(run({"describe", "nightly"}).exit, 0);
  EXPECT_EQ(restore().exit, 3);
  EXPECT_EQ(restored(), Lines());
}

TEST_F(Backup, ExpiresWhenItsTimeIsOver) {
  play();
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create("short", {"--ttl", "1ms"}).exit, 0);
  ASSERT_EQ(create("long", {"--ttl", "1h"}).exit, 0);
  ASSERT_EQ(create("endless").exit, 0);
  EXPECT_TRUE(run({"expire"}).out.starts_with("backup short: deleted\n"));
  EXPECT_EQ(journal("delete a execute "), Lines{"p of short"});
  EXPECT_EQ(run({"describe", "short"}).exit, 3);
  EXPECT_EQ(run({"describe", "long"}).exit, 0);
  EXPECT_EQ(run({"describe", "endless"}).exit, 0);
  EXPECT_EQ(create("wrong", {"--ttl", "soon"}).exit, 2);
}

// -- Commands -----------------------------------------------------------------

TEST_F(Backup, SaysWhichActionWouldSeeWhichItem) {
  play(R"("resources": "secrets")");
  write_items({item("Pod", "web", "p"), item("Secret", "web", "s")});
  const auto only_ours = [](const std::string& text) {
    Lines lines = lines_of(text);
    for (std::string& line : lines) {
      // Actions that come with the program may apply as well.
      std::string kept = line.substr(0, line.find(':') + 1);
      for (const char* name : {"test.example/b", "test.example/a"}) {
        if (line.find(name) != std::string::npos) kept += std::string(" ") + name;
      }
      line = kept;
    }
    return lines;
  };
  EXPECT_EQ(only_ours(create("nightly", {"--dry-run"}).out),
            (Lines{"pods web/p: test.example/b", "secrets web/s: test.example/b test.example/a"}));
  EXPECT_EQ(files("store"), Lines());
  ASSERT_EQ(create().exit, 0);
  const Lines stored = files("store");
  EXPECT_EQ(only_ours(restore("restored", {"--dry-run"}).out),
            (Lines{"secrets web/s: test.example/b test.example/a",
                   "pods web/p: test.example/b test.example/a"}));
  EXPECT_EQ(only_ours(run({"delete", "nightly", "--dry-run"}).out),
            (Lines{"pods web/p: test.example/b test.example/a",
                   "secrets web/s: test.example/b test.example/a"}));
  EXPECT_EQ(files("store"), stored);
  EXPECT_EQ(restored(), Lines());
  EXPECT_EQ(journal("restore a execute "), Lines());
  EXPECT_EQ(journal("delete a execute "), Lines());
}

TEST_F(Backup, IsListedAndDescribedForPrograms) {
  write_items({item("Pod", "web", "p")});
  EXPECT_EQ(json(run({"list", "--json"})).at("tenon-backup").at("command"), "list");
  ASSERT_EQ(create("b", {"--ttl", "1h", "--json"}).exit, 0);
  ASSERT_EQ(create("a").exit, 0);
  const auto listed = json(run({"list", "--json"}));
  ASSERT_EQ(listed.at("backups").as_array().size(), 2u);
  EXPECT_EQ(listed.at("backups").at(0).at("name"), "a");
  EXPECT_EQ(listed.at("backups").at(1).at("phase"), "completed");
  const auto described = json(run({"describe", "b", "--json"}));
  EXPECT_EQ(described.at("backup").at("backup").at("counts").at("items"), 1);
  EXPECT_EQ(json(run({"describe", "c", "--json"})).at("error").at("code"), "not-found");
}

TEST_F(Backup, IsNeverReplacedByAnotherOfItsName) {
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create().exit, 0);
  const Lines stored = files("store");
  const Outcome again = create();
  EXPECT_EQ(again.exit, 2);
  EXPECT_NE(again.err.find("error[already-exists] nightly"), std::string::npos) << again.err;
  EXPECT_EQ(files("store"), stored);
}

TEST_F(Backup, ReportsRecordsThatCannotBeRead) {
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create("good").exit, 0);
  ASSERT_EQ(create("bad").exit, 0);
  for (const std::string& file : files("store")) {
    if (file.find("bad/backup.json") != std::string::npos) {
      world.write("store/" + file, "{\"type\": \"tenon.dev/stored_backup\"");
    }
  }
  const Outcome listed = run({"list"});
  EXPECT_EQ(listed.exit, 1);
  EXPECT_NE(listed.out.find("good "), std::string::npos);
  EXPECT_NE(listed.err.find("error[broken-record]"), std::string::npos) << listed.err;
  EXPECT_EQ(run({"delete", "bad"}).exit, 3);
}

TEST_F(Backup, RefusesConfigurationsWithAllThatIsWrong) {
  world.write("tenon-backup.json",
              R"({"store": {"plugin": "filesystems"}, "compression": "rar", "buckets": "b",)"
              R"( "timeouts": {"call": "soon"}, "backup_actions": [{"plugin": "nobody"}]})");
  const Outcome listed = run({"list"});
  EXPECT_EQ(listed.exit, 2);
  for (const char* says : {"tenon-backup.json:1:", "'compression'", "did you mean 'bucket'",
                           "the timeout 'call' cannot be used"}) {
    EXPECT_NE(listed.err.find(says), std::string::npos) << says << "\n" << listed.err;
  }
  configure(R"("backup_actions": [{"plugin": "nobody"}])");
  const Outcome unknown = run({"list"});
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_NE(unknown.err.find("error[not-found]"), std::string::npos) << unknown.err;
  EXPECT_EQ(run({"list", "-c", "none.json"}).exit, 2);
  EXPECT_EQ(run({"frobnicate"}).exit, 2);
}

TEST_F(Backup, IsNotMadeOfNothing) {
  EXPECT_EQ(run({"create", "nightly", "--from", "nowhere"}).exit, 3);
  EXPECT_EQ(run({"create", "Nightly", "--from", "items.json"}).exit, 2);
  EXPECT_EQ(files("store"), Lines());
}

// -- Interruptions ------------------------------------------------------------

TEST_F(Backup, IsNotStoredIfItIsInterrupted) {
  play();
  write_volume();
  configure(actions("backup") + ", " + snapshotters);
  write_items({volume("v"), item("Pod", "web", "p", told("backup-a", "operation=never"))});
  Child child = world.start({TENON_BACKUP, "create", "nightly", "--from", "items.json"});
  ASSERT_TRUE(eventually([&] { return !journal("backup a progress ").empty(); }));
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_NE(outcome.err.find("the run was interrupted"), std::string::npos) << outcome.err;
  EXPECT_EQ(files("store"), Lines());
  EXPECT_EQ(files("snapshots"), Lines());
  EXPECT_EQ(journal("backup a cancel "), Lines{"p:never"});
}

class StuckStore : public Backup, public testing::WithParamInterface<std::size_t> {};

TEST_P(StuckStore, IsLeftWhenTheRunIsInterrupted) {
  world.place(PLAYER, "player.so");
  world.write("tenon-backup.json",
              R"({"store": {"plugin": "test.example/stuck", "config": {"journal": "journal"}}})");
  Lines items;
  for (std::size_t i = 0; i < GetParam(); ++i) {
    items.push_back(item("ConfigMap", "web", "c" + std::to_string(i),
                         "\"data\":\"" + std::string(1'000'000, 'x') + "\""));
  }
  write_items(items);
  Child child = world.start({TENON_BACKUP, "create", "nightly", "--from", "items.json"});
  ASSERT_TRUE(eventually([&] { return !journal().empty(); }));
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("cancelled"), std::string::npos) << outcome.err;
}

// What fits into the queue of the archive, and what does not.
INSTANTIATE_TEST_SUITE_P(Megabytes, StuckStore, testing::Values(1, 20));

TEST_F(Backup, IsRestoredIntoAFolderByOneProcess) {
  write_items({item("Secret", "web", "s")});
  ASSERT_EQ(create().exit, 0);
  fs::create_directory(world.root() / "restored");
  const int folder = ::open((world.root() / "restored").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(folder, LOCK_EX | LOCK_NB), 0);
  const Outcome outcome = restore();
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.err.find("error[in-use] restored"), std::string::npos) << outcome.err;
  ::close(folder);
  EXPECT_EQ(restore().exit, 0);
}

TEST_F(Backup, IsMadeOnceByTwoAtATime) {
  Lines items;
  for (int i = 0; i < 100; ++i) items.push_back(item("Secret", "web", "s" + std::to_string(i)));
  write_items(items);
  for (int i = 0; i < 5; ++i) {
    Child one = world.start({TENON_BACKUP, "create", "nightly", "--from", "items.json"});
    Child other = world.start({TENON_BACKUP, "create", "nightly", "--from", "items.json"});
    const int first = one.wait().exit;
    const int second = other.wait().exit;
    EXPECT_TRUE(first == 0 || second == 0) << first << " " << second;
    EXPECT_TRUE(first == 0 || first == 2) << first;
    EXPECT_TRUE(second == 0 || second == 2) << second;
    const std::string to = "restored-" + std::to_string(i);
    EXPECT_EQ(restore(to).exit, 0);
    EXPECT_EQ(restored(to).size(), items.size());
    EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
    EXPECT_EQ(files("store"), Lines());
  }
}

TEST_F(Backup, ShowsProgressOnATerminalOnly) {
  play();
  configure(actions("backup") + R"(, "timeouts": {"operation": "1s", "poll": "1ms"})");
  write_items({item("Secret", "web", "s", told("backup-a", "operation=never"))});
  const Outcome outcome =
      world.run({"script", "-qec", std::string(TENON_BACKUP) + " create nightly --from items.json",
                 "/dev/null"});
  EXPECT_NE(outcome.out.find("\r[##############################] 1 of 1 items ("),
            std::string::npos)
      << outcome.out;
  EXPECT_EQ(create("other").err.find("] 1 of 1"), std::string::npos);
}

TEST_F(Backup, IsWholeOrAbsentWhereverARunIsKilled) {
  Lines items;
  for (int i = 0; i < 300; ++i) items.push_back(item("ConfigMap", "web", "c" + std::to_string(i)));
  write_items(items);
  std::set<std::string> seen;
  for (int delay = 0; delay < 20; ++delay) {
    Child child = world.start({TENON_BACKUP, "create", "nightly", "--from", "items.json"});
    std::this_thread::sleep_for(std::chrono::milliseconds(delay * 4));
    child.signal(SIGKILL);
    child.wait();
    const Outcome listed = run({"list"});
    EXPECT_EQ(listed.exit, 0) << listed.err;
    const bool whole = !listed.out.empty();
    seen.insert(whole ? "whole" : "absent");
    if (!whole) {
      EXPECT_EQ(create().exit, 0);
    }
    EXPECT_EQ(restore("restored-" + std::to_string(delay)).exit, 0);
    EXPECT_EQ(restored("restored-" + std::to_string(delay)).size(), items.size());
    Child deletion = world.start({TENON_BACKUP, "delete", "nightly"});
    std::this_thread::sleep_for(std::chrono::milliseconds(delay * 2));
    deletion.signal(SIGKILL);
    deletion.wait();
    EXPECT_EQ(run({"list"}).exit, 0);
    run({"delete", "nightly"});
    Lines left = files("store");
    std::erase_if(left, [](const auto& path) { return path.starts_with(".tenon-partial"); });
    EXPECT_EQ(left, Lines());
  }
  EXPECT_TRUE(seen.contains("absent"));
}

}  // namespace
}  // namespace tenon::tests
