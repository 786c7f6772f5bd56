// SPDX-License-Identifier: BSL-1.0
//
// `tenon abi diff`. TENON is the command, BUILDS the directory of builds of one package. Code of
// them would end the process.
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace json = boost::json;

Outcome diff(const World& world, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {TENON, "abi", "diff"});
  const bool escaped = arguments.back() == "--json";
  return world.run_portably(arguments, escaped);
}

std::string build(const std::string& name) {
  return BUILDS "/" + name + ".so";
}

/// One difference between a build and the first one, version 1.2.0.
struct Change {
  const char* name;     // of the build, whose version is 1.2.1
  const char* segment;  // that is due
  const char* line;
};

std::ostream& operator<<(std::ostream& out, const Change& change) {
  return out << change.name;
}

class AbiDiffOfABuild : public testing::TestWithParam<Change> {
 protected:
  World world_{"photo"};
};

TEST_P(AbiDiffOfABuild, NamesTheSegment) {
  const auto [name, segment, line] = GetParam();
  const Outcome run = diff(world_, {build("first"), build(name)});
  EXPECT_EQ(run.out, "me.example/clocks 1.2.0 -> me.example/clocks 1.2.1: " + std::string(segment) +
                         "\n  " + segment + "  " + line + "\n");
  if (segment == std::string("patch")) {
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(run.err, "");
    return;
  }
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.err, "tenon: error[version-too-low] " + build(name) +
                         "\n   found   me.example/clocks 1.2.1\n   needed  " +
                         (segment == std::string("major") ? "2.0.0" : "1.3.0") +
                         " or higher\n   fix     raise the version of the package\n");
}

constexpr Change changes[] = {
    {"kind-removed", "major", "removes the kind tenon.dev/source"},
    {"kind-added", "minor", "adds the kind me.example/clock"},
    {"plugin-removed", "major", "removes the photo.example/filter me.example/edges"},
    {"plugin-added", "minor", "adds the photo.example/filter me.example/glow"},
    {"version-added", "minor", "adds version 2 of photo.example/filter in me.example/blur"},
    {"other-spec", "major",
     "compiles version 1 of photo.example/filter in me.example/blur from another spec\n"
     "  major  compiles version 1 of photo.example/filter in me.example/edges from another spec"},
    {"parameter-removed", "major",
     "removes the parameter \"every\" of me.example/clock (source_parameters)"},
    {"parameter-added", "minor",
     "adds the parameter \"colour\" of me.example/clock (source_parameters)"},
    {"parameter-added-required", "major",
     "adds the required parameter \"colour\" of me.example/clock (source_parameters)"},
    {"parameter-required", "major",
     "requires the parameter \"every\" of me.example/clock (source_parameters)"},
    {"parameter-not-required", "minor",
     "no longer requires the parameter \"zone\" of me.example/clock (source_parameters)"},
    {"parameter-type", "major",
     "changes the type of the parameter \"every\" of me.example/clock (source_parameters)"},
    {"parameter-condition", "major",
     "adds a condition to the parameter \"every\" of me.example/clock (source_parameters)"},
    {"parameter-text", "patch",
     "changes the parameter \"every\" of me.example/clock (source_parameters)"},
    {"property-added", "minor", "adds the property \"order\" of me.example/blur"},
    {"property-removed", "patch", "removes the property \"menu\" of me.example/blur"},
    {"property-changed", "patch", "changes the property \"menu\" of me.example/blur"},
    {"requirement-removed", "patch", "removes the requirement of example.io/colour"},
    {"requirement-added", "minor", "adds the requirement of example.io/shape"},
    {"requirement-changed", "patch", "requires example.io/colour \"^1.5\" instead of \"^1.4\""},
    {"newer-abi", "minor", "requires ABI 1.1 instead of 1.0"},
    {"state-removed", "major", "removes version 1 of the state"},
    {"state-added", "minor", "adds version 3 of the state"},
    {"state-type", "major", "changes the type of the state"},
    {"text", "patch", "changes the detail summary"},
};
INSTANTIATE_TEST_SUITE_P(Builds, AbiDiffOfABuild, testing::ValuesIn(changes), [](const auto& one) {
  std::string name = one.param.name;
  for (char& letter : name) letter = letter == '-' ? '_' : letter;
  return name;
});

