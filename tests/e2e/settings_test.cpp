// SPDX-License-Identifier: BSL-1.0
//
// tenon disable, enable, pin and unpin. TENON is the command, TENON_WITH_POINTS the same with the
// points of base/test_point.hpp, HOST a host of the app photo, MODULE
// its plugin, PACKAGES a directory of packages that require each other.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "framework/path_texts.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

constexpr const char* fragile = "test.example/fragile";

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class SettingsCommands : public testing::Test {
 protected:
  SettingsCommands() { world_.set("XDG_CONFIG_DIRS", (world_.root() / "xdg").string()); }

  Outcome tenon(std::vector<std::string> words) {
    words.insert(words.begin(), TENON);
    words.insert(words.end(), {"-a", "photo"});
    return world_.run(words);
  }
  void install(std::string_view package) const {
    world_.place(std::string(PACKAGES "/").append(package).append(".so"));
  }
  /// Returns what a host that is started now prints when it uses the plugin.
  std::string host() const { return world_.run({HOST, "say"}).out; }
  std::string content() const { return read_file(file()); }
  void write(std::string_view text) const { world_.write("home/.config/tenon/photo.json", text); }
  fs::path file() const { return world_.root() / "home/.config/tenon/photo.json"; }

  World world_{"photo"};
};

TEST_F(SettingsCommands, SwitchAPackageOffAndOn) {
  world_.place(MODULE);
  EXPECT_EQ(host(), "it works\n");
  const Outcome off = tenon({"disable", fragile});
  EXPECT_EQ(off.exit, 0) << off.err;
  EXPECT_EQ(off.out, "test.example/fragile is disabled for photo: " + file().string() + "\n");
  EXPECT_EQ(content(), "{ \"packages\": { \"test.example/fragile\": { \"enabled\": false } } }\n");
  struct stat status;
  ASSERT_EQ(stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  const std::string refused = host();
  EXPECT_TRUE(contains(refused, "note[disabled] ")) << refused;
  EXPECT_TRUE(contains(refused, "error[disabled] ")) << refused;
  EXPECT_TRUE(contains(refused, "fix     run tenon enable -a photo test.example/fragile"));

  EXPECT_EQ(tenon({"disable", fragile}).exit, 0) << "it is already";
  const Outcome on = tenon({"enable", fragile});
  EXPECT_EQ(on.exit, 0) << on.err;
  EXPECT_EQ(on.out, "test.example/fragile is enabled for photo: " + file().string() + "\n");
  EXPECT_EQ(content(), "{}\n") << "nothing is left";
  EXPECT_EQ(host(), "it works\n");
}

TEST_F(SettingsCommands, ListShowsSettings) {
  for (const char* package : {"colour-1.4.0", "colour-1.6.2", "blur-1.2.0"}) install(package);
  tenon({"disable", "me.example/blur"});
  tenon({"pin", "example.io/colour@1.4.0"});
  const Outcome list = tenon({"list", "--why"});
  EXPECT_EQ(list.exit, 0) << list.out << list.err;
  EXPECT_TRUE(contains(list.out, "Settings:\n  pinned    example.io/colour 1.4.0  " +
                                     file().string() + "\n  disabled  me.example/blur          " +
                                     file().string() + "\n"))
      << list.out;
  EXPECT_TRUE(contains(list.out, "blur-1.2.0.so    me.example/blur 1.2.0, which " +
                                     file().string() + " switches off\n"))
      << list.out;
  EXPECT_TRUE(contains(list.out,
                       "colour-1.6.2.so  example.io/colour 1.6.2: needed version 1.4.0, "
                       "which " +
                           file().string() + " pins\n"))
      << list.out;
  EXPECT_FALSE(contains(list.out, "Notes:")) << list.out;
}

TEST_F(SettingsCommands, ListExplainsProblemsOfSettings) {
  for (const char* package : {"colour-1.4.0", "blur-1.2.0"}) install(package);
  write(R"({"packages": {"me.example/blur": {"version": "3.0.0"},
  "example.io/colour": {"version": "4.0.0", "enabled": "no"}}})");
  for (const char* why : {"--why", "--kind=source"}) {
    const Outcome list = tenon({"list", why});
    EXPECT_EQ(list.exit, 1);
    for (const char* heading : {"Skipped:", "Warnings:", "Notes:"})
      EXPECT_FALSE(contains(list.out, heading)) << list.out;
    EXPECT_TRUE(contains(list.err, "tenon: error[broken-settings] " + file().string() + ":2:"))
        << list.err;
    EXPECT_TRUE(contains(
        list.err,
        "   found   me.example/blur 1.2.0\n   needed  me.example/blur 3.0.0, which this file pins\n"))
        << list.err;
    EXPECT_TRUE(contains(list.err, "   found   example.io/colour 1.4.0\n")) << list.err;
  }
}

