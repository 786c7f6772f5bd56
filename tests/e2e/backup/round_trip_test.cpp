// SPDX-License-Identifier: BSL-1.0
//
// Backs up and restores with tenon-backup, without actions; includes volume snapshots and the
// selection of items.
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "e2e/backup/host.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

/// Returns the path of the only archive, whose name must have this end.
std::string archive_in_store(const World& world, const std::string& suffix) {
  std::string found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(world.root() / "store")) {
    const std::string path = entry.path().generic_string();
    if (path.find("/contents-") == path.npos) continue;
    EXPECT_EQ(found, "");
    EXPECT_TRUE(path.ends_with(suffix)) << path;
    found = path;
  }
  return found;
}

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

TEST_F(Backup, ReadsDirectoriesOfDocuments) {
  world.write("in/a.json", item("ConfigMap", "web", "a"));
  world.write("in/deep/b.json", item("ConfigMap", "web", "b"));
  world.write("in/c.txt", "not looked at");
  EXPECT_EQ(run({"create", "nightly", "--from", "in"}).exit, 0);
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(), (Lines{"configmaps/namespaces/web/a", "configmaps/namespaces/web/b"}));
}

TEST_F(Backup, BacksUpARestoredDirectory) {
  write_items({item("ConfigMap", "web", "a"), item("Deployment", "web", "b")});
  ASSERT_EQ(create().exit, 0);
  ASSERT_EQ(restore("first").exit, 0);
  ASSERT_EQ(run({"create", "again", "--from", "first"}).exit, 0);
  ASSERT_EQ(run({"restore", "again", "--to", "second"}).exit, 0);
  EXPECT_EQ(restored("first"), restored("second"));
}

TEST_F(Backup, StoresItsMetadataInTheArchive) {
  write_items({item("ConfigMap", "web", "a")});
  ASSERT_EQ(create().exit, 0);
  const std::string archive = archive_in_store(world, ".tar.zst");
  const Outcome listed = world.run({"tar", "tf", archive});
  EXPECT_EQ(listed.out, "resources/configmaps/namespaces/web/a.json\nmetadata/backup.json\n");
  const Outcome described = world.run({"tar", "xOf", archive, "metadata/backup.json"});
  const auto document = json(described);
  EXPECT_EQ(document.at("type"), "tenon.dev/backup");
  EXPECT_EQ(document.at("value").at("phase"), "completed");
  EXPECT_EQ(document.at("value").at("counts").at("items"), 1);
}

TEST_F(Backup, SupportsGzip) {
  configure(R"("compression": "gzip")");
  write_items({item("ConfigMap", "web", "a")});
  ASSERT_EQ(create().exit, 0);
  const Outcome checked = world.run({"gzip", "--test", archive_in_store(world, ".tar.gz")});
  EXPECT_EQ(checked.exit, 0) << checked.err;
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(), (Lines{"configmaps/namespaces/web/a"}));
}

TEST_F(Backup, ReportsErrorsOfSingleItems) {
  write_items({item("ConfigMap", "web", "a"), R"({"apiVersion":"v1","kind":"ConfigMap"})",
               item("ConfigMap", "web", "b")});
  const Outcome made = create();
  EXPECT_EQ(made.exit, 1);
  EXPECT_EQ(made.out,
            "backup nightly: partially failed, 2 items, 0 snapshots, 1 error, 0 warnings\n");
  EXPECT_NE(made.err.find("tenon-backup: error[not-a-resource] items.json:1:"), std::string::npos)
      << made.err;
}

TEST_F(Backup, OmitsItemsThatAreTooLargeForAnArchive) {
  play();
  // The element of the list has the largest allowed size, without the apiVersion and kind.
  std::string large = R"({"metadata":{"name":"large"},"data":""})";
  large.insert(large.size() - 2, std::string((std::size_t{16} << 20) - large.size(), 'x'));
  world.write("items.json", R"({"apiVersion":"v1","kind":"NodeList","items":[)" + large +
                                R"(,{"metadata":{"name":"small"}}]})" +
                                item("Secret", "web", "s", told("backup-a", "grow")));
  const Outcome made = create();
  EXPECT_EQ(made.exit, 1);
  EXPECT_EQ(made.out,
            "backup nightly: partially failed, 1 item, 0 snapshots, 2 errors, 0 warnings\n");
  for (const std::string name : {"nodes large", "secrets web/s"}) {
    EXPECT_NE(made.err.find("error[item-too-large] " + name +
                            ": the item is too large for an archive; found 16777"),
              std::string::npos)
        << made.err;
  }
  EXPECT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(), Lines{"nodes/cluster/small"});
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
}

