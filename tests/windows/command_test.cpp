// SPDX-License-Identifier: BSL-1.0
//
// The command `tenon` on Windows. TENON is the program, MODULES the directory of modules of
// standard kinds, FAULTS that of modules with faults, SPECS that of their specs, CALLED the module
// that reports what its process has, ANSWERER a program that takes the place of Graphviz.
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

class WindowsCommand : public testing::Test {
 protected:
  WindowsCommand() { world_.place(MODULES "/colour-1.4.0.so"); }  // which rich.dll requires

  Outcome tenon(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), TENON);
    return world_.run(arguments);
  }
  json::value tenon_json(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const Outcome run = tenon(std::move(arguments));
    boost::system::error_code failed;
    json::value value = json::parse(run.out, failed);
    EXPECT_FALSE(failed) << run.out << run.err;
    return value;
  }
  static void expect_part(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }

  World world_{"tenon"};
};

TEST_F(WindowsCommand, InspectJudgesADllAsAHostWould) {
  world_.place(MODULES "/rich.so", "clocks.dll");
  const json::value report = tenon_json({"inspect", "plugins/clocks.dll"});
  EXPECT_EQ(report.at("would_load"), true) << report;
  EXPECT_EQ(report.at("file").at("format"), "PE");
  EXPECT_TRUE(report.at("file").at("owner").is_null()) << report;
  const auto& libraries = report.at("libraries").as_array();
  EXPECT_TRUE(std::ranges::all_of(libraries, [](const json::value& library) {
    return library.at("path").is_string();
  })) << libraries;
  EXPECT_EQ(report.at("plugins").at(0).at("fits"), "adapted") << report.at("plugins");
  const Outcome listed = tenon({"list"});
  EXPECT_EQ(listed.exit, 0) << listed.err;
  expect_part(listed.out, "me.example/clock ");
  expect_part(listed.out, "tenon.dev/sqlite ");

  world_.place(MODULES "/too-new.so", "too-new.dll");
  world_.write("plugins/cut.dll", world_.read("plugins/clocks.dll").substr(0, 5000));
  EXPECT_EQ(tenon({"list"}).exit, 1);
  for (const auto& [file, code] :
       {std::pair("too-new.dll", "kind-too-new"), std::pair("cut.dll", "truncated-file")}) {
    const Outcome run = tenon({"inspect", std::string("plugins/") + file});
    EXPECT_EQ(run.exit, 1) << run.out;
    expect_part(run.out, std::string("error[") + code + "] ");
  }
}

TEST_F(WindowsCommand, InspectFindsFaultsOfModules) {
  const std::string specs = fs::absolute(SPECS "/echo").string();
  for (const char* name : {"good", "missing-method", "wrong-magic", "abi-too-new", "size-too-small",
                           "broken-manifest", "two-manifests", "no-manifest", "kind-differs"}) {
    // The directory of the build may be one that others may change.
    const std::string file = std::string(name) + ".dll";
    world_.place(FAULTS "/" + file, file);
    const Outcome run = tenon({"inspect", "--specs", specs, "plugins/" + file});
    EXPECT_EQ(run.exit, name == std::string("good") ? 0 : 1) << name << "\n" << run.out << run.err;
  }
}

TEST_F(WindowsCommand, ArgumentsAndFilesHaveNamesInUtf8) {
  const std::string name = "\u043c\u043e\u0434\u0443\u043b\u044c-\u00e9\u6f22\U0001f600";
  const fs::path directory = world_.root() / fs::path(std::u8string(name.begin(), name.end()));
  fs::create_directories(directory);
  fs::copy_file(fs::path(MODULES) / "rich.dll", directory / "clocks.dll");

  const Outcome run = tenon({"inspect", name + "/clocks.dll"});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  const json::value listed = tenon_json({"list", "--why", "--plugin-path", name});
  const auto& files = listed.at("files").as_array();
  EXPECT_TRUE(std::ranges::any_of(files, [&](const json::value& file) {
    return file.at("path").as_string() == name + "\\clocks.dll";
  })) << listed.at("files");
  const std::string lock = name + "/lock";
  EXPECT_EQ(tenon({"lock", "--plugin-path", name, "-o", lock}).exit, 0);
  EXPECT_EQ(tenon({"resolve", "--plugin-path", name, "--lock", lock, "me.example/clock"}).exit, 0);
  EXPECT_EQ(tenon({"convert", lock}).exit, 0);
  const Outcome none = tenon({"inspect", name + ".dll"});
  EXPECT_EQ(none.exit, 3);
  expect_part(none.out, "error[not-found] " + name + ".dll\n");
}