TEST_F(SettingsCommands, RequirementsOfAPackageThatIsOffAreUnmet) {
  for (const char* package : {"colour-1.4.0", "blur-1.2.0"}) install(package);
  EXPECT_EQ(tenon({"list"}).exit, 0);
  tenon({"disable", "example.io/colour"});
  const Outcome resolve = tenon({"resolve", "me.example/blur"});
  EXPECT_EQ(resolve.exit, 1);
  EXPECT_TRUE(contains(resolve.err, "error[disabled] me.example/blur 1.2.0: requires "))
      << resolve.err;
  EXPECT_TRUE(contains(resolve.err, "fix     run tenon enable for example.io/colour\n"))
      << resolve.err;
}

TEST_F(SettingsCommands, PinTheVersionInUse) {
  for (const char* package : {"colour-1.4.0", "colour-1.6.2"}) install(package);
  EXPECT_TRUE(
      contains(tenon({"pin", "example.io/colour"}).out, "example.io/colour 1.6.2 is pinned"));
  EXPECT_TRUE(contains(tenon({"pin", "example.io/colour@1.4.0"}).out, "colour 1.4.0 is pinned"));
  EXPECT_TRUE(contains(tenon({"resolve", "example.io/colour"}).out, "1.4.0"));
  install("colour-2.1.0");
  EXPECT_FALSE(contains(tenon({"resolve", "example.io/colour"}).out, "2.1.0"));
  EXPECT_EQ(tenon({"unpin", "example.io/colour"}).exit, 0);
  EXPECT_TRUE(contains(tenon({"resolve", "example.io/colour"}).out, "2.1.0"));
}

TEST_F(SettingsCommands, OverrideTheSystem) {
  for (const char* package : {"colour-1.4.0", "colour-1.6.2", "blur-1.2.0"}) install(package);
  world_.write("xdg/tenon/photo.json", R"({"packages": {"me.example/blur": {"enabled": false},
      "example.io/colour": {"version": "1.4.0"}}})");
  EXPECT_EQ(tenon({"enable", "me.example/blur"}).exit, 0);
  EXPECT_EQ(tenon({"unpin", "example.io/colour"}).exit, 0);
  EXPECT_EQ(content(), R"({
  "packages": { "me.example/blur": { "enabled": true }, "example.io/colour": { "version": null } }
}
)");
  EXPECT_TRUE(contains(tenon({"resolve", "me.example/blur"}).out, "1.6.2"));
}

TEST_F(SettingsCommands, KeepWhatTheyDoNotKnow) {
  install("blur-1.2.0");
  write(R"({"later": {"number": 1.10, "list": [1, {"a": null}]}, "order": ["a.b/c"],
  "packages": {"me.example/blur": {"why": "slow"}, "a.b/c": {"version": "1.0.0"}}})");
  const Outcome off = tenon({"disable", "me.example/blur"});
  EXPECT_EQ(off.exit, 0);
  EXPECT_TRUE(contains(off.err, "unknown-key")) << off.err;
  EXPECT_EQ(content(), R"({
  "later": { "number": 1.10, "list": [1, { "a": null }] },
  "order": ["a.b/c"],
  "packages": {
    "me.example/blur": { "why": "slow", "enabled": false },
    "a.b/c": { "version": "1.0.0" }
  }
}
)");
  EXPECT_EQ(tenon({"enable", "me.example/blur"}).exit, 0);
  EXPECT_TRUE(contains(content(), R"("me.example/blur": { "why": "slow" })")) << content();
}

TEST_F(SettingsCommands, ChangeNoDamagedFile) {
  install("blur-1.2.0");
  for (const char* text : {"{\"packages\": {},\n}", "[]", "", "{\"packages\": 1}",
                           "{\"packages\": {\"me.example/blur\": 1}}", "{\"a\": 1, \"a\": 2}"}) {
    write(text);
    const Outcome off = tenon({"disable", "me.example/blur"});
    EXPECT_EQ(off.exit, 1) << text;
    EXPECT_TRUE(contains(off.err, "error[broken-settings] " + file().string() + ":")) << off.err;
    EXPECT_TRUE(contains(off.err, "correct the file; it was not changed")) << off.err;
    EXPECT_EQ(content(), text);
  }
}