TEST_F(Backup, KeepsExistingFilesInTheDirectory) {
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

TEST_F(Backup, ReplacesExistingFilesIfItMay) {
  const std::string a = item("ConfigMap", "web", "a");
  write_items(
      {a, item("ConfigMap", "web", "b"), item("ConfigMap", "other", "b", R"("data":{"k":"v"})")});
  ASSERT_EQ(create().exit, 0);
  const std::string path = "restored/resources/configmaps/namespaces/web/a.json";
  world.write(path, "{}\n");
  const Outcome first = restore("restored", {"--name", "one", "--existing", "update"});
  EXPECT_EQ(first.out, "restore one: 3 items restored, 0 skipped, 0 errors\n") << first.err;
  EXPECT_EQ(world.read(path), a + "\n");
  EXPECT_EQ(restore("restored", {"--name", "two", "--existing", "update"}).out,
            "restore two: 0 items restored, 3 skipped, 0 errors\n");
  const Outcome mapped = restore(
      "restored", {"--name", "three", "--existing", "update", "--map-namespace", "other=web"});
  EXPECT_NE(mapped.err.find("error[duplicate-resource] configmaps "), std::string::npos)
      << "a file of the same run is not replaced\n"
      << mapped.err;
  const Outcome wrong = restore("restored", {"--existing", "replace"});
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_EQ(wrong.err,
            "tenon-backup restore: --existing: found \"replace\", needed keep|update\n"
            "See tenon-backup restore --help.\n");
}

TEST_F(Backup, ReportsItemsThatAMappingGivesOneName) {
  write_items({item("ConfigMap", "a", "c", R"("data":{"k":"of a"})"),
               item("ConfigMap", "b", "c", R"("data":{"k":"of b"})"),
               item("ConfigMap", "a", "same"), item("ConfigMap", "b", "same"),
               item("ConfigMap", "a", "own")});
  ASSERT_EQ(create().exit, 0);
  const std::string file = "resources/configmaps/namespaces/m/c.json";
  // The second run finds the file of the first one, and loses the same item.
  for (const std::string name : {"first", "second"}) {
    const Outcome outcome = restore("restored", {"--map-namespace", "a=m,b=m", "--name", name});
    EXPECT_EQ(outcome.exit, 1) << name;
    EXPECT_NE(
        outcome.err.find("error[duplicate-resource] configmaps b/c: " + file +
                         ": the item is not restored, because another item of the backup was "
                         "restored to the same file; found configmaps a/c and configmaps b/c; "
                         "needed one item for each file\n   fix     map the namespaces"),
        std::string::npos)
        << outcome.err;
    EXPECT_EQ(outcome.err.find("already-exists"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("m/same"), std::string::npos) << "nothing is lost: " << outcome.err;
  }
  EXPECT_NE(world.read("restored/" + file).find("of a"), std::string::npos);
  EXPECT_EQ(restored(), (Lines{"configmaps/namespaces/m/c", "configmaps/namespaces/m/own",
                               "configmaps/namespaces/m/same"}));
}

TEST_F(Backup, ReportsItemsThatAMappingGivesTheNameOfAnotherItem) {
  write_items({item("ConfigMap", "a", "c", R"("data":{"k":"of a"})"),
               item("ConfigMap", "b", "c", R"("data":{"k":"of b"})")});
  ASSERT_EQ(create().exit, 0);
  for (const std::string mapping : {"a=b", "b=a"}) {
    const Outcome outcome = restore(mapping, {"--map-namespace", mapping});
    EXPECT_EQ(outcome.exit, 1) << mapping;
    EXPECT_NE(outcome.err.find("error[duplicate-resource] configmaps b/c: "), std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("found configmaps a/c and configmaps b/c;"), std::string::npos)
        << outcome.err;
  }
  EXPECT_EQ(restore("swapped", {"--map-namespace", "a=b,b=a"}).exit, 0);
  EXPECT_EQ(restored("swapped").size(), 2u);
}

TEST_F(Backup, AcceptsDeeplyNestedDocuments) {
  std::string deep = "1";
  for (int i = 0; i < 200; ++i) deep = "[" + deep + "]";
  write_items({item("ConfigMap", "web", "a", "\"data\":" + deep)});
  EXPECT_EQ(create().exit, 0);
  EXPECT_EQ(restore().exit, 0);
  EXPECT_EQ(restored(), Lines{"configmaps/namespaces/web/a"});
}

TEST_F(Backup, IsRestoredRepeatedly) {
  write_items({item("ConfigMap", "web", "a")});
  ASSERT_EQ(create().exit, 0);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(restore("to-" + std::to_string(i)).exit, 0);
  EXPECT_EQ(restore("nothing", {"--include-namespaces", "none", "--allow-empty"}).exit, 0);
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
  EXPECT_EQ(made.exit, 1) << "the volume \"gone\" does not exist";
  EXPECT_NE(made.out.find(" 1 snapshot, 1 error,"), std::string::npos) << made.out << made.err;
  EXPECT_NE(made.err.find("persistentvolumes gone: tenon.dev/directory:"), std::string::npos);
  world.write("volumes/v/data", "spoilt");
  ASSERT_EQ(restore().exit, 0);
  const fs::path path = volume_path("v");
  EXPECT_NE(path, world.root() / "volumes/v");
  EXPECT_EQ(read_file(path / "data"), "precious");

  const auto volumes = [&] {
    const fs::directory_iterator all(world.root() / "volumes");
    return std::count_if(begin(all), end(all), [](const fs::directory_entry& entry) {
      return entry.path().filename().string()[0] != '.';
    });
  };
  ASSERT_EQ(volumes(), 2);
  const Outcome again = restore();
  EXPECT_EQ(again.exit, 0);
  EXPECT_EQ(again.err, "");
  EXPECT_EQ(volumes(), 2) << "the file of the item existed already";
  const std::string file = "restored/resources/persistentvolumes/cluster/v.json";
  const std::string before = world.read(file);
  EXPECT_EQ(restore("restored", {"--existing", "update"}).exit, 0);
  EXPECT_EQ(world.read(file), before);
  EXPECT_EQ(volumes(), 2) << "an updated item keeps its volume";
  world.write(file, "{}\n");
  EXPECT_EQ(restore("restored", {"--existing", "update"}).exit, 0);
  EXPECT_EQ(read_file(volume_path("v") / "data"), "precious");
  EXPECT_EQ(volumes(), 3) << "the file named no volume";

  configure();
  const Outcome kept = run({"delete", "nightly"});
  EXPECT_EQ(kept.exit, 1);
  EXPECT_NE(kept.err.find("error[missing-snapshotter] persistentvolumes v:"), std::string::npos)
      << kept.err;
  configure(snapshotters);
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
  EXPECT_EQ(files("snapshots"), Lines());
  EXPECT_EQ(files("store"), Lines());
}

TEST_F(Backup, RestoresAVolumeAgainIfItsSnapshotCouldNotBeUsed) {
  write_volume();
  configure(snapshotters);
  write_items({volume("v")});
  ASSERT_EQ(create().exit, 0);
  configure();
  const Outcome first = restore("restored", {"--name", "first"});
  EXPECT_EQ(first.exit, 1);
  EXPECT_NE(first.err.find("error[missing-snapshotter] persistentvolumes v:"), std::string::npos)
      << first.err;
  EXPECT_EQ(first.out, "restore first: 0 items restored, 0 skipped, 1 error\n");
  EXPECT_EQ(restored(), Lines());
  configure(snapshotters);
  const Outcome second = restore();
  EXPECT_EQ(second.exit, 0) << second.err;
  EXPECT_NE(volume_path("v"), world.root() / "volumes/v");

  // Only the volume may differ.
  const std::string file = "restored/resources/persistentvolumes/cluster/v.json";
  world.write(file, R"({"edited":1,)" + world.read(file).substr(1));
  const Outcome third = restore();
  EXPECT_EQ(third.exit, 0);
  EXPECT_NE(third.err.find("warning[already-exists] persistentvolumes v:"), std::string::npos)
      << third.err;
}

TEST_F(Backup, ReportsAVolumeThatNoRestoredItemUses) {
  play();
  write_volume();
  configure(snapshotters);
  std::string skipped = volume("v");
  skipped.insert(1, told("restore-a", "skip") + ",");
  write_items({skipped});
  ASSERT_EQ(create().exit, 0);
  const Outcome outcome = restore("restored", {"--name", "first"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "restore first: 0 items restored, 1 skipped, 0 errors\n");
  std::string made;
  for (const auto& entry : fs::directory_iterator(world.root() / "volumes")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("v-")) made = name;
  }
  EXPECT_NE(outcome.err.find("warning[unused-volume] persistentvolumes v: tenon.dev/directory: " +
                             made + ": a volume was made for the item"),
            std::string::npos)
      << outcome.err;
}

TEST_F(Backup, UsesASnapshotterWithSeveralConfigurations) {
  const auto use = [](const std::string& volumes, const std::string& snapshots) {
    return R"({"plugin": "directory", "config": {"volumes": ")" + volumes + R"(", "snapshots": ")" +
           snapshots + R"("}})";
  };
  configure(R"("snapshotters": [)" + use("va", "sa") + ", " + use("vb", "sb") + "]");
  Lines items;
  for (const std::string letter : {"a", "b"}) {
    world.write("v" + letter + "/v/data", "of " + letter);
    fs::create_directory(world.root() / ("s" + letter));
    items.push_back(item("PersistentVolume", "", letter,
                         R"("spec":{"hostPath":{"path":")" +
                             (world.root() / ("v" + letter) / "v").string() + "\"}}"));
  }
  write_items(items);
  const Outcome made = create();
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_EQ(made.out, "backup nightly: completed, 2 items, 2 snapshots, 0 errors, 0 warnings\n");
  const Outcome outcome = restore();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  for (const std::string letter : {"a", "b"}) {
    const fs::path path = volume_path(letter);
    EXPECT_EQ(path.parent_path(), world.root() / ("v" + letter));
    EXPECT_NE(path.filename(), "v");
    EXPECT_EQ(read_file(path / "data"), "of " + letter);
  }
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
  EXPECT_EQ(files("sa"), Lines());
  EXPECT_EQ(files("sb"), Lines());
}

