// SPDX-License-Identifier: BSL-1.0
//
// `tenon explain KIND[@VERSION][.METHOD]`. TENON is the command, SPECS the directory of the
// standard specs.
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "framework/path_texts.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr const char* first = R"({ "kind": "photo.example/filter", "version": 1,
  "doc": "Changes an image.",
  "life": { "released": { "version": "1.0.0", "date": "2026-11-21" },
            "deprecated": "use version 2" },
  "methods": [
    { "name": "run", "doc": "Filters.", "threading": "serial", "required": true,
      "request": { "pixels": "buffer" } },
    { "name": "reset", "doc": "Forgets everything.", "threading": "main" } ] })";
constexpr const char* second = R"({ "kind": "photo.example/filter", "version": 2,
  "doc": "Changes an image in place, as a host asks it to do, and says how far it has come when asked.",
  "restart": "overlap",
  "properties": { "menu": { "type": "string", "doc": "The entry of the menu." } },
  "enums": { "mode": { "doc": "How exact it is.", "values": ["fast", "careful"] },
             "unused": ["one"] },
  "structs": { "area": { "doc": "A part.", "fields": { "mode": "mode", "width": "int32" } } },
  "methods": [
    { "name": "apply", "doc": "Filters. Fails with TENON_INVALID_ARGUMENT, if the area is empty.",
      "threading": "serial", "required": true, "blocks": "cancel", "from": ["created", "done"],
      "to": "done",
      "request": { "pixels": { "type": "buffer", "doc": "All of them." }, "area": "area" } },
    { "name": "progress", "doc": "Returns the progress.", "threading": "any",
      "response": { "done": "float32" } } ] })";
constexpr const char* steps = R"({ "kind": "photo.example/filter", "steps": [
  { "from": 1, "to": 2, "notes": "Areas and progress.", "methods": {
    "apply": { "renamed_from": "run", "request": { "area": { "added": true } } },
    "reset": { "removed": true },
    "progress": { "added": { "value": { "done": 0.0 } } } } } ] })";

class ExplainKind : public testing::Test {
 protected:
  ExplainKind() {
    world_.write("home/.local/share/photo/tenon/app.json", R"({ "app": "photo" })");
    world_.write("home/.local/share/photo/tenon/specs/filter/v1.json", first);
    world_.write("home/.local/share/photo/tenon/specs/filter/v2.json", second);
    world_.write("home/.local/share/photo/tenon/specs/filter/evolution.json", steps);
  }

  std::vector<std::string> command(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {TENON, "explain"});
    return arguments;
  }
  Outcome explain(const std::string& subject) const {
    return world_.run(command({subject, "-a", "photo"}));
  }
  json::object kind_in(const Outcome& run) const {
    boost::system::error_code failed;
    const json::value output = json::parse(run.out, failed);
    EXPECT_FALSE(failed) << run.out << run.err;
    if (failed) return {};
    EXPECT_EQ(output.at("tenon").at("command"), "explain");
    EXPECT_TRUE(output.at("codes").as_array().empty());
    return output.at("kind").as_object();
  }

  World world_{"photo"};
};

TEST_F(ExplainKind, ShowsTheNewestVersion) {
  const Outcome run = explain("photo.example/filter");
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out,
            R"(photo.example/filter version 2, draft
   Changes an image in place, as a host asks it to do, and says how far it has
   come when asked.
   Its calls are independent: a restart does not interrupt them.

Versions
   1  released with 1.0.0 on 2026-11-21; deprecated: use version 2
   2  draft
      Areas and progress.
      - renames run to apply
      - adds apply.request.area
      - adds progress (older plugins return fixed values)
      - removes reset

Properties in the manifest
   menu: string
      The entry of the menu.

Methods
   apply (required)
      Filters. Fails with TENON_INVALID_ARGUMENT, if the area is empty.
      threading  one call of an instance at a time
      blocks     yes, interrupted by cancel
      states     created, done, then done
      errors     TENON_INVALID_ARGUMENT
      request
         pixels: buffer
            All of them.
         area: area
      response   none
   progress
      Returns the progress.
      threading  any thread at any time
      blocks     no
      states     any
      errors     TENON_UNIMPLEMENTED
      request    none
      response
         done: float32

Types
   mode: enum of fast, careful
      How exact it is.
   area: struct
      A part.
      mode: mode
      width: int32
)");
}