TEST_F(SettingsCommands, RefuseAFileThatHostsIgnore) {
  install("blur-1.2.0");
  write("{}");
  fs::permissions(file(), fs::perms::others_write, fs::perm_options::add);
  const Outcome off = tenon({"disable", "me.example/blur"});
  EXPECT_EQ(off.exit, 1);
  EXPECT_TRUE(contains(off.err, "error[untrusted-owner] " + file().string())) << off.err;
  EXPECT_EQ(content(), "{}");
}

TEST_F(SettingsCommands, WaitForNoPipe) {
  install("blur-1.2.0");
  fs::create_directories(file().parent_path());
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  for (const char* command : {"disable", "pin"}) {
    const Outcome refused = tenon({command, "me.example/blur"});
    EXPECT_EQ(refused.exit, 3);
    EXPECT_TRUE(contains(refused.err, "error[cannot-read] " + file().string() +
                                          "\n   found   a pipe\n   needed  a regular file\n"))
        << refused.err;
  }
}

TEST_F(SettingsCommands, FollowALink) {
  install("blur-1.2.0");
  const fs::path target = world_.write("dotfiles/photo.json", "{}");
  fs::create_directories(file().parent_path());
  fs::create_symlink(target, file());
  EXPECT_EQ(tenon({"disable", "me.example/blur"}).exit, 0);
  EXPECT_TRUE(fs::is_symlink(file()));
  EXPECT_TRUE(contains(read_file(target), "\"enabled\": false"));
}

TEST_F(SettingsCommands, LoseNoChangeIfSeveralRunAtOnce) {
  const std::vector<std::string> packages = {"colour-1.4.0", "blur-1.2.0", "sharpen-0.9.0",
                                             "filters-1.0.0"};
  for (const std::string& package : packages) install(package);
  std::vector<Child> running;
  for (const char* name :
       {"example.io/colour", "me.example/blur", "me.example/sharpen", "me.example/filters"}) {
    running.push_back(world_.start({TENON, "disable", "-a", "photo", name}));
    running.push_back(world_.start({TENON, "pin", "-a", "photo", name}));
  }
  for (Child& child : running) {
    const Outcome done = child.wait();
    EXPECT_EQ(done.exit, 0) << done.err;
  }
  const std::string all = content();
  for (const char* part : {R"("enabled": false)", R"("version": "1.4.0")", R"("version": "1.2.0")",
                           R"("version": "0.9.0")", R"("version": "1.0.0")"}) {
    EXPECT_TRUE(contains(all, part)) << part << "\n" << all;
  }
  std::size_t disabled = 0;
  for (std::size_t at = all.find("false"); at != std::string::npos; at = all.find("false", at + 1))
    ++disabled;
  EXPECT_EQ(disabled, packages.size()) << all;
}

// -- Other processes between reading and writing ------------------------------

class InterleavedSettings : public SettingsCommands {
 protected:
  InterleavedSettings() {
    install("blur-1.2.0");
    install("colour-1.4.0");
    world_.set("TENON_POINT", "settings: read");
  }

  /// Disables a package, while an actor runs at the point.
  Outcome disable(const std::string& package, const std::string& actor) {
    world_.set("TENON_ACTOR", actor);
    return world_.run({TENON_WITH_POINTS, "disable", "-a", "photo", package});
  }
};

TEST_F(InterleavedSettings, ASecondCommandWaitsForTheFirst) {
  const Outcome first =
      disable("me.example/blur", "(" TENON
                                 " disable -a photo example.io/colour > second 2>&1;"
                                 " echo $? > done) &");
  EXPECT_EQ(first.exit, 0) << first.err;
  ASSERT_TRUE(eventually([&] { return !world_.read("done").empty(); }));
  EXPECT_EQ(world_.read("done"), "0\n") << world_.read("second");
  EXPECT_TRUE(contains(content(), "example.io/colour") && contains(content(), "me.example/blur"))
      << content();
}