// -- Selection of items -------------------------------------------------------

TEST_F(Backup, SelectsItemsByOptions) {
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
      {{"--include-namespaces", "*,web"}, rows_all},
      {{"--exclude-namespaces", "web"}, {"configmaps/namespaces/db/c", "namespaces/cluster/db"}},
      {{"--include-resources", "cm,no"},
       {"configmaps/namespaces/db/c", "configmaps/namespaces/web/a", "configmaps/namespaces/web/b",
        "nodes/cluster/n"}},
      {{"--exclude-resources", "configmaps,ns"}, {"nodes/cluster/n", "secrets/namespaces/web/s"}},
      {{"--selector", "tier in (front),!old"},
       {"configmaps/namespaces/db/c", "configmaps/namespaces/web/a", "namespaces/cluster/db",
        "namespaces/cluster/web"}},
      {{"--or-selector", "tier=back or tier=none"},
       {"configmaps/namespaces/web/b", "namespaces/cluster/web"}},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string name = "row-" + std::to_string(i);
    EXPECT_EQ(create(name, rows[i].options).exit, 0) << name;
    EXPECT_EQ(run({"restore", name, "--to", name}).exit, 0);
    EXPECT_EQ(restored(name), rows[i].items) << name;
    if (i == 0) continue;
    Lines arguments{"restore", "row-0", "--to", "of-" + name};
    if (rows[i].options[0].ends_with("selector"))
      continue;  // namespaces are not restored by labels
    arguments.insert(arguments.end(), rows[i].options.begin(), rows[i].options.end());
    EXPECT_EQ(run(arguments).exit, 0);
    EXPECT_EQ(restored("of-" + name), rows[i].items) << name;
  }
}