TEST_F(ExplainKind, ShowsTheVersionThatIsNamed) {
  const Outcome run = explain("photo.example/filter@1");
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out.find("photo.example/filter version 1, released with 1.0.0 on 2026-11-21; "
                         "deprecated: use version 2\n   Changes an image.\n"),
            0U)
      << run.out;
  EXPECT_NE(run.out.find("\n   run (required)\n"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("\n   progress\n"), std::string::npos) << run.out;
}

TEST_F(ExplainKind, ShowsOneMethod) {
  const Outcome run = explain("photo.example/filter@2.progress");
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out, R"(photo.example/filter version 2, method progress
   progress
      Returns the progress.
      threading  any thread at any time
      blocks     no
      states     any
      errors     TENON_UNIMPLEMENTED
      request    none
      response
         done: float32
)");
  const Outcome removed = explain("photo.example/filter.reset");
  EXPECT_EQ(removed.exit, 0) << removed.err;
  EXPECT_EQ(removed.out.find("photo.example/filter version 1, method reset\n"), 0U) << removed.out;
  EXPECT_NE(removed.out.find("threading  the main thread\n"), std::string::npos) << removed.out;
}

TEST_F(ExplainKind, SuggestsTheNearestName) {
  struct {
    const char* subject;
    const char* err;
  } const wrong[] = {
      {"photo.example/fliter",
       "tenon: error[not-found] photo.example/fliter\n"
       "   found   no kind \"photo.example/fliter\"\n"
       "   needed  photo.example/filter\n"
       "   fix     did you mean 'photo.example/filter'?\n"},
      {"photo.example/filter@3",
       "tenon: error[not-found] photo.example/filter\n   found   no version \"3\"\n"
       "   needed  1, 2\n   fix     correct the name, or select the app\n"},
      {"photo.example/filter@",
       "tenon: error[not-found] photo.example/filter\n   found   no version \"\"\n"
       "   needed  1, 2\n   fix     correct the name, or select the app\n"},
      {"photo.example/filter@2.progres",
       "tenon: error[not-found] photo.example/filter@2\n   found   no method \"progres\"\n"
       "   needed  apply, progress\n   fix     did you mean 'progress'?\n"},
      {"photo.example/filter@1.progress",
       "tenon: error[not-found] photo.example/filter@1\n   found   no method \"progress\"\n"
       "   needed  run, reset\n   fix     correct the name, or select the app\n"},
  };
  for (const auto& one : wrong) {
    SCOPED_TRACE(one.subject);
    const Outcome run = explain(one.subject);
    EXPECT_EQ(run.exit, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err, one.err);
  }
}

TEST_F(ExplainKind, NamesThirtyMethods) {
  const auto needed_of = [&](int count) {
    std::string methods;
    for (int i = 1; i <= count; ++i) {
      methods += std::string(i > 1 ? "," : "") + R"({ "name": "method_)" + std::to_string(i) +
                 R"(", "doc": "Works.", "threading": "any" })";
    }
    world_.write("home/.local/share/photo/tenon/specs/many/v1.json",
                 R"({ "kind": "photo.example/many", "version": 1, "doc": "Has many.",
                      "methods": [)" +
                     methods + "] }");
    const std::string error = explain("photo.example/many.other").err;
    const std::size_t begin = error.find("method_30");
    return begin == std::string::npos ? error
                                      : error.substr(begin, error.find('\n', begin) - begin);
  };
  EXPECT_EQ(needed_of(30), "method_30");
  EXPECT_EQ(needed_of(31), "method_30 and 1 more");
  EXPECT_EQ(needed_of(300), "method_30 and 270 more");
}