TEST_F(InterleavedSettings, ReadersSeeTheOldFileOrTheNewOne) {
  ASSERT_EQ(tenon({"disable", "example.io/colour"}).exit, 0);
  const Outcome run =
      disable("me.example/blur", "cat home/.config/tenon/photo.json > seen && " TENON
                                 " list -a photo --json > listed; true");
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(world_.read("seen"),
            "{ \"packages\": { \"example.io/colour\": { \"enabled\": false } } }\n");
  EXPECT_TRUE(contains(world_.read("listed"), "me.example/blur"));
  EXPECT_TRUE(contains(content(), "example.io/colour") && contains(content(), "me.example/blur"))
      << content();
}

TEST_F(InterleavedSettings, AnEditorLosesNoChange) {
  const Outcome run = disable("me.example/blur", R"(printf '{"log_level": "debug"}' > new && )"
                                                 "mv new home/.config/tenon/photo.json");
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_TRUE(contains(content(), R"("log_level": "debug")")) << content();
  EXPECT_TRUE(contains(content(), R"("me.example/blur": { "enabled": false })")) << content();
}

TEST_F(InterleavedSettings, AFileThatIsDamagedMeanwhileIsKept) {
  ASSERT_EQ(tenon({"disable", "example.io/colour"}).exit, 0);
  const Outcome run =
      disable("me.example/blur", "printf '{' > new && mv new home/.config/tenon/photo.json");
  EXPECT_EQ(run.exit, 1);
  EXPECT_TRUE(contains(run.err, "error[broken-settings] ")) << run.err;
  EXPECT_EQ(content(), "{");
}

TEST_F(SettingsCommands, RefuseWhatIsNotThere) {
  for (const char* package : {"colour-1.4.0", "colour-1.6.2"}) install(package);
  Outcome run = tenon({"disable", "example.io/color"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_TRUE(contains(run.err, "did you mean 'example.io/colour'?")) << run.err;
  run = tenon({"pin", "example.io/colour@3.0.0"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_TRUE(contains(run.err, "found   example.io/colour 1.6.2, 1.4.0")) << run.err;
  run = tenon({"disable", "example.io/colour@1.4.0"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_TRUE(contains(run.err, "bad-reference")) << run.err;
  for (const char* name : {"tenon.dev/builtin", "tenon.dev/file"}) {
    run = world_.run({TENON, "disable", name});  // a host with builtins
    EXPECT_EQ(run.exit, 1);
    EXPECT_TRUE(contains(run.err, "found   a builtin\n")) << run.err;
    EXPECT_TRUE(contains(run.err, "cannot be switched off")) << run.err;
  }
  install("rich");
  run = tenon({"disable", "me.example/clock"});
  EXPECT_TRUE(contains(run.err, "found   a plugin of the package me.example/clocks\n")) << run.err;
  EXPECT_FALSE(fs::exists(file()));
  world_.set("HOME", "");
  run = tenon({"disable", "example.io/colour"});
  EXPECT_EQ(run.exit, 3);
  EXPECT_TRUE(contains(run.err, "set $XDG_CONFIG_HOME")) << run.err;
}

TEST_F(SettingsCommands, LoseNothingIfTheHomeIsReadOnly) {
  install("blur-1.2.0");
  EXPECT_EQ(tenon({"disable", "me.example/blur"}).exit, 0);
  const std::string before = content();
  const fs::path directory = file().parent_path();
  fs::permissions(directory, fs::perms::owner_write, fs::perm_options::remove);
  fs::remove(directory / "lock");  // as in a directory that was always read-only
  const Outcome run = world_.run(unprivileged({TENON, "enable", "-a", "photo", "me.example/blur"}));
  const Outcome listed = world_.run(unprivileged({TENON, "list", "-a", "photo"}));
  fs::permissions(directory, fs::perms::owner_write, fs::perm_options::add);
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.err, "tenon: " + unwritable_text((directory / "lock").string(),
                                                 "opening the file: Permission denied"));
  EXPECT_EQ(content(), before);
  EXPECT_TRUE(contains(listed.out, "me.example/blur")) << listed.out << listed.err;
}

TEST_F(SettingsCommands, PackagesThatAreGoneCanBeSetBack) {
  install("blur-1.2.0");
  tenon({"disable", "me.example/blur"});
  fs::remove(world_.plugins() / "blur-1.2.0.so");
  EXPECT_EQ(tenon({"enable", "me.example/blur"}).exit, 0);
  EXPECT_EQ(content(), "{}\n");
}

}}  // namespace tenon::tests