TEST_F(Backup, ContainsWhatItemsOfItsNamespacesNeed) {
  const std::string definition =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
      R"("metadata":{"name":"widgets.example.io"},"spec":{"group":"example.io","names":)"
      R"({"kind":"Widget","plural":"widgets"}}})";
  const auto widget = [](const std::string& space) {
    return R"({"apiVersion":"example.io/v1","kind":"Widget","metadata":{"name":"w","namespace":")" +
           space + R"("}})";
  };
  configure(R"("backup_actions": [{"plugin": "pod-volumes"}])");
  write_items({definition, widget("web"), item("PersistentVolume", "", "v"),
               item("PersistentVolume", "", "other"), item("Namespace", "", "web"),
               item("PersistentVolumeClaim", "web", "c", R"("spec":{"volumeName":"v"})"),
               item("ConfigMap", "db", "c")});
  const std::string crd =
      "customresourcedefinitions.apiextensions.k8s.io/cluster/widgets.example.io";
  ASSERT_EQ(create("of-web", {"--include-namespaces", "web"}).exit, 0);
  EXPECT_EQ(run({"restore", "of-web", "--to", "of-web"}).exit, 0);
  EXPECT_EQ(restored("of-web"),
            (Lines{crd, "namespaces/cluster/web", "persistentvolumeclaims/namespaces/web/c",
                   "persistentvolumes/cluster/v", "widgets.example.io/namespaces/web/w"}));
  ASSERT_EQ(create("of-db", {"--exclude-namespaces", "web"}).exit, 0);
  EXPECT_EQ(run({"restore", "of-db", "--to", "of-db"}).exit, 0);
  EXPECT_EQ(restored("of-db"), Lines{"configmaps/namespaces/db/c"});
  ASSERT_EQ(
      create("without", {"--include-namespaces", "web", "--exclude-resources", "pv,crd"}).exit, 0);
  EXPECT_EQ(run({"restore", "without", "--to", "without"}).exit, 0);
  EXPECT_EQ(restored("without"),
            (Lines{"namespaces/cluster/web", "persistentvolumeclaims/namespaces/web/c",
                   "widgets.example.io/namespaces/web/w"}));
}

