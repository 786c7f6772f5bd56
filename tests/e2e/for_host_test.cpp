// SPDX-License-Identifier: BSL-1.0
//
// `tenon inspect --for-host`. TENON is the command, BUILDS the directory of builds with a source
// and two filters of photo.example. Code of them would end the process.
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "framework/path_texts.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

std::string filter(int version) {
  return R"({ "kind": "photo.example/filter", "version": )" + std::to_string(version) +
         R"(, "doc": "Changes an image.", "life": { "released": { "version": "1.0.0", )" +
         R"("date": "2026-11-21" } }, "methods": [ { "name": "apply", "doc": "Filters.", )" +
         R"("threading": "serial" } ] })";
}

class ForHost : public testing::Test {
 protected:
  ForHost() {
    world_.write("1.0/app.json", R"({ "app": "photo" })");
    world_.write("1.0/specs/filter/v1.json", filter(1));
    world_.write("2.0/app.json", R"({ "app": "photo", "standard": ["source@1"] })");
    world_.write("2.0/specs/filter/v1.json", filter(1));
    world_.write("3.0/app.json", R"({ "app": "photo", "standard": ["source@2"] })");
    for (const char* name : {"first", "source"}) {
      const std::string file = module_file(name + std::string(".so"));
      fs::copy_file(fs::path(BUILDS) / file, world_.path(file));
    }
  }

  Outcome inspect(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {TENON, "inspect", "--for-host"});
    return world_.run_portably(arguments);
  }

  World world_{"photo"};
};

TEST_F(ForHost, SaysInWhichHostsAModuleLoads) {
  const Outcome run = inspect({"1.0", "2.0", "3.0/app.json", "source.so"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out,
            "1.0           does not load: unknown-kind: me.example/clock (tenon.dev/source "
            "version 1); needed: a kind that this program defines\n"
            "2.0           loads\n"
            "3.0/app.json  loads\n");
}

TEST_F(ForHost, FailsIfNoHostLoadsTheModule) {
  const Outcome run = inspect({"1.0", "source.so"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.out.find("1.0  does not load: unknown-kind: "), 0U) << run.out;
}

TEST_F(ForHost, NamesPluginsThatAHostCannotUse) {
  world_.write("3.0/specs/filter/v1.json", filter(1));
  const Outcome run = inspect({"2.0", "3.0", "first.so"});
  // The spec of the filters is another one than that of the module.
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out.find("2.0  loads, with 1 of 3 plugins: kind-differs: me.example/blur "
                         "(photo.example/filter version 1), compiled from another spec of that "
                         "version; needed: "),
            0U)
      << run.out;
  EXPECT_NE(run.out.find("\n3.0  loads, with 1 of 3 plugins: kind-differs: "), std::string::npos)
      << run.out;
}

TEST_F(ForHost, IgnoresInstalledPackages) {
  // Another file of this version in the plugin path is a problem for a host, not of the file.
  world_.set("PHOTO_PLUGIN_PATH", world_.plugins().string());
  world_.place(BUILDS "/source.so");
  EXPECT_EQ(inspect({"2.0", "source.so"}).out, "2.0  loads\n");
}

TEST_F(ForHost, PrintsJson) {
  const Outcome run = inspect({"1.0", "2.0", "--json", "source.so"});
  EXPECT_EQ(run.exit, 0) << run.err;
  const json::value output = json::parse(run.out);
  EXPECT_EQ(output.at("subject"), "source.so");
  const json::array& hosts = output.at("hosts").as_array();
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[0].at("description"), "1.0");
  EXPECT_EQ(hosts[0].at("loads"), false);
  EXPECT_EQ(hosts[0].at("plugins").as_array()[0].at("fits"), "unknown kind");
  EXPECT_EQ(hosts[0].at("warnings").as_array()[0].at("code"), "unknown-kind");
  EXPECT_EQ(hosts[1].at("loads"), true);
  EXPECT_TRUE(hosts[1].at("errors").as_array().empty());
}

/// Shells complete files last, and options may follow them.
TEST_F(ForHost, TakesTheModuleBeforeOrAfterTheDescriptions) {
  const std::vector<std::string> lines[] = {
      {"inspect", "source.so", "--for-host", "2.0", "3.0"},
      {"inspect", "--for-host", "2.0", "3.0", "source.so"},
      {"inspect", "--for-host", "2.0", "--for-host", "3.0", "source.so"},
      {"inspect", "--for-host", "2.0", "3.0", "--", "source.so"}};
  for (std::vector<std::string> line : lines) {
    line.insert(line.begin(), TENON);
    const Outcome run = world_.run_portably(line);
    EXPECT_EQ(run.out, "2.0  loads\n3.0  loads\n") << run.err;
  }
  EXPECT_EQ(json::parse(inspect({"2.0", "source.so", "--json"}).out).at("subject"), "source.so");
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{TENON, "inspect"}, {TENON, "inspect", "--for-host", "2.0"}}) {
    const Outcome run = world_.run_portably(line);
    EXPECT_EQ(run.exit, 2);
    EXPECT_EQ(run.err, "tenon inspect: FILE|REF is required\nSee tenon inspect --help.\n");
  }
}

TEST_F(ForHost, ReportsFilesThatAreNoModules) {
  world_.write("text.so", "no module");
  const Outcome text = inspect({"1.0", "2.0", "text.so"});
  EXPECT_EQ(text.exit, 1);
  EXPECT_EQ(text.out, "");
  EXPECT_EQ(text.err.find("tenon: error[not-a-module] text.so\n"), 0U) << text.err;
  const Outcome none = inspect({"1.0", "none.so"});
  EXPECT_EQ(none.exit, 3);
  EXPECT_EQ(none.err.find("tenon: error[not-found] none.so\n"), 0U) << none.err;
}

TEST_F(ForHost, ReportsDescriptionsThatCannotBeUsed) {
  const Outcome none = inspect({"1.0", "4.0", "source.so"});
  EXPECT_EQ(none.exit, 3);
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.err, "tenon: " + unreadable_text("4.0/app.json",
                                                  "reading the file: No such file or directory"));
  world_.write("3.0/app.json", R"({ "app": "photo", "standard": ["source@9"] })");
  const Outcome newer = inspect({"3.0", "source.so"});
  EXPECT_EQ(newer.exit, 1);
  EXPECT_EQ(newer.err,
            "tenon: the app uses tenon.dev/source version 9, which this command does not have: "
            "install a newer tenon\n");
  EXPECT_EQ(inspect({"1.0", "-a", "photo", "source.so"}).exit, 2);
}

}}  // namespace tenon::tests