class AbiDiff : public testing::Test {
 protected:
  Outcome diff_builds(const std::string& older, const std::string& newer) const {
    return diff(world_, {build(older), build(newer)});
  }
  void spec(const std::string& file, const std::string& content) const {
    world_.write(file, content);
  }

  World world_{"photo"};
};

TEST_F(AbiDiff, SortsChangesBySegment) {
  const Outcome run = diff_builds("first", "version-removed");
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.out,
            "me.example/clocks 1.2.0 -> me.example/clocks 1.2.1: major\n"
            "  major  removes version 1 of photo.example/filter in me.example/blur\n"
            "  minor  adds version 2 of photo.example/filter in me.example/blur\n");
}

/// Going back, what was added is removed.
TEST_F(AbiDiff, ComparesInBothDirections) {
  const Outcome run = diff_builds("parameter-condition", "raised");
  EXPECT_NE(run.out.find("  minor  removes a condition of the parameter \"every\""),
            std::string::npos)
      << run.out;
  EXPECT_NE(diff_builds("newer-abi", "raised").out.find("  patch  requires ABI 1.0 instead of 1.1"),
            std::string::npos);
}

TEST_F(AbiDiff, AcceptsVersionsThatWereRaised) {
  const std::pair<const char*, const char*> accepted[] = {
      {"first", "first"},
      {"first", "raised"},
      {"first", "kind-removed-2.0.0"},
      {"first", "kind-removed-2.0.0-rc.1"},
      {"first", "plugin-added-1.3.0"},
      {"early", "early-kind-removed-0.3.0"},
      {"early", "early-plugin-added-0.2.1"},
      {"prerelease", "kind-removed-2.0.0-rc.1"},
  };
  for (const auto& [older, newer] : accepted) {
    const Outcome run = diff_builds(older, newer);
    EXPECT_EQ(run.exit, 0) << older << " " << newer << "\n" << run.out << run.err;
    EXPECT_EQ(run.err, "");
  }
  EXPECT_EQ(diff_builds("first", "first").out,
            "me.example/clocks 1.2.0 -> me.example/clocks 1.2.0: none\n");
  EXPECT_EQ(diff_builds("first", "raised").out,
            "me.example/clocks 1.2.0 -> me.example/clocks 1.2.1: patch\n");
}

TEST_F(AbiDiff, RefusesVersionsThatAreTooLow) {
  const struct {
    const char *older, *newer, *needed;
  } refused[] = {
      {"first", "rebuilt", "1.2.1 or higher"},
      {"first", "older-version", "1.2.1 or higher"},
      {"early", "early-kind-removed-0.2.1", "0.3.0 or higher"},
      {"prerelease", "raised", "a version after 2.0.0-beta"},
  };
  for (const auto& [older, newer, needed] : refused) {
    const Outcome run = diff_builds(older, newer);
    EXPECT_EQ(run.exit, 1) << older << " " << newer << "\n" << run.out;
    EXPECT_NE(run.err.find("\n   needed  " + std::string(needed) + "\n"), std::string::npos)
        << run.err;
  }
}

TEST_F(AbiDiff, PrintsJson) {
  const Outcome run = diff(world_, {build("first"), build("plugin-added"), "--json"});
  EXPECT_EQ(run.exit, 1);
  const json::value output = json::parse(run.out);
  EXPECT_EQ(json::serialize(output.at("tenon")), R"({"schema":1,"command":"abi-diff"})");
  EXPECT_EQ(output.at("older"), "me.example/clocks 1.2.0");
  EXPECT_EQ(output.at("newer"), "me.example/clocks 1.2.1");
  EXPECT_EQ(output.at("due"), "minor");
  EXPECT_EQ(json::serialize(output.at("changes")),
            R"([{"segment":"minor","text":"adds the photo.example/filter me.example/glow"}])");
  EXPECT_EQ(output.at("error").at("code"), "version-too-low");
  EXPECT_EQ(output.at("error").at("needed"), "1.3.0 or higher");
  const Outcome same = diff(world_, {build("first"), build("first"), "--json"});
  EXPECT_EQ(same.exit, 0);
  EXPECT_EQ(json::parse(same.out).at("error"), nullptr);
}