TEST_F(Backup, IsRestoredInTheOrderOfDependencies) {
  const std::pair<std::string, std::string> kinds[] = {
      {"cluster.x-k8s.io/v1", "Cluster"},
      {"apps/v1", "Deployment"},
      {"v1", "Service"},
      {"v1", "Endpoints"},
      {"apps/v1", "ReplicaSet"},
      {"v1", "Pod"},
      {"scheduling.k8s.io/v1", "PriorityClass"},
      {"v1", "LimitRange"},
      {"v1", "ConfigMap"},
      {"v1", "Secret"},
      {"v1", "ServiceAccount"},
      {"v1", "PersistentVolumeClaim"},
      {"v1", "PersistentVolume"},
      {"snapshot.storage.k8s.io/v1", "VolumeSnapshot"},
      {"storage.k8s.io/v1", "StorageClass"},
      {"rbac.authorization.k8s.io/v1", "Role"}};
  Lines items;
  for (const auto& [version, kind] : kinds) {
    items.push_back(R"({"apiVersion":")" + version + R"(","kind":")" + kind +
                    R"(","metadata":{"name":"x"}})");
  }
  write_items(items);
  ASSERT_EQ(create().exit, 0);
  Lines order;
  for (const std::string& line : lines_of(restore("restored", {"--dry-run"}).out)) {
    order.push_back(line.substr(0, line.find(' ')));
  }
  EXPECT_EQ(order,
            (Lines{"storageclasses.storage.k8s.io", "volumesnapshots.snapshot.storage.k8s.io",
                   "persistentvolumes", "persistentvolumeclaims", "serviceaccounts", "secrets",
                   "configmaps", "limitranges", "priorityclasses.scheduling.k8s.io", "pods",
                   "replicasets.apps", "endpoints", "services", "deployments.apps",
                   "roles.rbac.authorization.k8s.io", "clusters.cluster.x-k8s.io"}));
}

