// SPDX-License-Identifier: BSL-1.0
//
// Commands with `-a photo`: the app photo has its own kinds, document types and builtins, and its
// description is installed. TENON is the command, MODULES the directory of modules whose code ends
// the process, HOST a program that exports a function, STANDARD the directory of the standard
// types, README the file that shows the output.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "framework/path_texts.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

std::string filter(int version) {
  return R"({ "kind": "photo.example/filter", "version": )" + std::to_string(version) +
         R"(, "doc": "Changes an image.", "life": { "released": { "version": "1.0.0", )" +
         R"("date": "2026-11-21" } }, "methods": [ { "name": "apply", "doc": "Filters.", )" +
         R"("threading": "serial", "request": { "pixels": "buffer" } } ] })";
}

constexpr const char* filter_steps = R"({ "kind": "photo.example/filter", "steps": [
  { "from": 1, "to": 2, "notes": "The same." }, { "from": 2, "to": 3, "notes": "The same." } ] })";

constexpr const char* look_1 = R"({ "type": "photo.example/look", "version": 1, "doc": "A choice.",
  "life": { "released": { "version": "1.0.0", "date": "2026-11-21" } },
  "fields": { "title": "string", "strength": "int32" } })";
constexpr const char* look_2 = R"({ "type": "photo.example/look", "version": 2, "doc": "A choice.",
  "life": { "released": { "version": "2.0.0", "date": "2026-11-22" } },
  "fields": { "name": "string", "strength": "int32", "place": "place@1" } })";
constexpr const char* look_steps = R"({ "type": "photo.example/look", "steps": [
  { "from": 1, "to": 2, "notes": "A place.", "fields": { "name": { "renamed_from": "title" },
    "place": { "added": true } } } ] })";
constexpr const char* place = R"({ "type": "photo.example/place", "version": 1, "doc": "A place.",
  "life": { "released": { "version": "1.0.0", "date": "2026-11-21" } },
  "fields": { "east": "float64" } })";

constexpr const char* builtins = R"([
{"manifest": 1, "abi": "1.0", "name": "me.example/kit", "version": "2.0.0", "provides": [
  {"kind": "photo.example/filter", "version": 3, "spec": "0123456789abcdef",
   "name": "me.example/blacken"}]}
])";

class AppCommands : public testing::Test {
 protected:
  AppCommands() {
    describe(R"({ "app": "photo" })");
    for (int version = 1; version <= 3; ++version) {
      specs("filter/v" + std::to_string(version) + ".json", filter(version));
    }
    specs("filter/evolution.json", filter_steps);
  }

  void describe(std::string_view description) const { data("app.json", description); }
  void data(const std::string& file, std::string_view content) const {
    world_.write("home/.local/share/photo/tenon/" + file, content);
  }
  void specs(const std::string& file, std::string_view content) const {
    data("specs/" + file, content);
  }
  Outcome tenon(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), TENON);
    arguments.insert(arguments.end(), {"-a", "photo"});
    return world_.run(arguments);
  }
  fs::path module(const std::string& name) const {
    fs::path path = world_.path(name + ".so");
    fs::copy_file(MODULES "/" + name + ".so", path);
    return path;
  }

  World world_{"photo"};
};

TEST_F(AppCommands, InspectUsesTheKindsOfTheApp) {
  module("sharpen");
  const Outcome run = tenon({"inspect", "sharpen.so"});
  EXPECT_EQ(run.exit, 1);
  const std::string& text = run.out;
  const std::string shown =
      text.substr(0, text.find('\n') + 1) + text.substr(std::min(text.find("error["), text.size()));
  EXPECT_EQ(
      shown,
      R"(me.example/sharpen 0.9.0                                        WOULD NOT LOAD: 1 error
error[kind-too-new] sharpen.so
   found   me.example/sharpen (photo.example/filter version 4)
   needed  version 1 to 3 of photo.example/filter
   fix     use a host that offers version 4, or rebuild the plugin for version 3
No plugin code was run.  Next: see the fix above
)");
  const std::string example = shown.substr(0, shown.find("No plugin code"));
  EXPECT_NE(read_file(README).find(example), std::string::npos) << "the README shows other output";
}

