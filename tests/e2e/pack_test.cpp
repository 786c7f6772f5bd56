// SPDX-License-Identifier: BSL-1.0
//
// `tenon pack`. TENON is the command, TENON_WITH_POINTS the same with the points of
// base/test_point.hpp, BUILDS the directory of builds of one package, MODULES that
// of other modules. Code of them would end the process.
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

class Pack : public testing::Test {
 protected:
  Outcome pack(std::vector<std::string> names) const {
    for (std::string& name : names) {
      if (name.find('/') == std::string::npos && name != "--json") name = build(name);
    }
    const bool escaped = names.back() == "--json";
    names.insert(names.begin(), {TENON, "pack", "-o", "packages"});
    return world_.run_portably(names, escaped);
  }
  static std::string build(const std::string& name) { return BUILDS "/" + name + ".so"; }

  /// Returns the files in the directory of packages as on POSIX, sorted.
  std::vector<std::string> files() const {
    std::vector<std::string> files;
    const fs::path packages = world_.root() / "packages";
    if (!fs::exists(packages)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(packages)) {
      if (entry.is_directory()) continue;
      fs::path file = entry.path().lexically_relative(packages);
      if (file.extension() == module_file(".so")) file.replace_extension(".so");
      files.push_back(file.generic_string());
    }
    std::ranges::sort(files);
    return files;
  }

  World world_{"tenon"};
};

using Files = std::vector<std::string>;

constexpr const char* first = "me.example/clocks/1.2.0/clocks.so";
constexpr const char* raised = "me.example/clocks/1.2.1/clocks.so";

