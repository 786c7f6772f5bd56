// SPDX-License-Identifier: BSL-1.0
//
// The commands `tenon resolve`, `tenon lock` and `tenon graph`. TENON is the program, MODULES the
// directory of packages that require each other, whose code ends the process.
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

class PackageCommands : public testing::Test {
 protected:
  /// Not the app of tenon, so that there are no builtins.
  World world_{"photo"};

  /// Installs versions of packages side by side, eg: "colour-1.6.2".
  void install(const std::vector<std::string>& packages) const {
    for (const std::string& package : packages) world_.place(MODULES "/" + package + ".so");
  }
  Outcome tenon(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), TENON);
    const bool escaped = arguments[1] == "graph" || arguments.back() == "--json";
    arguments.insert(arguments.end(), {"-a", "photo"});
    return world_.run_portably(arguments, escaped);
  }
  json::object tenon_json(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const Outcome run = tenon(std::move(arguments));
    boost::system::error_code failed;
    json::value value = json::parse(run.out, failed);
    EXPECT_FALSE(failed) << run.out << run.err;
    return failed ? json::object() : value.as_object();
  }
  void append_a_byte(const std::string& package) const {
    std::ofstream(world_.path("plugins/" + package + ".so"), std::ios::app | std::ios::binary)
        << '\n';
  }
  std::string normal(std::string text) const {
    const std::string root = world_.root().generic_string();
    for (auto at = text.find(root); at != std::string::npos; at = text.find(root)) {
      text.replace(at, root.size(), "ROOT");
    }
    std::erase(text, '\'');  // Windows needs quotes around paths
    return text;
  }
};

// -- resolve ------------------------------------------------------------------