TEST_F(Backup, IsNotRestoredThroughSymbolicLinks) {
  write_items({item("ConfigMap", "web", "a"), item("ConfigMap", "db", "b"), item("Node", "", "n")});
  ASSERT_EQ(create().exit, 0);
  fs::create_directories(world.root() / "outside");
  world.write("outside/a.json", "{}\n");
  for (const std::string link :
       {"resources", "resources/configmaps", "resources/configmaps/namespaces/web"}) {
    fs::remove_all(world.root() / "restored");
    fs::create_directories((world.root() / "restored" / link).parent_path());
    fs::create_directory_symlink(world.root() / "outside", world.root() / "restored" / link);
    const Outcome outcome = restore();
    EXPECT_EQ(outcome.exit, 1) << link;
    EXPECT_NE(outcome.err.find("found a symbolic link"), std::string::npos) << outcome.err;
    EXPECT_EQ(files("outside"), Lines{"a.json"}) << link;
  }
  EXPECT_TRUE(fs::exists(world.root() / "restored/resources/nodes/cluster/n.json"));
  // Nor is the file of an item followed, or the target of a link read.
  fs::remove_all(world.root() / "restored");
  fs::create_directories(world.root() / "restored/resources/configmaps/namespaces/web");
  fs::create_symlink(world.root() / "outside/absent",
                     world.root() / "restored/resources/configmaps/namespaces/web/a.json");
  EXPECT_NE(restore().err.find("warning[already-exists]"), std::string::npos);
  EXPECT_EQ(files("outside"), Lines{"a.json"});
  // The directory itself may be a link.
  fs::create_directory_symlink(world.root() / "outside", world.root() / "link");
  EXPECT_EQ(restore("link").exit, 0);
}

TEST_F(Backup, IsRestoredFromAFullStore) {
  world.place(PLAYER, "player.so");
  world.write("tenon-backup.json", R"({"store": {"plugin": "test.example/small"}})");
  write_items({item("ConfigMap", "web", "a")});
  ASSERT_EQ(create().exit, 0);
  world.write("full", "");
  const Outcome outcome = restore("restored", {"--name", "first", "--json"});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.err.find("the store is full"), std::string::npos) << outcome.err;
  EXPECT_EQ(restored(), Lines{"configmaps/namespaces/web/a"});
  const auto result = json(outcome);
  EXPECT_EQ(result.at("error").at("code").as_string(), "resource-exhausted");
  EXPECT_EQ(result.at("restore").at("restored").as_int64(), 1);
  EXPECT_EQ(restore("restored").out.find("restore nightly-"), 0u);
}

TEST_F(Backup, IsRestoredIfItsNameIsLong) {
  write_items({item("ConfigMap", "web", "a")});
  const std::string name = std::string(63, 'a') + "." + std::string(63, 'b') + "." +
                           std::string(63, 'c') + "." + std::string(35, 'd') + "." +
                           std::string(25, 'e');
  ASSERT_EQ(create(name).exit, 0);
  const Outcome outcome = run({"restore", name, "--to", "restored"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  const Lines records = files("store/tenon/restores");
  ASSERT_EQ(records.size(), 1u);
  const std::string file = fs::path(records[0]).filename().string();
  EXPECT_TRUE(file.starts_with(name.substr(0, 227) + "-2")) << file;  // not ".-2"
}

TEST_F(Backup, ReportsNamesThatAreTooLongForAFile) {
  write_items({item("ConfigMap", "web", std::string(253, 'a')), item("ConfigMap", "web", "b")});
  ASSERT_EQ(create().exit, 0);
  const Outcome outcome = restore();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(restored(), Lines{"configmaps/namespaces/web/b"});
  EXPECT_NE(outcome.err.find("fix     take the item from the archive"), std::string::npos)
      << outcome.err;
}

TEST_F(Backup, RefusesWrongSelectors) {
  write_items({item("ConfigMap", "web", "a")});
  EXPECT_EQ(create("a", {"--selector", "a==", "--allow-empty"}).exit, 0);
  for (const Lines& options : std::vector<Lines>{{"--selector", "a in ("},
                                                 {"--exclude-namespaces", "[a"},
                                                 {"--include-resources", "x[z-a]"}}) {
    const Outcome made = create("b", options);
    EXPECT_EQ(made.exit, 2) << options[0];
    EXPECT_NE(made.err.find("error[bad-"), std::string::npos) << made.err;
  }
  EXPECT_EQ(run({"describe", "b"}).exit, 3);
}

}}  // namespace tenon::tests