TEST_F(AppCommands, SpecsOptionReplacesTheKindsOfTheApp) {
  module("sharpen");
  world_.write("mine/filter/v1.json", filter(1));
  const Outcome run = tenon({"inspect", "sharpen.so", "--specs", "mine"});
  EXPECT_NE(run.out.find("needed  version 1 of photo.example/filter"), std::string::npos)
      << run.out << run.err;
}

TEST_F(AppCommands, DescriptionsAreFoundWhereTheVariablesSay) {
  module("sharpen");
  const auto knows_the_kinds = [this](std::vector<std::string> words) {
    words.insert(words.begin(), {TENON, "inspect", "sharpen.so"});
    return world_.run(words).out.find("needed  version 1 to 3 of photo") != std::string::npos;
  };
  const fs::path home = world_.root() / "home/.local/share/photo";
  const fs::path own = world_.path("own/photo/tenon").parent_path();
  const fs::path shared = world_.path("shared/photo/tenon").parent_path();
  EXPECT_TRUE(knows_the_kinds({"-a", "photo"}));
  fs::rename(home, own);
  EXPECT_FALSE(knows_the_kinds({"-a", "photo"}));
  world_.set("XDG_DATA_HOME", own.parent_path().string());
  EXPECT_TRUE(knows_the_kinds({"-a", "photo"}));
  world_.set("XDG_DATA_HOME", "own");
  EXPECT_FALSE(knows_the_kinds({"-a", "photo"})) << "a relative path counts as absent";
  fs::rename(own, shared);
  world_.set("XDG_DATA_DIRS", "own:/nowhere:" + shared.parent_path().string());
  EXPECT_TRUE(knows_the_kinds({"-a", "photo"}));
  world_.set("XDG_DATA_DIRS", "");
  EXPECT_TRUE(knows_the_kinds({"--description", (shared / "tenon").string()}));
}

TEST_F(AppCommands, DescriptionOptionNamesTheApp) {
  const std::string directory = world_.path("build/tenon/app.json").parent_path().string();
  fs::rename(world_.root() / "home/.local/share/photo/tenon/app.json", directory + "/app.json");
  world_.set("PHOTO_PLUGIN_PATH", "photos");
  const Outcome run = world_.run({TENON, "list", "--why", "--description", directory});
  EXPECT_NE(run.out.find("photos "), std::string::npos) << run.out << run.err;
  EXPECT_EQ(world_.run({TENON, "list", "-a", "photo", "--description", directory}).exit, 2);
  const Outcome missing = world_.run({TENON, "types", "--description", "nowhere"});
  EXPECT_EQ(missing.exit, 3);
  EXPECT_EQ(missing.err,
            "tenon: " +
                unreadable_text("nowhere/app.json", "reading the file: No such file or directory"));
}

TEST_F(AppCommands, InspectSuggestsPropertiesOfTheApp) {
  module("misspelt-filter");
  specs("filter/v1.json", R"({ "kind": "photo.example/filter", "version": 1, "doc": "Changes.",
    "properties": { "menu": "string" }, "methods": [ { "name": "apply", "doc": "Filters.",
      "threading": "serial" } ] })");
  for (const char* later : {"v2.json", "v3.json", "evolution.json"}) {
    fs::remove(world_.root() / "home/.local/share/photo/tenon/specs/filter" / later);
  }
  const Outcome run = tenon({"inspect", "misspelt-filter.so"});
  EXPECT_NE(
      run.out.find("warning[misspelled-key] misspelt-filter.so\n"
                   "   found   \"manu\"  (manifest: details[0].properties[\"me.example/blur\"])\n"),
      std::string::npos)
      << run.out << run.err;
  EXPECT_NE(run.out.find("did you mean 'menu'?\n"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("\"own\"  ("), std::string::npos) << run.out;
}

TEST_F(AppCommands, ListSkipsTheSameModulesAsTheApp) {
  world_.place(MODULES "/foreign.so");
  world_.place(MODULES "/sharpen.so");
  world_.place(MODULES "/colour-1.6.2.so");
  const Outcome run = tenon({"list"});
  EXPECT_EQ(run.exit, 1);
  for (const char* code : {"kind-differs", "kind-too-new", "unknown-kind"}) {
    EXPECT_NE(run.out.find(std::string("  ") + code), std::string::npos) << code << "\n" << run.out;
  }
}