TEST_F(PackageCommands, ResolveShowsTheSelectedPackages) {
  install({"colour-1.6.2", "colour-2.1.0", "blur-1.2.0"});
  const Outcome run = tenon({"resolve", "me.example/blur"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(normal(run.out), R"(PACKAGE            VERSION  ORIGIN
me.example/blur    1.2.0    ROOT/plugins/blur-1.2.0.so
example.io/colour  1.6.2    ROOT/plugins/colour-1.6.2.so
)");
}

TEST_F(PackageCommands, ResolveExplainsEveryChoice) {
  install({"colour-1.4.0", "colour-1.6.2", "colour-2.1.0", "blur-1.2.0", "blur-1.3.0",
           "sharpen-0.9.0"});
  const Outcome run = tenon({"resolve", "--explain", "me.example/blur@^1", "me.example/sharpen"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(normal(run.out), R"(me.example/blur 1.2.0  ROOT/plugins/blur-1.2.0.so
  for  me.example/blur@^1  ^1
  not 1.3.0  it requires example.io/colour ^3; found: example.io/colour 2.1.0, 1.6.2, 1.4.0
me.example/sharpen 0.9.0  ROOT/plugins/sharpen-0.9.0.so
  for  me.example/sharpen  any version
example.io/colour 1.6.2  ROOT/plugins/colour-1.6.2.so
  for  me.example/sharpen 0.9.0  >=1.4, <3
  for  me.example/blur 1.2.0     ^1.4
  not 2.1.0  me.example/blur 1.2.0 requires ^1.4
)");
}

TEST_F(PackageCommands, ResolveReportsConflicts) {
  install({"lost-1.0.0", "blur-1.2.0"});
  const Outcome run = tenon({"resolve", "me.example/lost", "me.example/nobody"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("tenon: error[missing-package] me.example/lost 1.0.0: requires "
                         "example.io/nobody ^2\n   found   no package named "
                         "example.io/nobody\n"),
            std::string::npos)
      << run.err;
  EXPECT_NE(run.err.find("tenon: error[not-found] me.example/nobody\n"), std::string::npos)
      << run.err;
  EXPECT_EQ(tenon({"resolve", "a b"}).exit, 2) << "not a valid reference";
  EXPECT_EQ(tenon({"resolve"}).exit, 2);
}

// A module with a broken manifest is not reported as missing.
TEST_F(PackageCommands, ReportABrokenManifest) {
  install({"broken-1.0.0", "wants-broken-1.0.0"});
  const Outcome asked = tenon({"resolve", "example.io/broken"});
  EXPECT_EQ(asked.exit, 1);
  EXPECT_EQ(normal(asked.err).find("tenon: error[broken-manifest] ROOT/plugins/broken-1.0.0.so\n"),
            0U)
      << asked.err;
  EXPECT_EQ(tenon({"resolve", "broken@1.0.0"}).err, asked.err);
  const Outcome requirer = tenon({"resolve", "me.example/wants-broken"});
  EXPECT_EQ(requirer.exit, 1);
  EXPECT_EQ(
      normal(requirer.err),
      "tenon: error[broken-manifest] me.example/wants-broken 1.0.0: requires "
      "example.io/broken ^1\n"
      "   found   ROOT/plugins/broken-1.0.0.so, which cannot be used\n"
      "   needed  example.io/broken ^1\n"
      "   fix     run tenon inspect ROOT/plugins/broken-1.0.0.so, and correct what it reports\n");
  fs::remove(world_.path("plugins/wants-broken-1.0.0.so"));
  for (const char* command : {"lock", "graph"}) {
    const Outcome run = tenon({command});
    EXPECT_EQ(run.exit, 1) << command;
    EXPECT_NE(run.err.find("error[broken-manifest] "), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("broken-1.0.0.so"), std::string::npos) << run.err;
  }
}

TEST_F(PackageCommands, ReportABrokenManifestAndItsRequirerOnce) {
  install({"broken-1.0.0", "wants-broken-1.0.0"});
  for (const auto& [command, key] : {std::pair("lock", "left_out"), std::pair("graph", "errors")}) {
    const auto output = tenon_json({command});
    std::vector<std::string> places;
    for (const json::value& error : output.at(key).as_array()) {
      EXPECT_EQ(error.at("code"), "broken-manifest");
      places.push_back(normal(std::string(error.at("where").as_string())));
    }
    EXPECT_EQ(places, (std::vector<std::string>{"ROOT/plugins/broken-1.0.0.so",
                                                "me.example/wants-broken 1.0.0"}))
        << command;
  }
}

TEST_F(PackageCommands, ResolveListsAvailableVersions) {
  install({"colour-1.4.0", "colour-2.1.0"});
  for (const char* reference : {"example.io/colour@9.0.0", "example.io/colour@^3"}) {
    const Outcome run = tenon({"resolve", reference});
    EXPECT_EQ(run.exit, 1);
    EXPECT_NE(run.err.find("   found   example.io/colour 2.1.0 (standalone), 1.4.0 (standalone)\n"),
              std::string::npos)
        << run.err;
  }
}

// Substitutes are only for absent versions.
TEST_F(PackageCommands, ResolveRefusesAnUnusableVersion) {
  install({"colour-1.4.0", "blur-1.2.0", "blur-1.3.0"});
  const Outcome run = tenon({"resolve", "me.example/blur@1.3.0"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err.find("tenon: error[no-matching-version] me.example/blur 1.3.0: requires "
                         "example.io/colour ^3\n"),
            0U)
      << run.err;
  EXPECT_EQ(run.err.find("gone"), std::string::npos);
}

TEST_F(PackageCommands, ResolveWarnsOfASubstitutedVersion) {
  install({"colour-1.4.0"});
  const Outcome run = tenon({"resolve", "example.io/colour@1.5.0"});
  EXPECT_EQ(run.exit, 0);
  EXPECT_NE(run.out.find("1.4.0"), std::string::npos) << run.out;
  EXPECT_EQ(run.err.substr(0, run.err.find("\n   fix")),
            "tenon: warning[version-substituted] example.io/colour@1.5.0\n"
            "   found   example.io/colour 1.4.0\n"
            "   needed  version 1.5.0, which is not available");
}

TEST_F(PackageCommands, ResolveFollowsALock) {
  install({"colour-1.4.0"});
  ASSERT_EQ(tenon({"lock"}).exit, 0);
  install({"colour-1.6.2", "blur-1.2.0"});
  const Outcome run = tenon({"resolve", "--explain", "--lock", "tenon.lock", "me.example/blur"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(normal(run.out), R"(me.example/blur 1.2.0  ROOT/plugins/blur-1.2.0.so
  for  me.example/blur  any version
example.io/colour 1.4.0  ROOT/plugins/colour-1.4.0.so (locked)
  for  me.example/blur 1.2.0  ^1.4
  not 1.6.2  the lock names the older one
)");

  fs::remove(world_.path("plugins/colour-1.4.0.so"));
  const Outcome gone = tenon({"resolve", "--lock", "tenon.lock", "me.example/blur"});
  EXPECT_EQ(gone.exit, 1);
  EXPECT_NE(gone.out.find("1.6.2"), std::string::npos) << gone.out;
  EXPECT_EQ(gone.err.find("tenon: error[missing-locked-package] tenon.lock\n"), 0U) << gone.err;
  world_.write("tenon.lock", "{");
  EXPECT_EQ(tenon({"graph", "--lock", "tenon.lock"}).exit, 1);
  EXPECT_EQ(tenon({"graph", "--lock", "none.lock"}).exit, 3);
  const Outcome device = tenon({"graph", "--lock", "/dev/null"});
  EXPECT_EQ(device.exit, 3);
  EXPECT_EQ(
      device.err,
      "tenon: error[cannot-read] /dev/null\n   found   a device\n"
      "   needed  a regular file\n"
      "   fix     name a regular file, or remove this one from the directory that is searched\n");
  fs::permissions(world_.root() / "tenon.lock", fs::perms::none);
  const Outcome locked = world_.run(
      unprivileged({TENON, "resolve", "-a", "photo", "--lock", "tenon.lock", "me.example/blur"}));
  EXPECT_EQ(locked.exit, 3);
  EXPECT_NE(locked.err.find("error[cannot-read] tenon.lock\n"), std::string::npos) << locked.err;
}

// The host refuses to load such a module.
TEST_F(PackageCommands, ReportFilesThatDifferFromTheLock) {
  install({"colour-1.4.0", "blur-1.2.0"});
  ASSERT_EQ(tenon({"lock"}).exit, 0);
  const std::vector<std::string> resolve = {"resolve", "--lock", "tenon.lock", "me.example/blur"};
  const std::vector<std::string> graph = {"graph", "--lock", "tenon.lock"};
  EXPECT_EQ(tenon(resolve).exit, 0);
  EXPECT_EQ(tenon(graph).exit, 0);
  const fs::path colour = world_.path("plugins/colour-1.4.0.so");
  world_.write("plugins/colour-1.4.0.so", world_.read("plugins/colour-1.4.0.so") + "more");
  const Outcome sum = world_.run({"sha256sum", "plugins/colour-1.4.0.so"});
  for (const auto& command : {resolve, graph}) {
    const Outcome run = tenon(command);
    EXPECT_EQ(run.exit, 1);
    EXPECT_EQ(run.err.find("tenon: error[lock-differs] " + colour.string() +
                           "\n   found   example.io/colour 1.4.0 with sha256 " +
                           sum.out.substr(0, 64) + "\n"),
              0U)
        << run.err;
    EXPECT_EQ(tenon_json(command).at("errors").at(0).at("code"), "lock-differs");
  }
  const Outcome other = tenon({"resolve", "--lock", "tenon.lock", "example.io/colour"});
  EXPECT_EQ(other.exit, 1);
  world_.write("plugins/colour-1.4.0.so", read_file(MODULES "/colour-1.4.0.so"));
  EXPECT_EQ(tenon(resolve).exit, 0);
}

TEST_F(PackageCommands, ResolvePrintsJson) {
  install({"colour-1.6.2", "colour-2.1.0", "blur-1.2.0"});
  const json::object result = tenon_json({"resolve", "me.example/blur", "me.example/nobody"});
  EXPECT_EQ(result.at("tenon"), (json::value{{"schema", 1}, {"command", "resolve"}}));
  EXPECT_EQ(result.at("app"), "photo");
  ASSERT_EQ(result.at("packages").as_array().size(), 2U);
  const json::value& blur = result.at("packages").at(0);
  EXPECT_EQ(blur.at("name"), "me.example/blur");
  EXPECT_EQ(blur.at("origin"), "file");
  EXPECT_EQ(blur.at("file"), json::value((world_.plugins() / "blur-1.2.0.so").generic_string()));
  EXPECT_EQ(blur.at("in_development"), false);
  EXPECT_EQ(blur.at("locked"), false);
  EXPECT_EQ(blur.at("used"), true);
  EXPECT_EQ(blur.at("refused"), nullptr);
  EXPECT_EQ(blur.at("requirements").at(0), (json::value{{"package", "example.io/colour"},
                                                        {"versions", "^1.4"},
                                                        {"gets", "1.6.2"},
                                                        {"met", true}}));
  EXPECT_EQ(blur.at("required_by").at(0),
            (json::value{{"name", "me.example/blur"}, {"versions", nullptr}}));
  const json::value& colour = result.at("packages").at(1);
  EXPECT_EQ(colour.at("newer").at(0),
            (json::value{{"version", "2.1.0"}, {"reason", "me.example/blur 1.2.0 requires ^1.4"}}));
  EXPECT_EQ(result.at("errors").at(0).at("code"), "not-found");
  EXPECT_EQ(result.at("warnings"), json::array());
}

TEST_F(PackageCommands, ResolvePrintsUnreadableDirectoriesAsJson) {
  install({"colour-1.6.2"});
  const std::vector<std::string> arguments = {"resolve", "example.io/colour", "--plugin-path",
                                              "nowhere"};
  const Outcome run = tenon(arguments);
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.err.find("tenon: error[not-found] nowhere\n"), 0U) << run.err;
  EXPECT_EQ(run.err.rfind("error[not-found]"), run.err.find("error[not-found]")) << run.err;
  const json::object result = tenon_json(arguments);
  ASSERT_EQ(result.at("errors").as_array().size(), 1U);
  EXPECT_EQ(result.at("errors").at(0).at("where"), "nowhere");
  EXPECT_EQ(result.at("packages").as_array().size(), 1U);
}

TEST_F(PackageCommands, ResolveKnowsOnlyTheBuiltinsOfItsApp) {
  const std::vector<std::string> own = {TENON, "resolve", "tenon.dev/file"};
  const Outcome run = world_.run_portably(own);
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_NE(run.out.find("tenon.dev/builtin"), std::string::npos) << run.out;
  EXPECT_EQ(tenon({"resolve", "tenon.dev/file"}).exit, 1);
}

// -- lock ---------------------------------------------------------------------

TEST_F(PackageCommands, LockWritesUsedPackages) {
  install({"colour-1.4.0", "colour-1.6.2", "colour-2.1.0", "blur-1.2.0"});
  const Outcome run = tenon({"lock"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out, "tenon.lock: 3 packages\n");
  EXPECT_EQ(run.err, "");
  const json::value lock = json::parse(world_.read("tenon.lock"));
  EXPECT_EQ(lock.at("type"), "tenon.dev/lock");
  EXPECT_EQ(lock.at("writer"), "photo");
  const json::array& packages = lock.at("value").at("packages").as_array();
  ASSERT_EQ(packages.size(), 3U);
  EXPECT_EQ(packages[0].at("name"), "example.io/colour");
  EXPECT_EQ(packages[0].at("version"), "1.6.2");
  EXPECT_EQ(packages[0].at("source"), "plugins/colour-1.6.2.so");
  const Outcome sum = world_.run({"sha256sum", "plugins/colour-1.6.2.so"});
  EXPECT_EQ(packages[0].at("sha256"), json::value(sum.out.substr(0, 64)));
  EXPECT_EQ(packages[1].at("version"), "2.1.0");
  EXPECT_EQ(packages[2].at("name"), "me.example/blur");
  EXPECT_EQ(world_.run_portably({TENON, "convert", "tenon.lock"}).exit, 0)
      << "the lock file is a document";
}

TEST_F(PackageCommands, LockIsReproducible) {
  install({"colour-1.6.2", "blur-1.2.0"});
  EXPECT_EQ(tenon({"lock", "-o", "one.lock"}).exit, 0);
  EXPECT_EQ(tenon({"lock", "-o", "two.lock"}).exit, 0);
  EXPECT_EQ(world_.read("one.lock"), world_.read("two.lock"));
}

TEST_F(PackageCommands, LockOmitsPackagesWithUnmetRequirements) {
  install({"colour-1.6.2", "lost-1.0.0"});
  const Outcome run = tenon({"lock"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.out, "tenon.lock: 1 package\n");
  EXPECT_EQ(
      run.err.find("tenon: not in the lock file: error[missing-package] me.example/lost 1.0.0"), 0U)
      << run.err;
  EXPECT_EQ(world_.read("tenon.lock").find("lost"), std::string::npos);
}

TEST_F(PackageCommands, LockShowsWhatHasChanged) {
  install({"colour-1.6.2", "blur-1.2.0"});
  ASSERT_EQ(tenon({"lock"}).exit, 0);
  EXPECT_EQ(tenon({"lock"}).out, "tenon.lock: 2 packages, unchanged\n");
  const std::string before = world_.run({"sha256sum", "plugins/colour-1.6.2.so"}).out.substr(0, 64);
  append_a_byte("colour-1.6.2");
  const std::string after = world_.run({"sha256sum", "plugins/colour-1.6.2.so"}).out.substr(0, 64);
  fs::remove(world_.path("plugins/blur-1.2.0.so"));
  install({"sharpen-0.9.0"});
  const std::string old_lock = world_.read("tenon.lock");
  const std::string changes =
      "tenon.lock: 2 packages, changed\n"
      "  changed  example.io/colour 1.6.2\n"
      "           module, sha256 " +
      before.substr(0, 12) + "... -> " + after.substr(0, 12) +
      "...\n"
      "  removed  me.example/blur 1.2.0\n"
      "  added    me.example/sharpen 0.9.0\n";

  const Outcome checked = tenon({"lock", "--check"});
  EXPECT_EQ(checked.exit, 1);
  EXPECT_EQ(checked.out, changes);
  EXPECT_EQ(checked.err,
            "tenon: the lock file is out of date; to replace it: tenon lock -a photo\n");
  EXPECT_EQ(world_.read("tenon.lock"), old_lock) << "nothing is written";
  const json::object result = tenon_json({"lock", "--check"});
  EXPECT_EQ(result.at("written"), false);
  const json::value& colour = result.at("changes").at(0);
  EXPECT_EQ(colour.at("change"), "changed");
  EXPECT_EQ(colour.at("files"),
            json::value({{{"path", ""}, {"before", before}, {"after", after}}}));

  EXPECT_EQ(tenon({"lock"}).out, changes);
  const Outcome fresh = tenon({"lock", "--check"});
  EXPECT_EQ(fresh.exit, 0) << fresh.err;
  EXPECT_EQ(fresh.out, "tenon.lock: 2 packages, unchanged\n");
}

TEST_F(PackageCommands, LockChecksOnlyALockFile) {
  install({"colour-1.6.2"});
  const Outcome missing = tenon({"lock", "--check"});
  EXPECT_EQ(missing.exit, 3);
  EXPECT_EQ(missing.err.find("tenon: no lock file was compared: error[not-found] tenon.lock\n"), 0U)
      << missing.err;
  world_.write("tenon.lock", "damaged");
  const Outcome damaged = tenon({"lock", "--check"});
  EXPECT_EQ(damaged.exit, 1);
  EXPECT_NE(damaged.err.find("error[broken-lock] tenon.lock"), std::string::npos) << damaged.err;
  world_.set(temporary_variable, "/nowhere");
  ASSERT_EQ(tenon({"lock"}).exit, 0);
  const Outcome nowhere = tenon({"lock", "--check"});
  EXPECT_EQ(nowhere.exit, 3);
  EXPECT_NE(nowhere.err.find("error[cannot-write] a directory for temporary files\n"),
            std::string::npos)
      << nowhere.err;
}

TEST_F(PackageCommands, LockRefusesPackagesInDevelopment) {
  fs::copy_file(module_file(MODULES "/colour-1.6.2.so"),
                world_.path("plugins/colour/dev/libcolour.so"));
  const Outcome run = tenon({"lock"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err.find("tenon: no lock file was written: error[not-lockable] "), 0U) << run.err;
  EXPECT_FALSE(fs::exists(world_.root() / "tenon.lock"));
}

// A forgotten or misspelled app, or an unset plugin path, must not leave a lock without effect.
TEST_F(PackageCommands, LockKeepsTheLockOfOtherPackages) {
  EXPECT_EQ(tenon({"lock"}).exit, 0) << "a first lock may be empty";
  install({"colour-1.6.2"});
  ASSERT_EQ(tenon({"lock"}).exit, 0);
  const std::string lock = world_.read("tenon.lock");

  const Outcome own = world_.run_portably({TENON, "lock"});
  EXPECT_EQ(own.exit, 1);
  EXPECT_EQ(own.out, "");
  EXPECT_EQ(own.err.find("tenon: no lock file was written: error[lock-kept] tenon.lock\n"
                         "   found   a lock of photo\n"
                         "   needed  a lock of tenon, or no file\n"),
            0U)
      << own.err;
  const Outcome misspelled = world_.run_portably({TENON, "lock", "-a", "phot"});
  EXPECT_EQ(misspelled.exit, 1) << misspelled.err;

  fs::remove(world_.path("plugins/colour-1.6.2.so"));
  const Outcome unset = tenon({"lock"});
  EXPECT_EQ(unset.exit, 1);
  EXPECT_EQ(unset.err.find("tenon: no lock file was written: error[lock-kept] tenon.lock\n"
                           "   found   a lock of modules, but no module that photo uses\n"),
            0U)
      << unset.err;
  EXPECT_EQ(tenon_json({"lock"}).at("error").at("code"), "lock-kept");
  EXPECT_EQ(world_.read("tenon.lock"), lock);

  world_.write("tenon.lock", "damaged");
  EXPECT_EQ(tenon({"lock"}).exit, 0) << "no host can use it";
  world_.write("tenon.lock", lock);
  fs::remove(world_.root() / "tenon.lock");
  EXPECT_EQ(tenon({"lock"}).exit, 0);
}

TEST_F(PackageCommands, LockReportsWriteErrors) {
  install({"colour-1.6.2"});
  const Outcome run = tenon({"lock", "-o", "nowhere/tenon.lock"});
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.err.find("tenon: no lock file was written: error[not-found] nowhere/tenon.lock"),
            0U)
      << run.err;
  EXPECT_EQ(tenon({"lock", "--plugin-path", "nowhere"}).exit, 3);
  EXPECT_FALSE(fs::exists(world_.root() / "tenon.lock")) << "without all of the places";
  const json::object result = tenon_json({"lock", "--plugin-path", "nowhere"});
  EXPECT_EQ(result.at("written"), false);
  EXPECT_EQ(result.at("error").at("code"), "not-found");
}

TEST_F(PackageCommands, LockPrintsJson) {
  install({"colour-1.6.2", "lost-1.0.0"});
  const json::object result = tenon_json({"lock"});
  EXPECT_EQ(result.at("tenon").at("command"), "lock");
  EXPECT_EQ(result.at("file"), "tenon.lock");
  EXPECT_EQ(result.at("written"), true);
  EXPECT_EQ(result.at("error"), nullptr);
  ASSERT_EQ(result.at("packages").as_array().size(), 1U);
  EXPECT_EQ(result.at("packages").at(0).at("name"), "example.io/colour");
  EXPECT_EQ(result.at("left_out").at(0).at("code"), "missing-package");
}

// -- graph --------------------------------------------------------------------

TEST_F(PackageCommands, GraphPrintsDot) {
  install({"colour-1.4.0", "colour-1.6.2", "colour-2.1.0", "blur-1.2.0", "lost-1.0.0"});
  const Outcome run = tenon({"graph"});
  EXPECT_EQ(run.exit, 1) << "there is a conflict";
  EXPECT_EQ(run.err.find("tenon: error[missing-package] me.example/lost 1.0.0"), 0U) << run.err;
  EXPECT_EQ(run.out, R"(digraph packages {
  rankdir=LR;
  node [shape=box];
  n0 [label="example.io/colour\n2.1.0"];
  n1 [label="example.io/colour\n1.6.2"];
  n2 [label="example.io/colour\n1.4.0", style=dashed, color=gray, fontcolor=gray];
  n3 [label="me.example/blur\n1.2.0"];
  n4 [label="me.example/lost\n1.0.0\nmissing-package", color=red, fontcolor=red];
  n5 [label="example.io/nobody\n^2", shape=plaintext, fontcolor=red];
  n3 -> n1 [label="^1.4"];
  n4 -> n5 [label="^2", color=red, fontcolor=red];
  label="gray: not used; red: refused; red, without a package: missing";
  labeljust=l;
}
)");
}

TEST_F(PackageCommands, GraphPrintsMermaid) {
  install({"colour-1.4.0", "colour-2.1.0", "sharpen-0.9.0", "lost-1.0.0"});
  const Outcome run = tenon({"graph", "--format", "mermaid"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.out, R"(flowchart LR
  n0["example.io/colour<br>2.1.0"]
  n1["example.io/colour<br>1.4.0"]
  n2["me.example/lost<br>1.0.0<br>missing-package"]
  n3["me.example/sharpen<br>0.9.0"]
  n4["example.io/nobody<br>^2"]
  n2 -->|"^2"| n4
  n3 -->|"#62;=1.4, #60;3"| n0
  classDef unused stroke:gray,color:gray,stroke-dasharray:4
  class n1 unused
  classDef conflict stroke:red,color:red
  class n2,n4 conflict
  legend["gray: not used#59; red: refused#59; red, without a package: missing"]
  style legend fill:none,stroke:none
  linkStyle 0 stroke:red,color:red
)");
}

TEST_F(PackageCommands, GraphDrawsModulesThatDifferFromTheLockAsRefused) {
  install({"colour-1.6.2", "blur-1.2.0"});
  ASSERT_EQ(tenon({"lock"}).exit, 0);
  const std::vector<std::string> graph = {"graph", "--lock", "tenon.lock"};
  EXPECT_EQ(tenon(graph).out.find("red"), std::string::npos) << "no legend if all are used";
  append_a_byte("colour-1.6.2");
  EXPECT_NE(tenon(graph).out.find("colour\\n1.6.2\\nlock-differs\", color=red, fontcolor=red];\n"),
            std::string::npos);
  const json::object result = tenon_json(graph);
  EXPECT_EQ(result.at("packages").at(0).at("refused").at("code"), "lock-differs");
  EXPECT_EQ(result.at("errors").as_array().size(), 1U) << "reported once";
}

TEST_F(PackageCommands, GraphDrawsFilesThatCannotBeReadAsRefused) {
  install({"colour-1.6.2", "broken-1.0.0"});
  const std::string whole = world_.read("plugins/colour-1.6.2.so");
  world_.write("plugins/cut.so", whole.substr(0, whole.size() / 2));
  world_.write("plugins/text.so", "no module");
  const Outcome run = tenon({"graph"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(normal(run.out), R"(digraph packages {
  rankdir=LR;
  node [shape=box];
  n0 [label="example.io/colour\n1.6.2"];
  n1 [label="ROOT/plugins/broken-1.0.0.so\nbroken-manifest", color=red, fontcolor=red];
  n2 [label="ROOT/plugins/cut.so\ntruncated-file", color=red, fontcolor=red];
  n3 [label="ROOT/plugins/text.so\nnot-a-module", color=red, fontcolor=red];
  label="red: refused";
  labeljust=l;
}
)");
  EXPECT_NE(tenon({"graph", "--format", "mermaid"}).out.find("text.so<br>not-a-module\"]\n"),
            std::string::npos);
  EXPECT_EQ(tenon_json({"graph"}).at("errors").as_array().size(), 3U) << "each once";
}

TEST_F(PackageCommands, GraphMarksDevelopmentAndBuiltinPackages) {
  fs::copy_file(module_file(MODULES "/colour-1.6.2.so"),
                world_.path("plugins/colour/dev/libcolour.so"));
  EXPECT_NE(tenon({"graph"}).out.find("colour\\n0.0.0 (in development)\"]"), std::string::npos);
  const Outcome own = world_.run_portably({TENON, "graph"});
  EXPECT_EQ(own.exit, 0) << own.err;
  EXPECT_NE(own.out.find(" (builtin)\"]"), std::string::npos) << own.out;
}

// A script replaces Graphviz, which may not be installed.
TEST_F(PackageCommands, GraphRunsGraphvizForSvg) {
  install({"colour-1.4.0", "colour-1.6.2", "lost-1.0.0"});
  const Outcome run = tenon({"graph", "--format", "svg"});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_NE(run.out.find("<svg "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(">1.6.2</text>"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("stroke=\"red\""), std::string::npos) << run.out;

  const fs::path dot = world_.write("bin/dot", "#!/bin/sh\necho broken >&2\nexit 4\n");
  fs::permissions(dot, fs::perms::owner_all);
  world_.set("PATH", (world_.root() / "bin").string() + ":/usr/bin:/bin");
  const Outcome failed = tenon({"graph", "--format", "svg"});
  EXPECT_EQ(failed.exit, 3);
  EXPECT_EQ(failed.err.find("broken\ntenon graph: dot failed, see its messages above\n"), 0U)
      << failed.err;
}

TEST_F(PackageCommands, GraphReportsMissingGraphviz) {
  install({"colour-1.6.2"});
  world_.set("PATH", (world_.root() / "bin").string());
  const Outcome run = tenon({"graph", "--format", "svg"});
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err.find("tenon graph: cannot run dot: No such file or directory\n"), 0U)
      << run.err;
  EXPECT_NE(run.err.find("--format dot or mermaid"), std::string::npos) << run.err;
}

TEST_F(PackageCommands, GraphPrintsJson) {
  install({"colour-1.4.0", "colour-1.6.2", "lost-1.0.0"});
  const json::object result = tenon_json({"graph"});
  EXPECT_EQ(result.at("tenon").at("command"), "graph");
  ASSERT_EQ(result.at("packages").as_array().size(), 3U);
  EXPECT_EQ(result.at("packages").at(0).at("version"), "1.6.2");
  EXPECT_EQ(result.at("packages").at(1).at("used"), false);
  const json::value& lost = result.at("packages").at(2);
  EXPECT_EQ(lost.at("refused").at("code"), "missing-package");
  EXPECT_EQ(lost.at("requirements").at(0).at("gets"), nullptr);
  EXPECT_EQ(lost.at("requirements").at(0).at("met"), false);
  ASSERT_EQ(result.at("errors").as_array().size(), 1U);
  EXPECT_EQ(result.at("errors").at(0).at("code"), "missing-package");
}

TEST_F(PackageCommands, GraphPrintsTheReasonOfItsExitStatusAsJson) {
  EXPECT_EQ(tenon_json({"graph"}).at("errors"), json::array());
  install({"broken-1.0.0"});
  const json::object broken = tenon_json({"graph"});
  ASSERT_EQ(broken.at("errors").as_array().size(), 1U);
  EXPECT_EQ(broken.at("errors").at(0).at("code"), "broken-manifest");
  const json::object missing =
      tenon_json({"graph", "--plugin-path", "nowhere", "--lock", "none.lock"});
  ASSERT_EQ(missing.at("errors").as_array().size(), 3U) << missing.at("errors");
  EXPECT_EQ(missing.at("errors").at(0).at("where"), "none.lock");
  EXPECT_EQ(missing.at("errors").at(1).at("where"), "nowhere");
  EXPECT_EQ(missing.at("errors").at(2).at("code"), "broken-manifest");
}

TEST_F(PackageCommands, GraphRefusesJsonWithAFormat) {
  const Outcome run = tenon({"graph", "--json", "--format", "svg"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "tenon graph: --json excludes --format\nSee tenon graph --help.\n");
}

TEST_F(PackageCommands, GraphRefusesUnknownFormats) {
  for (const std::string format : {"png", "0", " "}) {
    const Outcome run = tenon({"graph", "--format", format});
    EXPECT_EQ(run.exit, 2) << run.out;
    EXPECT_EQ(run.err, "tenon graph: --format: found \"" + format +
                           "\", needed dot, svg or mermaid\nSee tenon graph --help.\n");
  }
}

}}  // namespace tenon::tests