TEST_F(Pack, LaysBuildsOutForHosts) {
  const Outcome run = pack({"raised", "first", MODULES "/colour-1.6.2.so"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.err, "");
  const std::string colour = "example.io/colour/1.6.2/colour.so";
  EXPECT_EQ(run.out, "packages/" + colour + "\npackages/" + first + "\npackages/" + raised + "\n");
  EXPECT_EQ(files(), (Files{colour, first, raised}));
  EXPECT_EQ(world_.read(std::string("packages/") + first), read_file(module_file(build("first"))));
  const Outcome listed =
      world_.run_portably({TENON, "list", "--plugin-path", "packages", "--json"}, true);
  for (const char* package : {"example.io/colour 1.6.2", "me.example/clocks 1.2.1"}) {
    const auto is_packed = [&](const json::value& plugin) {
      return std::string(plugin.at("package").as_string()) + " " +
                 std::string(plugin.at("package_version").as_string()) ==
             package;
    };
    EXPECT_TRUE(std::ranges::any_of(json::parse(listed.out).at("plugins").as_array(), is_packed))
        << package << listed.out << listed.err;
  }
}

// -- Other processes between two steps ----------------------------------------

class InterleavedPack : public Pack {
 protected:
  /// Packs the first build while an actor runs at a point.
  Outcome pack_while(const std::string& point, const std::string& actor) {
    world_.set("TENON_POINT", point);
    world_.set("TENON_ACTOR", actor);
    return world_.run({TENON_WITH_POINTS, "pack", "-o", "packages", build("first")});
  }
  static std::string command(const std::string& words) { return TENON " " + words; }
};

TEST_F(InterleavedPack, OneOfTwoCommandsPacksAVersion) {
  const std::string second =
      command("pack -o packages ") + build("first") + " > second 2>&1; echo $? > exit";
  for (const std::string point : {"pack: checked", "pack: created", "pack: copied"}) {
    SCOPED_TRACE(point);
    fs::remove_all(world_.root() / "packages");
    const Outcome run = pack_while(point, second);
    const bool second_was_first = point == "pack: checked";
    EXPECT_EQ(run.exit, second_was_first ? 1 : 0) << run.err;
    EXPECT_EQ(world_.read("exit"), second_was_first ? "0\n" : "1\n");
    const std::string refused = second_was_first ? run.err : world_.read("second");
    EXPECT_NE(refused.find("error[already-exists] packages/me.example/clocks/1.2.0"),
              std::string::npos)
        << refused;
    EXPECT_EQ(files(), Files{first});
    EXPECT_EQ(world_.read(std::string("packages/") + first),
              read_file(module_file(build("first"))));
  }
}

TEST_F(InterleavedPack, HostsSeeNoPartOfAPackage) {
  for (const char* point : {"pack: created", "pack: copied"}) {
    fs::remove_all(world_.root() / "packages");
    EXPECT_EQ(pack_while(point, command("list --plugin-path packages --json > listed")).exit, 0);
    const json::value listed = json::parse(world_.read("listed"));
    const auto is_packed = [](const json::value& plugin) {
      return plugin.at("package") == "me.example/clocks";
    };
    EXPECT_TRUE(std::ranges::none_of(listed.at("plugins").as_array(), is_packed)) << point;
  }
}

TEST_F(InterleavedPack, ADirectoryThatIsRemovedMeanwhileIsReported) {
  for (const char* point : {"pack: created", "pack: copied"}) {
    const Outcome run = pack_while(point, "rm -r packages/me.example/clocks/1.2.0");
    EXPECT_NE(run.exit, 0) << point;
    EXPECT_EQ(run.out, "") << point;
    EXPECT_NE(run.err, "") << point;
    EXPECT_EQ(files(), Files());
    EXPECT_EQ(pack({"first"}).exit, 0) << point;
    fs::remove_all(world_.root() / "packages");
  }
}

TEST_F(Pack, RefusesVersionsThatWereNotRaisedEnough) {
  ASSERT_EQ(pack({"first"}).exit, 0);
  const Outcome run = pack({"plugin-added"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "tenon: error[version-too-low] " + build("plugin-added") +
                         "\n   found   me.example/clocks 1.2.1\n   needed  1.3.0 or higher\n"
                         "   fix     raise the version of the package\n");
  EXPECT_EQ(files(), Files{first});
  EXPECT_EQ(pack({"plugin-added-1.3.0"}).exit, 0);
}

TEST_F(Pack, ComparesWithTheNextLowerVersion) {
  ASSERT_EQ(pack({"first", "kind-removed-2.0.0"}).exit, 0);
  EXPECT_EQ(pack({"raised"}).exit, 0) << "1.2.1 follows 1.2.0, not 2.0.0";
  EXPECT_EQ(pack({"older-version"}).exit, 0) << "no version is lower than 1.1.9";
}

TEST_F(Pack, ComparesBuildsOfOneRun) {
  const Outcome run = pack({"plugin-added", "first"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.err.find("tenon: error[version-too-low] " + build("plugin-added") + "\n"), 0U)
      << run.err;
  EXPECT_EQ(files(), Files{}) << "nothing is packed if one build is refused";
  EXPECT_EQ(pack({"plugin-added-1.3.0", "first"}).exit, 0);
}

TEST_F(Pack, NeverReplacesABuild) {
  ASSERT_EQ(pack({"first"}).exit, 0);
  const Outcome again = pack({"rebuilt"});
  EXPECT_EQ(again.exit, 1);
  EXPECT_EQ(again.err.find("tenon: error[already-exists] packages/me.example/clocks/1.2.0\n"
                           "   found   a build of this version\n"),
            0U)
      << again.err;
  EXPECT_EQ(world_.read(std::string("packages/") + first), read_file(module_file(build("first"))));
  const Outcome twice = pack({"raised", "text"});
  EXPECT_EQ(twice.exit, 1);
  EXPECT_NE(twice.err.find("\n   found   "), std::string::npos) << twice.err;
  EXPECT_NE(twice.err.find(", both of this version\n"), std::string::npos) << twice.err;
  EXPECT_EQ(files(), Files{first});
  world_.write("packages/me.example/clocks/1.2.1/README", "mine");
  const Outcome other = pack({"raised"});
  EXPECT_EQ(other.exit, 1);
  EXPECT_NE(other.err.find("\n   found   a directory without a build of this version\n"),
            std::string::npos)
      << other.err;
  EXPECT_EQ(world_.read("packages/me.example/clocks/1.2.1/README"), "mine");
}

TEST_F(Pack, BringsTheLibrariesBesideTheModule) {
  const std::string library = fs::path(LIBRARY).filename().string();
  fs::copy_file(LIBRARY, world_.path("build/" + library));
  fs::copy_file(build("with-library"), world_.path("build/clocks.so"));
  world_.write("build/libother.so", "not needed");
  const Outcome run = pack({"build/clocks.so"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(files(), (Files{raised, "me.example/clocks/1.2.1/" + library}));
}

/// The run path of this build names the directory above, too.
TEST_F(Pack, RefusesModulesWhoseLibrariesWouldBeLost) {
  const std::string library = fs::path(LIBRARY).filename().string();
  fs::copy_file(LIBRARY, world_.path("build/" + library));
  fs::copy_file(build("with-library"), world_.path("build/modules/clocks.so"));
  const Outcome run = pack({"build/modules/clocks.so"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(
      run.err.find("tenon: error[load-failed] build/modules/clocks.so\n   found   the library "),
      0U)
      << run.err;
  EXPECT_NE(run.err.find(library), std::string::npos) << run.err;
  EXPECT_EQ(files(), Files{});
}

TEST_F(Pack, LeavesNothingIfWritingFails) {
  ASSERT_EQ(pack({"first"}).exit, 0);
  const Outcome run = world_.run(
      {"sh", "-c",
       "ulimit -f 1; trap '' XFSZ; exec " TENON " pack -o packages '" + build("raised") + "'"});
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.err.find("tenon: error[cannot-write] packages/me.example/clocks/1.2.1\n"), 0U)
      << run.err;
  EXPECT_EQ(files(), Files{first});
  EXPECT_FALSE(fs::exists(world_.root() / "packages/me.example/clocks/1.2.1"));
}

TEST_F(Pack, RefusesFilesThatAreNoModules) {
  world_.write("text.so", "no module");
  const Outcome run = pack({"first", "./text.so"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.err.find("tenon: error[not-a-module] ./text.so\n"), 0U) << run.err;
  EXPECT_EQ(files(), Files{});
  const Outcome none = pack({"./none.so"});
  EXPECT_EQ(none.exit, 3);
  EXPECT_EQ(none.err.find("tenon: error[not-found] ./none.so\n"), 0U) << none.err;
}

TEST_F(Pack, RefusesNamesThatHostsTakeForVersions) {
  for (const char* name : {"named-dots", "named-dev", "named-version"}) {
    const Outcome run = pack({name});
    EXPECT_EQ(run.exit, 1) << name;
    EXPECT_EQ(run.err.find("tenon: error[bad-name] " + build(name) + "\n"), 0U) << run.err;
  }
  EXPECT_EQ(files(), Files{});
}

TEST_F(Pack, ReportsWhatCannotBeWritten) {
  world_.write("packages", "a file");
  const Outcome run = pack({"first"});
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.err.find("tenon: error[cannot-write] packages/me.example/clocks/1.2.0\n"), 0U)
      << run.err;
  EXPECT_EQ(world_.read("packages"), "a file");
}

TEST_F(Pack, PrintsJson) {
  const Outcome run = pack({"first", "--json"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(json::serialize(json::parse(run.out).at("packed")),
            R"([{"name":"me.example/clocks","version":"1.2.0",)"
            R"("file":"packages/me.example/clocks/1.2.0/clocks.so"}])");
  const Outcome again = pack({"first", "--json"});
  EXPECT_EQ(again.exit, 1);
  EXPECT_EQ(json::parse(again.out).at("errors").as_array()[0].at("code"), "already-exists");
}

}}  // namespace tenon::tests