TEST_F(AbiDiff, RefusesWhatCannotBeCompared) {
  const Outcome other = diff_builds("first", "other-package");
  EXPECT_EQ(other.exit, 1);
  EXPECT_EQ(other.out, "");
  EXPECT_EQ(other.err, "tenon: error[other-package] " + build("other-package") +
                           "\n   found   me.example/watches\n"
                           "   needed  a build of me.example/clocks\n"
                           "   fix     compare two builds of one package\n");
  world_.write("text.so", "no module");
  const Outcome broken = diff(world_, {build("first"), "text.so"});
  EXPECT_EQ(broken.exit, 1);
  EXPECT_EQ(broken.err.find("tenon: error[not-a-module] text.so\n"), 0U) << broken.err;
  const Outcome none = diff(world_, {"none.so", build("first")});
  EXPECT_EQ(none.exit, 3);
  EXPECT_EQ(none.err.find("tenon: error[not-found] none.so\n"), 0U) << none.err;
  const Outcome mixed = diff(world_, {build("first"), "tenon.dev/source@1"});
  EXPECT_EQ(mixed.exit, 2);
  EXPECT_NE(mixed.err.find("\n   needed  two module files, two directories of specs, or two "
                           "versions of a kind, KIND@VERSION\n"),
            std::string::npos)
      << mixed.err;
  EXPECT_EQ(diff(world_, {"none", "neither"}).exit, 2);
}

// -- Specs --------------------------------------------------------------------

constexpr const char* released =
    R"("life": { "released": { "version": "1.0.0", "date": "2026-11-21" } })";

std::string filter(int version, const std::string& methods, const std::string& life = released) {
  return R"({ "kind": "photo.example/filter", "version": )" + std::to_string(version) + ", " +
         life + R"(, "doc": "Changes an image.", "methods": [)" + methods + "] }";
}

constexpr const char* apply = R"({ "name": "apply", "doc": "Filters.", "threading": "serial",
  "request": { "strength": "int32" } })";

/// The change of a method, and the segment that is due.
TEST_F(AbiDiff, ComparesVersionsOfAKind) {
  const std::string reset = R"({ "name": "reset", "doc": "Forgets.", "threading": "any" )";
  const std::string begin = R"({ "name": "apply", "doc": "Filters.", "threading": )";
  const struct {
    std::string methods, steps, out;
  } cases[] = {
      {apply + (", " + reset + "}"), R"("reset": { "added": "unimplemented" })",
       "minor\n  minor  adds method reset\n"},
      {apply + (", " + reset + R"(, "required": true })"),
       R"("reset": { "added": "unimplemented" })", "major\n  major  adds required method reset\n"},
      {reset + "}", R"("reset": { "added": "unimplemented" }, "apply": { "removed": true })",
       "major\n  major  removes method apply\n  minor  adds method reset\n"},
      {begin + R"("serial", "request": { "strength": "int32", "area": "optional<string>" } })",
       R"("apply": { "request": { "area": { "added": true } } })",
       "minor\n  minor  adds field apply.request.area\n"},
      {begin + R"("serial", "request": { "strength": "int32", "area": "string" } })",
       R"("apply": { "request": { "area": { "added": true } } })",
       "major\n  major  adds required field apply.request.area\n"},
      {begin + R"("serial" })", R"("apply": { "request": { "strength": { "removed": 1 } } })",
       "major\n  major  removes field apply.request.strength\n"},
      {begin + R"("serial", "request": { "strength": "int64" } })", R"("apply": { "hook": true })",
       "major\n  major  changes the type of field apply.request.strength\n"},
      {begin + R"("any", "request": { "strength": "int32" } })", R"("apply": { "hook": true })",
       "major\n  major  changes the threading of method apply\n"},
      {begin + R"("serial", "to": "done", "request": { "strength": "int32" } })", "",
       "major\n  major  changes the states of method apply\n"},
      {begin + R"("serial", "required": true, "request": { "strength": "int32" } })", "",
       "major\n  major  requires method apply\n"},
      {R"({ "name": "apply", "doc": "Filters it.", "threading": "serial",
        "request": { "strength": "int32" } })",
       "", "patch\n  patch  changes the text of method apply\n"},
      {apply, "", "none\n"},
  };
  spec("specs/filter/v1.json", filter(1, apply));
  for (const auto& [methods, steps, out] : cases) {
    SCOPED_TRACE(out);
    spec("specs/filter/v2.json", filter(2, methods));
    spec("specs/filter/evolution.json",
         R"({ "kind": "photo.example/filter", "steps": [ { "from": 1, "to": 2, "notes": "New.",
              "methods": { )" +
             steps + " } } ] }");
    const Outcome run =
        diff(world_, {"photo.example/filter@1", "photo.example/filter@2", "--specs", "specs"});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(run.out, "photo.example/filter@1 -> photo.example/filter@2: " + out);
  }
  const Outcome unknown =
      diff(world_, {"photo.example/filter@1", "photo.example/filter@3", "--specs", "specs"});
  EXPECT_EQ(unknown.exit, 1);
  EXPECT_EQ(unknown.err.find("tenon: error[not-found] photo.example/filter\n"), 0U) << unknown.err;
}

