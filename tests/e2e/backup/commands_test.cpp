// SPDX-License-Identifier: BSL-1.0
//
// The commands of tenon-backup: dry runs, lists, descriptions, progress, and invalid input.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "e2e/backup/host.hpp"
#include "framework/path_texts.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

TEST_F(Backup, ListsTheActionsOfEachItemInADryRun) {
  play(R"("resources": "secrets")");
  write_items({item("Pod", "web", "p"), item("Secret", "web", "s")});
  const auto only_ours = [](const std::string& text) {
    Lines lines = lines_of(text);
    for (std::string& line : lines) {
      // Builtin actions of the program may apply too.
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

TEST_F(Backup, IsListedAndDescribedInJson) {
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
  EXPECT_EQ(described.at("problems").as_array().size(), 0u);
  const auto missing = json(run({"describe", "c", "--json"})).at("error");
  EXPECT_EQ(missing.at("code"), "not-found");
  EXPECT_EQ(missing.at("where"), "c");
  EXPECT_EQ(missing.at("message"), "no backup of this name exists");
  EXPECT_EQ(missing.at("fix"), "choose a name from `tenon-backup list`");
}

TEST_F(Backup, IsDescribedInLines) {
  write_items({item("Secret", "web", "s"), item("Secret", "db", "s")});
  ASSERT_EQ(create("nightly", {"--include-namespaces", "web"}).exit, 0);
  const Lines lines = lines_of(run({"describe", "nightly"}).out);
  // The times, the key of the archive and the plugins differ from run to run, or with the builtins.
  const auto begin_of = [&](std::size_t line) { return lines.at(line).substr(0, 12); };
  ASSERT_GE(lines.size(), 12u);
  EXPECT_EQ(lines[0], "name        nightly");
  EXPECT_EQ(lines[1], "phase       completed");
  EXPECT_EQ(begin_of(2), "created     ");
  EXPECT_EQ(begin_of(3), "ended       ");
  EXPECT_EQ(begin_of(4), "expires     ");
  EXPECT_EQ(lines[5], "namespaces  web");
  EXPECT_EQ(lines[6], "resources   all");
  EXPECT_EQ(lines[7], "labels      any");
  EXPECT_EQ(lines[8], "items       1");
  EXPECT_TRUE(lines[9].starts_with("contents    backups/nightly/contents-")) << lines[9];
  EXPECT_EQ(lines[10], "plugins");
  EXPECT_EQ(lines.back(), "problems    0 errors, 0 warnings");
}

TEST_F(Backup, NamesThePluginsThatWroteIt) {
  play();
  write_items({item("Secret", "web", "s")});
  ASSERT_EQ(create().exit, 0);
  const auto described = json(run({"describe", "nightly", "--json"}));
  bool found = false;
  for (const auto& plugin : described.at("backup").at("backup").at("plugins").as_array()) {
    const bool builtin = plugin.at("package") == "tenon.dev/builtin";
    EXPECT_EQ(plugin.at("sha256").as_string().size(), builtin ? 0u : 64u) << plugin;
    if (plugin.at("name") != "test.example/a") continue;
    found = true;
    EXPECT_EQ(plugin.at("kind_version"), 2);
    EXPECT_EQ(plugin.at("package_version"), "1.0.0");
    const Outcome sum = world.run({"sha256sum", "plugins/player.so"});
    EXPECT_EQ(plugin.at("sha256").as_string(), sum.out.substr(0, 64));
  }
  EXPECT_TRUE(found);
}

TEST_F(Backup, WarnsIfItWasWrittenByOtherPlugins) {
  play();
  write_items({item("Secret", "web", "s")});
  ASSERT_EQ(create().exit, 0);
  const auto warnings = [&](const std::string& to) {
    std::string found;
    const Outcome outcome = restore(to, {"--name", to});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    for (const std::string& line : lines_of(outcome.err)) {
      if (line.find("[other-plugin]") != std::string::npos) found += line + "\n";
    }
    return found;
  };
  EXPECT_EQ(warnings("same"), "");

  const fs::path module = world.plugins() / module_file("player.so");
  std::ofstream(module, std::ios::app) << "another build";
  std::string found = warnings("build");
  EXPECT_NE(found.find("another build of a plugin that wrote it is installed; found " +
                       module.string() + "; needed test.example/a of "),
            std::string::npos)
      << found;

  const Lines stored = files("store");
  const auto record = std::ranges::find_if(
      stored, [](const std::string& name) { return name.ends_with("nightly/backup.json"); });
  ASSERT_NE(record, stored.end());
  std::string text = world.read("store/" + *record);
  for (std::size_t at = 0; (at = text.find("\"1.0.0\"", at)) != std::string::npos;) {
    text.replace(at, 7, "\"1.0.1\"");
  }
  world.write("store/" + *record, text);
  found = warnings("older");
  EXPECT_NE(found.find("an older version of a plugin that wrote it is installed; found "
                       "test.example/a of "),
            std::string::npos)
      << found;

  fs::remove(module);
  configure();
  found = warnings("none");
  EXPECT_NE(found.find("a plugin that wrote it is not installed; found no plugin of this name"),
            std::string::npos)
      << found;
}

TEST_F(Backup, ListsAllProblemsInJson) {
  write_items(Lines(25, R"({"kind": "Pod"})"));
  const Outcome planned = create("nightly", {"--dry-run", "--json"});
  EXPECT_EQ(planned.exit, 1);
  EXPECT_EQ(lines_of(planned.err).back(),
            "tenon-backup: further problems are not printed; --json lists them");
  EXPECT_EQ(json(planned).at("problems").as_array().size(), 25u);
}

TEST_F(Backup, IsNeverOverwritten) {
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create().exit, 0);
  const Lines stored = files("store");
  const Outcome again = create();
  EXPECT_EQ(again.exit, 2);
  EXPECT_NE(again.err.find("error[already-exists] nightly"), std::string::npos) << again.err;
  EXPECT_EQ(files("store"), stored);
}

TEST_F(Backup, ReportsAMissingDirectoryForTemporaryFiles) {
  configure(
      R"("delete_actions": [{"plugin": "external-artifacts", "config": {"directory": "store"}}])");
  write_items({R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"web",)"
               R"("annotations":{"tenon.dev/external-artifact":"none"}}})"});
  ASSERT_EQ(create().exit, 0);
  world.set("TMPDIR", (world.root() / "none").string());
  const Outcome restoring = restore("restored", {"--json"});
  EXPECT_EQ(restoring.exit, 3);
  EXPECT_EQ(json(restoring).at("error").at("code"), "cannot-write");
  EXPECT_NE(restoring.err.find("set TMPDIR"), std::string::npos) << restoring.err;
  const Outcome deleting = run({"delete", "nightly", "--json"});
  EXPECT_EQ(deleting.exit, 1);
  const auto deletion = json(deleting).at("deletions").at(0);
  EXPECT_EQ(deletion.at("deleted"), false);
  EXPECT_EQ(deletion.at("problems").at(0).at("code"), "cannot-write");
  // The run can be repeated.
  world.set("TMPDIR", world.root().string());
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
}

TEST_F(Backup, ReportsFilesThatCannotBeReadOrWritten) {
  const Outcome unread = world.run({TENON_BACKUP, "list", "--config", "nowhere.json"});
  EXPECT_EQ(unread.exit, 3);
  EXPECT_EQ(unread.err,
            unreadable_text("nowhere.json", "reading the file: No such file or directory"));
  const Outcome none = run({"create", "nightly", "--from", "none.json"});
  EXPECT_EQ(none.exit, 3);
  EXPECT_EQ(none.err, "tenon-backup: " +
                          unreadable_text("none.json", "reading it: No such file or directory"));
}

TEST_F(Backup, ReportsUnreadableRecords) {
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create("good").exit, 0);
  ASSERT_EQ(create("bad").exit, 0);
  const Lines before = files("store");
  const auto file = std::find_if(before.begin(), before.end(), [](const std::string& name) {
    return name.ends_with("bad/backup.json");
  });
  ASSERT_NE(file, before.end());
  world.write("store/" + *file, "{\"type\": \"tenon.dev/stored_backup\"");
  const Outcome listed = run({"list"});
  EXPECT_EQ(listed.exit, 1);
  EXPECT_NE(listed.out.find("good "), std::string::npos);
  EXPECT_NE(listed.err.find("error[broken-backup-record]"), std::string::npos) << listed.err;
  for (const char* command : {"list", "expire"}) {
    const auto problems = json(run({command, "--json"})).at("problems");
    ASSERT_EQ(problems.as_array().size(), 1u) << command;
    EXPECT_EQ(problems.at(0).at("code"), "broken-backup-record");
  }
  const Outcome refused = run({"delete", "bad"});
  EXPECT_EQ(refused.exit, 3);
  EXPECT_TRUE(
      refused.err.ends_with("remove this object from the store and run tenon-backup delete bad\n"))
      << refused.err;
  EXPECT_EQ(refused.err.find("needed"), std::string::npos) << refused.err;
  const std::string other = file->substr(0, file->size() - std::string("bad/backup.json").size());
  world.write("store/" + *file, world.read("store/" + other + "good/backup.json"));
  const Outcome exchanged = run({"describe", "bad"});
  EXPECT_EQ(exchanged.exit, 3);
  EXPECT_NE(exchanged.err.find("/backup.json: the record belongs to another backup\n"
                               "   found   good\n"
                               "   needed  bad\n"),
            std::string::npos)
      << exchanged.err;
  fs::remove(world.root() / "store" / *file);
  EXPECT_EQ(run({"delete", "bad"}).exit, 0);
  EXPECT_EQ(run({"list"}).exit, 0);
  EXPECT_EQ(create("bad").exit, 0);
}