TEST_F(AppCommands, ListNamesTheNextCommandForTheSameHost) {
  describe(R"({ "app": "photo", "standard": ["source@1"] })");
  world_.place(MODULES "/lost-1.0.0.so");
  const Outcome unmet = tenon({"list"});
  EXPECT_NE(unmet.out.find("\nNext: tenon resolve me.example/lost -a photo\n"), std::string::npos)
      << unmet.out;
  world_.write("more plugins/text.so", "some text\n");
  world_.write("mine/filter/v1.json", filter(1));
  const Outcome unusable = tenon({"list", "--plugin-path", "more plugins", "--specs", "mine"});
  EXPECT_NE(unusable.out.find("\nNext: tenon inspect 'more plugins/text.so' -a photo "
                              "--specs mine --plugin-path 'more plugins'\n"),
            std::string::npos)
      << unusable.out;
}

TEST_F(AppCommands, InspectNamesTheNextCommandForTheSameHost) {
  describe(R"({ "app": "photo", "standard": ["source@1"] })");
  fs::copy_file(MODULES "/colour-1.6.2.so", world_.path("more/colour.so"));
  const Outcome run = tenon({"inspect", "more/colour.so", "--plugin-path", "more"});
  EXPECT_NE(run.out.find("Next: tenon list -a photo --plugin-path more\n"), std::string::npos)
      << run.out;
}