TEST_F(AbiDiff, ComparesDirectoriesOfSpecs) {
  const std::string draft = R"("life": "draft")";
  const std::string look = R"({ "type": "photo.example/look", "version": 1, "doc": "A choice.",
    "life": { "released": { "version": "1.0.0", "date": "2026-11-21" } },
    "fields": { "title": "string" } })";
  spec("a/filter/v1.json", filter(1, apply, draft));
  spec("a/look/v1.json", look);
  spec("same/filter/v1.json", filter(1, apply, draft));
  spec("same/look/v1.json", look);
  spec("version/filter/v1.json", filter(1, apply, draft));
  spec("version/look/v1.json", look);
  spec("fewer/filter/v1.json", filter(1, apply, draft));
  spec("changed/filter/v1.json",
       filter(1, R"({ "name": "apply", "doc": "Filters.", "threading": "serial" })", draft));
  spec("changed/look/v1.json",
       R"({ "type": "photo.example/look", "version": 1, "doc": "A choice.",
            "life": { "released": { "version": "1.0.0", "date": "2026-11-21" } },
            "fields": { "name": "string" } })");
  EXPECT_EQ(diff(world_, {"a", "same"}).out, "a -> same: none\n");
  EXPECT_EQ(diff(world_, {"a", "fewer"}).out,
            "a -> fewer: major\n  major  removes type photo.example/look\n");
  EXPECT_EQ(diff(world_, {"fewer", "a"}).out,
            "fewer -> a: minor\n  minor  adds type photo.example/look\n");
  EXPECT_EQ(diff(world_, {"a", "changed"}).out,
            "a -> changed: major\n"
            "  major  photo.example/filter@1: removes field apply.request.strength\n"
            "  major  changes version 1 of photo.example/look\n");
  spec("version/filter/v1.json", filter(1, apply));
  spec("version/filter/v2.json", filter(2, apply, draft));
  spec("version/filter/evolution.json", R"({ "kind": "photo.example/filter",
    "steps": [ { "from": 1, "to": 2, "notes": "The same." } ] })");
  EXPECT_EQ(diff(world_, {"a", "version"}).out,
            "a -> version: minor\n  minor  adds version 2 of photo.example/filter\n");
  const Outcome fewer = diff(world_, {"version", "a"});
  EXPECT_EQ(fewer.exit, 0) << fewer.err;
  EXPECT_EQ(fewer.out, "version -> a: major\n  major  removes version 2 of photo.example/filter\n");
  const Outcome none = diff(world_, {"a", "output"});
  EXPECT_EQ(none.exit, 1);
  EXPECT_NE(none.err.find("error[no-specs]"), std::string::npos) << none.err;
}

}}  // namespace tenon::tests
