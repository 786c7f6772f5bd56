// SPDX-License-Identifier: BSL-1.0
//
// The plugins of tenon follow the rules of their kinds. EXAMPLES is the directory of the examples.
#include <tenon/builtins.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

#include "framework/world.hpp"
#include "verdicts.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;
using conformance::PluginSetup;

const std::string pod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"front","namespace":"web"},)"
    R"("spec":{"serviceAccountName":"robot","volumes":[{"name":"data","persistentVolumeClaim":)"
    R"({"claimName":"data"}}]}})";

PluginSetup pipeline(const std::string& kind, const std::string& plugin, const TextMap& config) {
  return {"tenon.dev/" + kind, plugin, config};
}

PluginSetup store(const std::string& plugin, const TextMap& config) {
  return {"tenon.dev/object_store", plugin, config, "bucket"};
}

PluginSetup action(const std::string& kind, const std::string& plugin, const TextMap& config = {}) {
  return {"tenon.dev/" + kind + "_item_action", plugin, config, "", pod};
}

class OwnModules : public testing::Test {
 protected:
  static Options module(const std::string& file, const std::vector<PluginSetup>& setups) {
    Options options;
    options.module = EXAMPLES "/" + file;
    options.setups = setups;
    options.timeout = 30s;
    return options;
  }

  /// Returns a dpkg status file with thirty packages.
  std::string dpkg_status() const {
    std::string status;
    for (int number = 1; number <= 30; ++number) {
      status += "Package: p" + std::to_string(number) +
                "\nStatus: install ok installed\nVersion: 1.0\n\n";
    }
    return world_.write("status", status).string();
  }

  std::string json_lines() const {
    std::string lines;
    for (int number = 1; number <= 30; ++number) {
      lines += "{\"number\":" + std::to_string(number) + "}\n";
    }
    return world_.write("lines.json", lines).string();
  }

  std::string table() const {
    std::string path = world_.path("table.sqlite").string();
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    const char* statement =
        "CREATE TABLE t (text); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
        "WHERE i < 30) INSERT INTO t SELECT 'row ' || i FROM n";
    EXPECT_EQ(sqlite3_exec(database, statement, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    return path;
  }

  World world_;
};

void expect_no_failure(const Options& options) {
  const auto results = run(options);
  for (const Result& result : results) {
    EXPECT_NE(result.verdict, Verdict::failed) << result.of.kind << " " << result.of.plugin << " "
                                               << result.of.name << ": " << result.reason;
  }
  EXPECT_GT(results.size(), 3U);
}

TEST_F(OwnModules, DpkgInCConforms) {
  expect_no_failure(
      module("dpkg/dpkg-1.so", {pipeline("source", "example.io/dpkg", {{"path", dpkg_status()}})}));
}

TEST_F(OwnModules, DpkgInCppConforms) {
  expect_no_failure(
      module("dpkg/dpkg-2.so", {pipeline("source", "example.io/dpkg", {{"path", dpkg_status()}})}));
}

TEST_F(OwnModules, FlatStoreConforms) {
  expect_no_failure(
      module("flat-store/flat-store.so", {store("example.io/flat-store", {{"directory", "."}})}));
}

TEST_F(OwnModules, JournalConforms) {
  expect_no_failure(module("journal/journal.so",
                           {action("delete", "example.io/journal", {{"path", "journal"}})}));
}

TEST_F(OwnModules, RedactConforms) {
  expect_no_failure(module("redact/redact.so", {action("backup", "example.io/redact")}));
}

TEST_F(OwnModules, SplitConforms) {
  const auto with = [](const std::string& others) {
    return module("split/split.so",
                  {pipeline("processor", "example.io/split", {{"others", others}})});
  };
  expect_no_failure(with("refuse"));
  expect_no_failure(with("pass"));
}

#ifdef HAS_RUST
TEST_F(OwnModules, CsvInRustConforms) {
  std::string rows = "id,text\n";
  for (int i = 1; i <= 40; ++i) rows += std::to_string(i) + ",\"row " + std::to_string(i) + "\"\n";
  const std::string path = world_.write("rows.csv", rows).string();
  expect_no_failure(module("csv/csv.so", {pipeline("source", "example.io/csv", {{"path", path}})}));
}

TEST_F(OwnModules, HoldInRustConforms) {
  expect_no_failure(module("hold/hold.so", {action("delete", "example.io/hold")}));
}
#endif

TEST_F(OwnModules, BuiltinsConform) {
  world_.write("volumes/data/file", "content");
  world_.path("snapshots/x");
  PluginSetup directory{"tenon.dev/volume_snapshotter",
                        "tenon.dev/directory",
                        {{"volumes", (world_.root() / "volumes").string()},
                         {"snapshots", (world_.root() / "snapshots").string()}}};
  directory.volume = "data";
  directory.item = R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv"},)"
                   R"("spec":{"hostPath":{"path":")" +
                   (world_.root() / "volumes/data").string() + "\"}}}";
  Options options;
  options.builtin = builtins();
  options.timeout = 30s;
  options.setups = {
      pipeline("source", "tenon.dev/generator", {{"count", "30"}}),
      pipeline("source", "tenon.dev/file", {{"path", json_lines()}}),
      pipeline("destination", "tenon.dev/file", {{"path", "out.json"}}),
      pipeline("source", "tenon.dev/sqlite", {{"path", table()}, {"table", "t"}}),
      pipeline("destination", "tenon.dev/sqlite", {{"path", "out.sqlite"}, {"table", "t"}}),
      pipeline("destination", "tenon.dev/log", {}),
      pipeline("processor", "tenon.dev/field", {{"drop", "text"}, {"set.seen", "true"}}),
      store("tenon.dev/filesystem", {{"directory", "."}}),
      directory,
      action("backup", "tenon.dev/service-account"),
      action("backup", "tenon.dev/pod-volumes"),
      action("restore", "tenon.dev/change-namespace"),
      action("restore", "tenon.dev/remap-labels", {{"tier", "set backend"}}),
      action("delete", "tenon.dev/external-artifacts", {{"directory", "."}})};
  expect_no_failure(options);
}

}}  // namespace tenon::tests
