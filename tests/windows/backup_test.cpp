// SPDX-License-Identifier: BSL-1.0
//
// tenon-backup on Windows: names that Windows does not allow or takes for others, names in UTF-8,
// access to Secrets, and the locks of a restore.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>

#include "e2e/backup/host.hpp"
#include "windows/rights.hpp"

namespace tenon::tests { namespace {

using WindowsBackup = Backup;

fs::path utf8_path(const std::string& text) {
  return std::u8string(text.begin(), text.end());
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST_F(WindowsBackup, UsesNamesInUtf8) {
  const std::string name = "\u0434\u0430\u043d\u043d\u044b\u0435-\u00e9\u6f22\U0001f600";
  const fs::path directory = world.root() / utf8_path(name);
  fs::create_directories(directory / "store");
  fs::create_directories(directory / "in");
  world.write("c.json", R"({"store": {"plugin": "filesystem", "config": {"directory": ")" + name +
                            R"(/store"}}})");
  fs::rename(world.root() / "c.json", directory / "c.json");
  write_items({item("ConfigMap", "web", name), item("ConfigMap", "web", "a")});
  fs::rename(world.root() / "items.json", directory / "in" / utf8_path(name + ".json"));
  const std::string config = name + "/c.json";
  const Outcome made = run({"create", "nightly", "-c", config, "--from", name + "\\in"});
  EXPECT_EQ(made.exit, 0) << made.err;
  EXPECT_EQ(made.out, "backup nightly: completed, 2 items, 0 snapshots, 0 errors, 0 warnings\n");
  const Outcome outcome = run({"restore", "nightly", "-c", config, "--to", name + "/out"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  const std::string file = "out/resources/configmaps/namespaces/web/" + name + ".json";
  EXPECT_EQ(read_file(directory / utf8_path(file)), item("ConfigMap", "web", name) + "\n");
  const Outcome plan = run({"delete", "nightly", "-c", config, "--dry-run"});
  EXPECT_EQ(plan.exit, 0) << plan.err;
  EXPECT_EQ(run({"delete", "nightly", "-c", config}).exit, 0);
  const Outcome none = run({"create", "n", "-c", config, "--from", name + ".json"});
  EXPECT_EQ(none.exit, 3);
  expect_part(none.err, "error[cannot-read] " + name + ".json\n");
}

TEST_F(WindowsBackup, KeepsNamesThatWindowsForbidsInTheArchive) {
  const Lines names{"system:node", "nul", "COM1.x", "lpt9", "c:x", "a*", "q?", "<x>|y", "aux.a.b"};
  Lines items{item("ConfigMap", "web", "good"), item("Node", "", "null")};
  for (const std::string& name : names) items.push_back(item("ConfigMap", "web", name));
  items.push_back(item("ConfigMap", "web.", "a"));
  write_items(items);
  const Outcome made = create();
  EXPECT_EQ(made.exit, 0) << made.err;
  expect_part(made.out, std::to_string(names.size() + 3) + " items");
  const Outcome outcome = restore("restored", {"--json"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(restored(), (Lines{"configmaps/namespaces/web/good", "nodes/cluster/null"}));
  const auto result = json(outcome);
  EXPECT_EQ(result.at("restore").at("restored"), 2);
  const auto& problems = result.at("problems").as_array();
  EXPECT_EQ(problems.size(), names.size() + 1) << problems;
  for (const auto& problem : problems) {
    EXPECT_EQ(problem.at("code"), "cannot-write") << problem;
    EXPECT_EQ(problem.at("fix"), "restore it on another system, or take the item from the archive")
        << problem;
  }
  expect_part(outcome.err,
              "found a name that has the character ':'; needed no name of a device, none of the");
  expect_part(outcome.err, "found a name that names a device; needed");
  expect_part(outcome.err, "found a name that ends with a dot; needed");
}

TEST_F(WindowsBackup, DoesNotReplaceAnItemByOneThatDiffersInCase) {
  const std::string upper = item("ConfigMap", "web", "Settings");
  write_items({upper, item("ConfigMap", "web", "settings"), item("Secret", "DB", "x"),
               item("Secret", "db", "y")});
  ASSERT_EQ(create().exit, 0);
  for (const std::string existing : {"keep", "update"}) {
    const Outcome outcome = restore("restored", {"--existing", existing, "--name", existing});
    EXPECT_EQ(outcome.exit, 1) << outcome.err;
    expect_part(outcome.err, "\"Settings.json\", which is the same name for Windows");
    expect_part(outcome.err, "\"DB\", which is the same name for Windows");
    expect_part(outcome.err,
                "which is the same name for Windows; needed names that differ not only");
    EXPECT_EQ(restored().size(), 2u);
    const Lines kept =
        lines_of(world.read("restored/resources/configmaps/namespaces/web/Settings.json"));
    EXPECT_EQ(kept, Lines{upper});
  }
}

TEST_F(WindowsBackup, HasNoNameOfADevice) {
  write_items({item("ConfigMap", "web", "a")});
  for (const std::string name : {"nul", "con", "aux.a", "com1.b"}) {
    const Outcome made = create(name);
    EXPECT_NE(made.exit, 0) << name;
    expect_part(made.err, "has a part \"" + name + "\" that names a device");
  }
  EXPECT_EQ(files("store"), Lines());
  EXPECT_EQ(create("nul1").exit, 0);
}

TEST_F(WindowsBackup, RefusesArtifactsOutsideOfTheDirectory) {
  configure(
      R"("delete_actions": [{"plugin": "external-artifacts", "config": {"directory": "files"}}])");
  world.write("files/web/data", "");
  world.write("files/other", "");
  write_items({R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"web",)"
               R"("annotations":{"tenon.dev/external-artifact":"..\\other, c:x, data"}}})"});
  const Outcome made = create();
  expect_part(made.err, "warning[refused-artifact] pods web/p: ");
  expect_part(made.err, "has a part that has the character");
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
  EXPECT_TRUE(fs::exists(world.root() / "files/other"));
  EXPECT_FALSE(fs::exists(world.root() / "files/web/data"));
}

/// Returns whether everyone has rights in the access control list of a file.
bool is_for_everyone(const fs::path& path) {
  ACL* list = nullptr;
  PSECURITY_DESCRIPTOR memory = nullptr;
  if (GetNamedSecurityInfoW(path.c_str(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr,
                            nullptr, &list, nullptr, &memory) != ERROR_SUCCESS) {
    return true;
  }
  std::array<char, SECURITY_MAX_SID_SIZE> everyone;
  DWORD size = everyone.size();
  CreateWellKnownSid(WinWorldSid, nullptr, everyone.data(), &size);
  bool found = list == nullptr;
  for (DWORD i = 0; !found && i < list->AceCount; ++i) {
    void* entry = nullptr;
    if (GetAce(list, i, &entry) == 0) continue;
    auto* allowed = static_cast<ACCESS_ALLOWED_ACE*>(entry);
    found = allowed->Header.AceType == ACCESS_ALLOWED_ACE_TYPE && allowed->Mask != 0 &&
            EqualSid(&allowed->SidStart, everyone.data()) != 0;
  }
  LocalFree(memory);
  return found;
}

TEST_F(WindowsBackup, LetsNobodyElseReadRestoredSecrets) {
  const std::string secret = item("Secret", "web", "s");
  write_items({secret, item("ConfigMap", "web", "c")});
  ASSERT_EQ(create().exit, 0);
  ASSERT_EQ(restore("restored", {"--name", "one"}).exit, 0);
  const fs::path file = world.root() / "restored/resources/secrets/namespaces/web/s.json";
  const fs::path open = world.root() / "restored/resources/configmaps/namespaces/web/c.json";
  EXPECT_FALSE(is_for_everyone(file));
  EXPECT_EQ(restore("restored", {"--name", "two"}).out,
            "restore two: 0 items restored, 2 skipped, 0 errors\n");
  let_everyone_write(file);
  let_everyone_write(open);
  ASSERT_TRUE(is_for_everyone(file));
  EXPECT_EQ(restore("restored", {"--name", "three"}).out,
            "restore three: 1 item restored, 1 skipped, 0 errors\n");
  EXPECT_FALSE(is_for_everyone(file));
  EXPECT_EQ(read_file(file), secret + "\n");
}

TEST_F(WindowsBackup, IsRestoredByOneProcessAtATime) {
  write_items({item("ConfigMap", "web", "a")});
  ASSERT_EQ(create().exit, 0);
  fs::create_directory(world.root() / "restored");
  const fs::path lock = world.root() / "restored/.tenon-lock";
  const HANDLE other = CreateFileW(lock.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW, 0, nullptr);
  ASSERT_NE(other, INVALID_HANDLE_VALUE);
  const Outcome refused = restore();
  EXPECT_EQ(refused.exit, 3);
  expect_part(refused.err, "error[in-use] restored: another process restores into this directory");
  CloseHandle(other);
  EXPECT_EQ(restore().exit, 0);
  EXPECT_FALSE(fs::exists(lock));
}

TEST_F(WindowsBackup, RemovesTheFilesOfKilledProcesses) {
  write_items({item("ConfigMap", "web", "a")});
  world.write("store/.tenon-partial/0123456789abcdef", "half");
  ASSERT_EQ(create().exit, 0);
  EXPECT_TRUE(std::ranges::none_of(files("store"), [](const std::string& file) {
    return file.find("partial") != std::string::npos;
  }));
  const std::string left = "restored/.tenon-0123456789abcdef";
  world.write(left, "half");
  world.write("restored/.tenon-notes", "kept");
  ASSERT_EQ(restore().exit, 0);
  EXPECT_FALSE(fs::exists(world.root() / left));
  EXPECT_TRUE(fs::exists(world.root() / "restored/.tenon-notes"));
}

TEST_F(WindowsBackup, StoresNothingAfterCtrlC) {
  play();
  write_items({item("Secret", "web", "s", told("backup-a", "wait")), item("Secret", "web", "t")});
  Child child = world.start({TENON_BACKUP, "create", "nightly", "--from", "items.json"});
  ASSERT_TRUE(eventually([&] { return !journal("backup a execute ").empty(); })) << child.err();
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 1) << outcome.err;
  expect_part(outcome.err, "the run was interrupted");
  EXPECT_EQ(files("store"), Lines());
}

}}  // namespace tenon::tests