TEST_F(ExplainKind, PrintsJson) {
  const Outcome run = world_.run(command({"photo.example/filter.apply", "-a", "photo", "--json"}));
  EXPECT_EQ(run.exit, 0) << run.err;
  const json::object kind = kind_in(run);
  EXPECT_EQ(kind.at("kind"), "photo.example/filter");
  EXPECT_EQ(kind.at("version"), 2);
  EXPECT_EQ(kind.at("restart"), "overlap");
  const json::array& versions = kind.at("versions").as_array();
  ASSERT_EQ(versions.size(), 2U);
  EXPECT_EQ(json::serialize(versions[0]),
            R"({"version":1,"stage":"deprecated","release":"1.0.0","date":"2026-11-21",)"
            R"("message":"use version 2","notes":null,"adaptable":true,"changes":[]})");
  EXPECT_EQ(versions[1].at("stage"), "draft");
  EXPECT_EQ(versions[1].at("notes"), "Areas and progress.");
  EXPECT_EQ(versions[1].at("changes").as_array().size(), 4U);
  const json::array& methods = kind.at("methods").as_array();
  ASSERT_EQ(methods.size(), 1U);
  EXPECT_EQ(json::serialize(methods[0]),
            R"({"name":"apply","doc":"Filters. Fails with TENON_INVALID_ARGUMENT, if the area is )"
            R"(empty.","required":true,"role":null,"threading":"serial","blocks":"cancel",)"
            R"("from":["created","done"],"to":"done","errors":["TENON_INVALID_ARGUMENT"],)"
            R"("request":[{"name":"pixels","type":"buffer","doc":"All of them.","added":null},)"
            R"({"name":"area","type":"area","doc":null,"added":null}],"response":[]})");
  ASSERT_EQ(kind.at("types").as_array().size(), 2U);
  EXPECT_EQ(
      json::serialize(kind.at("types").as_array()[0]),
      R"({"name":"mode","doc":"How exact it is.","values":["fast","careful"],"fields":null})");
}

/// The command finds the standard specs in its installation.
TEST_F(ExplainKind, ReadsTheStandardKinds) {
  fs::copy_file(TENON, world_.path("usr/bin/tenon"));
  fs::create_directory_symlink(SPECS, world_.path("usr/share/tenon/abi"));
  world_.set("LD_LIBRARY_PATH", fs::path(LIBTENON).parent_path().string());
  const Outcome run = world_.run({"usr/bin/tenon", "explain", "tenon.dev/source"});
  EXPECT_EQ(run.exit, 0) << run.err;
  for (const char* part :
       {"tenon.dev/source version 2, ", "Its calls form a session, which a restart ends.\n",
        "      - renames start to open\n", "      - adds read_batch (by hand on older plugins)\n",
        "      - removes read\n", "      - changes ack (by hand on older plugins)\n",
        "      - adds on_created (older plugins do nothing)\n",
        "         records: list<tenon.dev/record@2>\n"}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << run.out;
  }
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
  world_.write("home/.local/share/photo/tenon/app.json",
               R"({ "app": "photo", "standard": ["source@1"] })");
  const Outcome older = world_.run({"usr/bin/tenon", "explain", "tenon.dev/source", "-a", "photo"});
  EXPECT_EQ(older.exit, 0) << older.err;
  EXPECT_EQ(older.out.find("tenon.dev/source version 1, "), 0U) << older.out;
}

TEST_F(ExplainKind, FitsNarrowTerminals) {
  Child child = world_.start_on_terminal(
      {"sh", "-c", "stty cols 40 <&1 && " TENON " explain photo.example/filter -a photo"});
  const Outcome run = child.wait();
  EXPECT_EQ(run.exit, 0) << run.out;
  std::istringstream lines(run.out);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) {
    while (line.ends_with('\r')) line.pop_back();
    if (line.find('\x1b') == std::string::npos) longest = std::max(longest, line.size());
  }
  EXPECT_LE(longest, 40U) << run.out;
  EXPECT_GT(longest, 30U) << run.out;
}

TEST_F(ExplainKind, NeedsAnAppThatExists) {
  const Outcome run = world_.run(command({"photo.example/filter", "-a", "fotos"}));
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err.find("tenon: error[unknown-app] fotos\n"), 0U) << run.err;
}

TEST_F(ExplainKind, ReportsSpecsThatCannotBeUsed) {
  world_.write("home/.local/share/photo/tenon/specs/filter/v2.json", "{");
  const Outcome broken = explain("photo.example/filter");
  EXPECT_EQ(broken.exit, 1);
  EXPECT_EQ(broken.out, "");
  EXPECT_NE(broken.err.find("v2.json:1:1: error[not-json]"), std::string::npos) << broken.err;
  const Outcome none = world_.run(command({"photo.example/filter", "--specs", "none"}));
  EXPECT_EQ(none.exit, 3);
  EXPECT_EQ(none.err, "tenon: " + unreadable_text("none", "reading it: No such file or directory"));
}

}}  // namespace tenon::tests