TEST_F(WindowsCommand, LockStoresSlashes) {
  ASSERT_EQ(tenon({"lock"}).exit, 0);
  const json::value lock = json::parse(world_.read("tenon.lock"));
  EXPECT_EQ(lock.at("value").at("packages").at(0).at("source"), "plugins/colour-1.4.0.dll") << lock;
}

TEST_F(WindowsCommand, OutputHasNoCarriageReturns) {
  for (const std::string command : {"list", "types", "explain", "graph"}) {
    const Outcome run = tenon({command});
    EXPECT_EQ(run.exit, 0) << command << run.err;
    EXPECT_EQ(run.out.find('\r'), std::string::npos) << command;
    EXPECT_NE(run.out.find('\n'), std::string::npos) << command;
  }
}

TEST_F(WindowsCommand, HasNoCommandsThatNeedAnotherSystem) {
  for (const std::string command : {"ps", "top", "trace"}) {
    const Outcome run = tenon({command});
    EXPECT_EQ(run.exit, 2) << command;
    expect_part(run.err, "tenon: unknown command " + command + "\n");
  }
}

TEST_F(WindowsCommand, GraphRunsGraphvizForSvg) {
  world_.write("dot.exe", "a program in the working directory");
  const Outcome missing = tenon({"graph", "--format", "svg"});
  EXPECT_EQ(missing.exit, 3);
  EXPECT_EQ(missing.out, "");
  expect_part(missing.err, "tenon graph: cannot run dot: ");
  expect_part(missing.err, "--format dot or mermaid");

  const fs::path directory = world_.path("graphviz/dot.exe").parent_path();
  fs::copy_file(ANSWERER, directory / "dot.exe");
  world_.set("PATH", directory.string());
  const Outcome run = tenon({"graph", "--format", "svg"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out.find("<svg -Tsvg digraph"), 0U) << run.out;

  world_.set("FAULT", "exit");
  const Outcome failed = tenon({"graph", "--format", "svg"});
  EXPECT_EQ(failed.exit, 3);
  expect_part(failed.err, "broken");
  expect_part(failed.err, "tenon graph: dot failed, see its messages above\n");
}

// -- tenon call -------------------------------------------------------------------

class WindowsCall : public WindowsCommand {
 protected:
  Outcome say(const std::string& text) const {
    return tenon({"call", fs::absolute(CALLED).string(), "say", R"({"text": ")" + text + "\"}",
                  "--specs", fs::absolute(SPECS "/echo").string()});
  }
  void expect_reply(const std::string& text, const std::string& reply) const {
    const Outcome run = say(text);
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(run.out, R"({"text":")" + reply + "\"}\n");
  }
};

TEST_F(WindowsCall, KeepsVariablesThatMayHoldSecretsFromThePlugin) {
  world_.set("SECRET", "hunter2");
  world_.set("TZ", "UTC");
  expect_reply("SECRET", "not set");
  expect_reply("TENON_CASE", "not set");
  expect_reply("TZ", "UTC");
}

TEST_F(WindowsCall, RunsThePluginInAnEmptyDirectory) {
  expect_reply("files", "none");
}

// Otherwise the command would wait for the end of its output.
TEST_F(WindowsCall, EndsProcessesThatThePluginLeavesBehind) {
  expect_reply("leave a process", "left");
}

}}  // namespace tenon::tests