TEST_F(Backup, ReportsAllProblemsOfAConfiguration) {
  world.write("tenon-backup.json",
              R"({"store": {"plugin": "filesystems"}, "compression": "rar", "buckets": "b",)"
              R"( "timeouts": {"call": "soon"}, "backup_actions": [{"plugin": "nobody"}]})");
  const Outcome listed = run({"list"});
  EXPECT_EQ(listed.exit, 2);
  for (const char* says : {"tenon-backup.json:1:", "'compression'", "did you mean 'bucket'",
                           "the timeout 'call' is invalid"}) {
    EXPECT_NE(listed.err.find(says), std::string::npos) << says << "\n" << listed.err;
  }
  configure(R"("backup_actions": [{"plugin": "nobody"}])");
  const Outcome unknown = run({"list"});
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_NE(unknown.err.find("error[not-found]"), std::string::npos) << unknown.err;
  EXPECT_EQ(run({"list", "-c", "none.json"}).exit, 3);
  configure(R"("bucket": "../up")");
  const Outcome outside = run({"list"});
  EXPECT_EQ(outside.exit, 2);
  EXPECT_NE(outside.err.find("the bucket \"../up\""), std::string::npos) << outside.err;
  world.write("tenon-backup.json", R"({"store": {"plugin": "filesystem",
 "config": {"directory": "nowhere"}}})");
  const Outcome nowhere = run({"list", "--json"});
  EXPECT_EQ(nowhere.exit, 2);
  EXPECT_EQ(nowhere.out, "");
  EXPECT_EQ(
      nowhere.err.find("tenon-backup.json:2:12: error[invalid-argument]: tenon.dev/filesystem: "
                       "configure: parameter \"directory\": there is no directory "),
      0u)
      << nowhere.err;
  const std::string use = R"({"plugin": "service-account"})";
  configure("\"backup_actions\": [" + use + ",\n" + use + "]");
  const Outcome twice = run({"list"});
  EXPECT_EQ(twice.exit, 2);
  EXPECT_EQ(twice.err,
            "tenon-backup.json:2:12: error[duplicate-plugin]: the action "
            "'tenon.dev/service-account' is configured twice\n"
            "   fix     remove one of the configurations\n");
  const Outcome mistyped = run({"descrbe", "nightly"});
  EXPECT_EQ(mistyped.exit, 2);
  EXPECT_EQ(mistyped.err,
            "tenon-backup: unknown command descrbe\ndid you mean 'describe'?\n"
            "See tenon-backup --help.\n");
}