TEST_F(AppCommands, NeedNoSpecs) {
  describe(R"({ "app": "photo", "standard": ["source@1"] })");
  world_.place(MODULES "/colour-1.6.2.so");
  world_.place(MODULES "/foreign.so");
  const fs::path specs = world_.root() / "home/.local/share/photo/tenon/specs";
  fs::remove_all(specs);
  for (const char* directory : {"missing", "empty"}) {
    SCOPED_TRACE(directory);
    const Outcome run = tenon({"list"});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_NE(run.out.find("tenon.dev/source      1        latest"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("  unknown-kind  "), std::string::npos)
        << "the description names all kinds of the app\n"
        << run.out;
    const Outcome types = tenon({"types"});
    EXPECT_EQ(types.exit, 0) << types.err;
    EXPECT_EQ(types.out.find("tenon.dev/record"), std::string::npos) << types.out;
    fs::create_directory(specs);
  }
}

TEST_F(AppCommands, UseOnlyTheBuiltinsOfTheApp) {
  data("builtins.json", builtins);
  EXPECT_NE(tenon({"list"}).out.find("me.example/blacken"), std::string::npos);
  EXPECT_EQ(tenon({"list"}).out.find("tenon.dev/"), std::string::npos);
  const Outcome resolved = tenon({"resolve", "me.example/blacken"});
  EXPECT_EQ(resolved.exit, 0) << resolved.err;
  EXPECT_EQ(resolved.out, "PACKAGE         VERSION  ORIGIN\nme.example/kit  2.0.0    builtin\n");
  const Outcome graph = tenon({"graph"});
  EXPECT_NE(graph.out.find("me.example/kit\\n2.0.0 (builtin)"), std::string::npos) << graph.out;
  EXPECT_EQ(tenon({"lock"}).out, "tenon.lock: 1 package\n");
  const Outcome inspected = tenon({"inspect", "me.example/blacken"});
  EXPECT_NE(inspected.out.find("me.example/kit 2.0.0"), std::string::npos) << inspected.out;
  for (const char* command : {"resolve", "inspect"}) {
    EXPECT_EQ(tenon({command, "tenon.dev/file"}).exit, 1)
        << "the builtin belongs to another program";
  }
}

TEST_F(AppCommands, AcceptBuiltinsWithTheDeepestManifest) {
  const std::string head = R"([{"manifest": 1, "abi": "1.0", "name": "me.example/kit",
    "version": "2.0.0", "provides": [{"kind": "photo.example/filter", "version": 3,
    "spec": "0123456789abcdef", "name": "me.example/blacken"}], "details": [{"x-deep": )";
  const auto nested = [&head](std::size_t levels) {
    return head + std::string(levels - 3, '[') + std::string(levels - 3, ']') + "}]}]";
  };
  data("builtins.json", nested(64));
  const Outcome run = tenon({"resolve", "me.example/kit"});
  EXPECT_EQ(run.exit, 0) << run.err;
  data("builtins.json", nested(65));
  EXPECT_EQ(tenon({"resolve", "me.example/kit"}).exit, 1);
}

TEST_F(AppCommands, FindNoBuiltinsWithoutADescription) {
  fs::remove_all(world_.root() / "home");
  EXPECT_EQ(tenon({"list"}).out, "");
  EXPECT_EQ(tenon({"inspect", "tenon.dev/file"}).exit, 1);
}

TEST_F(AppCommands, IgnoreStandardKindsNewerThanTheApp) {
  describe(R"({ "app": "photo", "standard": ["source@1"] })");
  world_.place(MODULES "/colour-1.6.2.so");
  const Outcome run = tenon({"list"});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("tenon.dev/source  1        latest"), std::string::npos) << run.out;
  describe(R"({ "app": "photo", "standard": ["source@99"] })");
  EXPECT_EQ(tenon({"list"}).exit, 1);
  EXPECT_NE(tenon({"list"}).err.find("tenon.dev/source version 99"), std::string::npos);
}

TEST_F(AppCommands, InspectResolvesSymbolsOfTheProgram) {
  module("undefined");
  module("borrows");
  EXPECT_EQ(tenon({"inspect", "undefined.so"}).exit, 1);
  describe(R"({ "app": "photo", "program": ")" HOST R"(" })");
  const Outcome run = tenon({"inspect", "undefined.so"});
  EXPECT_EQ(run.out.find("load-failed"), std::string::npos) << run.out;
  const Outcome borrows = tenon({"inspect", "borrows.so"});
  EXPECT_NE(borrows.out.find("no definition of sodium_init"), std::string::npos)
      << "the command has the symbol, the app does not\n"
      << borrows.out;
}

TEST_F(AppCommands, FollowNoDescriptionThatOthersMayChange) {
  const fs::path file = world_.path("home/.local/share/photo/tenon/app.json");
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  const Outcome run = tenon({"list"});
  const bool root = ::geteuid() == 0;
  EXPECT_EQ(run.exit, root ? 1 : 0) << run.out << run.err;
  EXPECT_NE(run.err.find(root ? "error[untrusted-owner]" : "warning[untrusted-owner]"),
            std::string::npos)
      << run.err;
  EXPECT_NE(run.err.find("chmod o-w " + file.string()), std::string::npos) << run.err;
}

TEST_F(AppCommands, ReportAWrongDescription) {
  describe("{ \"app\": \"photo\",\n  \"programm\": \"bin/photo\" }");
  const Outcome unknown = tenon({"list"});
  EXPECT_EQ(unknown.exit, 1);
  EXPECT_NE(unknown.err.find("app.json:2:3: error[unknown-key]"), std::string::npos) << unknown.err;
  describe(R"({ "app": "photo" })");
  data("builtins.json", "{}");
  EXPECT_NE(tenon({"list"}).err.find("builtins.json:1:1: error[wrong-type]"), std::string::npos);
  data("builtins.json", "[]");
  specs("filter/v2.json", "{");
  EXPECT_NE(tenon({"list"}).err.find("v2.json"), std::string::npos);
}

// -- documents ----------------------------------------------------------------

class AppDocuments : public AppCommands {
 protected:
  AppDocuments() {
    specs("look/v1.json", look_1);
    specs("look/v2.json", look_2);
    specs("look/evolution.json", look_steps);
    specs("place/v1.json", place);
  }
};

constexpr const char* older =
    R"({"type":"photo.example/look","version":1,"value":{"title":"Dusk","strength":7}})"
    "\n";
constexpr const char* newer =
    R"({"type":"photo.example/look","version":2,"value":{"name":"Dusk","strength":7}})"
    "\n";

TEST_F(AppDocuments, AreConverted) {
  world_.write("look.json", older);
  const Outcome up = tenon({"convert", "look.json"});
  EXPECT_EQ(up.exit, 0) << up.err;
  EXPECT_EQ(up.out, newer);
  world_.write("look.json", newer);
  EXPECT_EQ(tenon({"convert", "--to", "1", "look.json"}).out, older);
}

TEST_F(AppDocuments, AreConvertedInPlaceBothWays) {
  const std::string text =
      R"({"type":"photo.example/look","version":2,"value":{"name":"Dusk","place":{"east":0.25}}})"
      "\n";
  world_.write("look.json", text);
  EXPECT_EQ(tenon({"convert", "--in-place", "--to", "1", "look.json"}).exit, 0);
  EXPECT_NE(world_.read("look.json").find(R"("place@2")"), std::string::npos);
  EXPECT_EQ(tenon({"convert", "--in-place", "look.json"}).exit, 0);
  EXPECT_EQ(world_.read("look.json"), text);
}

constexpr const char* look_steps_by_hand = R"({ "type": "photo.example/look", "steps": [
    { "from": 1, "to": 2, "notes": "By hand.", "hook": true, "fields": { "name": { "hook": true },
      "title": { "hook": true }, "place": { "added": true } } } ] })";