TEST_F(Backup, RefusesMissingItemsAndInvalidNames) {
  EXPECT_EQ(run({"create", "nightly", "--from", "nowhere"}).exit, 3);
  EXPECT_EQ(run({"create", "Nightly", "--from", "items.json"}).exit, 2);
  const std::string longest(250, 'r');
  const Outcome restored = restore("restored", {"--name", longest + "r"});
  EXPECT_EQ(restored.exit, 2);
  EXPECT_EQ(restored.err.find("tenon-backup: error[bad-name] " + longest +
                              "r\n   needed  at most 250 lower-case letters"),
            0u)
      << restored.err;
  EXPECT_EQ(files("store"), Lines());
}

TEST_F(Backup, RefusesAFileAsTheDirectoryOfARestore) {
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create().exit, 0);
  const Outcome outcome = restore("items.json");
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_EQ(outcome.err,
            "tenon-backup: error[cannot-write] items.json\n"
            "   found   creating the directory: Not a directory\n"
            "   needed  no file in place of the directory or of one above it\n"
            "   fix     remove that file, or restore into another directory\n");
}

TEST_F(Backup, WarnsOfAMappedNamespaceThatDoesNotExist) {
  write_items({item("Pod", "web", "p"), item("Namespace", "", "empty")});
  ASSERT_EQ(create().exit, 0);
  for (const char* dry : {"--dry-run", "--name=first"}) {
    const Outcome outcome = restore("restored", {"--map-namespace", "wbe=b,empty=e,zzzz=z", dry});
    EXPECT_EQ(outcome.exit, 0);
    EXPECT_EQ(outcome.err,
              "tenon-backup: warning[unknown-namespace] wbe: no item is in this namespace, "
              "so --map-namespace does not apply\n"
              "   fix     did you mean 'web'?\n"
              "tenon-backup: warning[unknown-namespace] zzzz: no item is in this namespace, "
              "so --map-namespace does not apply\n"
              "   fix     correct the name\n");
  }
}

TEST_F(Backup, RefusesNamespacesThatNoItemCanHave) {
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create().exit, 0);
  for (const std::string& name :
       Lines{"", "..", "../x", "a\nb", "Web", "a_b", "a.b", "-a", "a-", std::string(64, 'a')}) {
    for (const std::string& mapping : Lines{"web=" + name, name + "=web"}) {
      const Outcome restored = restore("restored", {"--map-namespace", mapping});
      EXPECT_EQ(restored.exit, 2) << mapping;
      EXPECT_NE(restored.err.find("error[wrong-value] --map-namespace"), std::string::npos)
          << restored.err;
      EXPECT_FALSE(std::filesystem::exists(world.root() / "restored"));
    }
  }
}

TEST_F(Backup, DoesNotSucceedIfNothingWasSelected) {
  write_items({item("Pod", "web", "p")});
  const auto expect_nothing = [](const Outcome& outcome) {
    EXPECT_EQ(outcome.exit, 1) << outcome.err;
    EXPECT_NE(outcome.err.find("warning[nothing-selected]"), std::string::npos) << outcome.err;
  };
  for (const Lines& selection :
       std::vector<Lines>{{"--include-namespaces", "wbe"}, {"-l", "tier=front"}}) {
    Lines dry = selection, allowed = selection;
    dry.emplace_back("--dry-run");
    allowed.emplace_back("--allow-empty");
    const std::string name = "of" + std::to_string(selection[0].size());
    expect_nothing(create(name, dry));
    expect_nothing(create(name, selection));
    EXPECT_EQ(files("store"), Lines());
    EXPECT_EQ(create(name, allowed).exit, 0);
    EXPECT_EQ(run({"delete", name}).exit, 0);
  }
  world.write("empty.json", "");
  world.write("list.json", R"({"apiVersion":"v1","kind":"List","items":[]})");
  world.write("null.json", R"({"apiVersion":"v1","kind":"List","items":null})");
  fs::create_directory(world.root() / "directory");
  for (const std::string from : {"empty.json", "list.json", "null.json", "directory"}) {
    const Outcome outcome = run({"create", "x" + from, "--from", from});
    expect_nothing(outcome);
    EXPECT_EQ(outcome.err.find("error["), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(files("store"), Lines());
  ASSERT_EQ(create().exit, 0);
  const Lines stored = files("store");
  expect_nothing(restore("restored", {"--include-namespaces", "wbe", "--dry-run"}));
  expect_nothing(restore("restored", {"--include-namespaces", "wbe", "--name", "first"}));
  EXPECT_EQ(files("store"), stored);
  EXPECT_EQ(restore("restored", {"--include-namespaces", "wbe", "--allow-empty"}).exit, 0);
  EXPECT_EQ(restore("restored").exit, 0);
  EXPECT_EQ(restore("restored").exit, 0) << "the items are there already";
}

TEST_F(Backup, RefusesSelectionsThatCannotBeMeant) {
  write_items({item("Pod", "web", "p")});
  ASSERT_EQ(create().exit, 0);
  const struct {
    Lines selection;
    std::string code, fix;
  } rows[] = {
      {{"--include-resources", "deploymnets"}, "unknown-resource", "did you mean 'deployments'?"},
      {{"--exclude-resources", "pods,widgets"}, "unknown-resource", "correct the name"},
      {{"--exclude-resources", "pods.example.io"}, "unknown-resource", "correct the name"},
      {{"--include-namespaces", "(x)"}, "wrong-value", "name the namespaces"},
      {{"--include-namespaces", "!x"}, "wrong-value", "name the namespaces"},
      {{"--exclude-namespaces", "bar_321"}, "wrong-value", "name the namespaces"},
      {{"--exclude-namespaces", "Web*"}, "wrong-value", "name the namespaces"},
      {{"--include-namespaces", "web", "--exclude-namespaces", "a,web"},
       "wrong-value",
       "remove it"},
      {{"--include-resources", "po", "--exclude-resources", "pods"}, "wrong-value", "remove it"},
  };
  for (const auto& row : rows) {
    for (const Outcome& outcome :
         {create("b", row.selection), restore("restored", row.selection)}) {
      EXPECT_EQ(outcome.exit, 2) << row.selection[1];
      EXPECT_NE(outcome.err.find("error[" + row.code + "] --"), std::string::npos) << outcome.err;
      EXPECT_NE(outcome.err.find("fix     " + row.fix), std::string::npos) << outcome.err;
    }
  }
  EXPECT_FALSE(fs::exists(world.root() / "restored"));
  EXPECT_EQ(create("c", {"--include-resources", "p*", "--exclude-namespaces", "[a-v]*"}).exit, 0);
}

TEST_F(Backup, WarnsOfASelectedNamespaceThatDoesNotExist) {
  write_items({item("ConfigMap", "web", "p")});
  ASSERT_EQ(create().exit, 0);
  const std::pair<std::string, std::string> rows[] = {{"--exclude-namespaces", "wbe,k*"},
                                                      {"--include-namespaces", "web,wbe,k*"}};
  for (const auto& [option, names] : rows) {
    for (const Outcome& outcome :
         {create("a" + option, {option, names}), restore("restored", {option, names})}) {
      EXPECT_EQ(outcome.exit, 0);
      EXPECT_EQ(outcome.err,
                "tenon-backup: warning[unknown-namespace] wbe: no item is in this namespace, so " +
                    option +
                    " does not apply\n"
                    "   fix     did you mean 'web'?\n");
    }
  }
}

TEST_F(Backup, KnowsTheNamesOfResourcesWhoseDefinitionIsNotInIt) {
  const std::string definition =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
      R"("metadata":{"name":"widgetry.example.io"},"spec":{"group":"example.io","names":)"
      R"({"kind":"Widget","plural":"widgetry","singular":"widget","shortNames":["wi"]}}})";
  const std::string widget =
      R"({"apiVersion":"example.io/v1","kind":"Widget","metadata":{"name":"w","namespace":"web"}})";
  const std::string key =
      R"({"apiVersion":"example.io/v1","kind":"Key","metadata":{"name":"k","namespace":"web"}})";
  play(R"("resources": "wi")", R"("resources": "widgetry.example.io")");
  write_items({widget, definition, key});
  ASSERT_EQ(create("nightly", {"--include-namespaces", "web"}).exit, 0);
  EXPECT_EQ(journal("backup a execute ").size(), 1u);
  int number = 0;
  for (const std::string name : {"widgetry", "wi", "Widget", "widget.example.io"}) {
    const std::string to = "restored-" + std::to_string(++number);
    EXPECT_EQ(restore(to, {"--include-resources", name, "--name", to}).exit, 0) << name;
    EXPECT_EQ(restored(to), Lines{"widgetry.example.io/namespaces/web/w"}) << name;
  }
  EXPECT_EQ(restore("keys", {"--include-resources", "keys", "--name", "keys"}).exit, 0);
  EXPECT_EQ(restored("keys"), Lines{"keys.example.io/namespaces/web/k"});
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
  EXPECT_EQ(journal("delete a execute ").size(), 1u);
}

TEST_F(Backup, PrintsJsonOnlyEvenIfPluginsPrint) {
  play();
  write_items({item("Pod", "web", "p",
                    told("backup-a", "print") + ", " + told("restore-a", "print") + ", " +
                        told("delete-a", "print"))});
  for (const Outcome& outcome : {create("nightly", {"--json"}), restore("restored", {"--json"}),
                                 run({"delete", "nightly", "--json"})}) {
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_TRUE(json(outcome).contains("tenon-backup"));
    for (const char* printed : {"from printf\n", "from cout\n", "from write\n"}) {
      EXPECT_NE(outcome.err.find(printed), std::string::npos) << outcome.err;
    }
  }
}

TEST_F(Backup, ReportsThatItsJsonCannotBeWritten) {
  write_items({item("Secret", "web", "s")});
  const Outcome outcome = world.run(
      {"/bin/sh", "-c", "\"$0\" --json create nightly --from items.json >/dev/full", TENON_BACKUP});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_EQ(outcome.err, "tenon-backup: cannot write to standard output\n");
}

TEST_F(Backup, PrintsItsVersion) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '.'), 2) << outcome.out;
}

#ifndef _WIN32  // no terminal
TEST_F(Backup, ShowsProgressOnlyOnATerminal) {
  play();
  configure(actions("backup") + R"(, "timeouts": {"operation": "1s", "poll": "1ms"})");
  write_items({item("Secret", "web", "s", told("backup-a", "operation=never"))});
  const Outcome outcome =
      world.start_on_terminal({TENON_BACKUP, "create", "nightly", "--from", "items.json"}).wait();
  EXPECT_NE(outcome.out.find("\r[##############################] 1 of 1 items ("),
            std::string::npos)
      << outcome.out;
  EXPECT_EQ(create("other").err.find("] 1 of 1"), std::string::npos);
}
#endif

}}  // namespace tenon::tests