TEST_F(AppDocuments, NeedTheProgramForAHandWrittenStep) {
  specs("look/evolution.json", look_steps_by_hand);
  world_.write("look.json", older);
  const Outcome run = tenon({"convert", "look.json"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(
      run.err,
      "tenon convert: look.json:1: error[missing-conversion] photo.example/look: a hand-written "
      "step is missing\n"
      "   found   the step LookStep1To2 between versions 1 and 2\n"
      "   needed  only steps that the interface definition describes\n"
      "   fix     convert the document with the program that has the step\n");
  EXPECT_EQ(tenon({"convert", "--to", "1", "look.json"}).out, older)
      << "no hand-written step is needed";
}

/// The converter is a stub, since tests/foreign tests a real one.
TEST_F(AppDocuments, UseTheConverterOfTheApp) {
  specs("look/evolution.json", look_steps_by_hand);
  describe(R"({ "app": "photo", "converter": "../bin/convert" })");
  world_.write("look.json", older);
  EXPECT_EQ(tenon({"convert", "look.json"}).exit, 1) << "the SDK of the app contains no programs";

  const auto program = world_.write("home/.local/share/photo/bin/convert", R"(#!/bin/sh
    while read -r line; do echo '{"document": "{}"}'; done)");
  fs::permissions(program, fs::perms::owner_all);
  const Outcome run = tenon({"convert", "look.json"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out, "{}\n");
  EXPECT_EQ(tenon({"convert", "--to", "1", "look.json"}).out, older) << "no converter is needed";
  const Outcome other = tenon({"convert", "look.json", "--specs",
                               world_.path("home/.local/share/photo/tenon/specs").string()});
  EXPECT_EQ(other.exit, 1) << "the converter may have other specs";
}

TEST_F(AppDocuments, StayUnchangedIfTheConverterFails) {
  specs("look/evolution.json", look_steps_by_hand);
  describe(R"({ "app": "photo", "converter": "convert" })");
  const auto program =
      world_.write("home/.local/share/photo/tenon/convert", "#!/bin/sh\nread -r line; exit 7\n");
  fs::permissions(program, fs::perms::owner_all);
  world_.write("looks/a.json", older);
  world_.write("looks/b.json", newer);
  const Outcome run = tenon({"convert", "--in-place", "looks"});
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.err, "tenon convert: looks/a.json:1: error[converter-failed] " + program.string() +
                         ": the converter of the app failed\n"
                         "   found   it exited with status 7\n"
                         "   needed  a converted document or an error\n"
                         "   fix     reinstall the app, or report this to its authors\n"
                         "0 files converted, 1 unchanged, 1 refused\n");
  EXPECT_EQ(world_.read("looks/a.json"), older);
  EXPECT_EQ(tenon({"convert", "looks/a.json"}).exit, 3);
}

TEST_F(AppDocuments, HaveTheTypesOfTheAppListed) {
  const Outcome run = tenon({"types"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_NE(run.out.find("photo.example/look  versions 1, 2; stored as 2\n  1 -> 2  A place.\n"
                         "     renames title to name\n     adds place\n"),
            std::string::npos)
      << run.out;
  EXPECT_EQ(run.out.find("tenon.dev/record"), std::string::npos)
      << "the type belongs to another program";
}

TEST_F(AppDocuments, UseHandWrittenStepsOfStandardTypes) {
  world_.write("record.json",
               R"({"type":"tenon.dev/record","version":1,"value":{"payload":"aGk="}})");
  const Outcome run = tenon({"convert", "record.json", "--specs", STANDARD});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_NE(run.out.find(R"("payload":{"after":"aGk="})"), std::string::npos) << run.out;
}

}}  // namespace tenon::tests
