// SPDX-License-Identifier: BSL-1.0
//
// The command tenon-gen: its output, its files and its exit codes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/path_texts.hpp"
#include "framework/world.hpp"

namespace {

using tenon::tests::Outcome;
using tenon::tests::unreadable_text;
using tenon::tests::unwritable_text;
using tenon::tests::World;
namespace fs = std::filesystem;

const char* const spec =
    "{\"kind\": \"photo.example/filter\", \"version\": 1, \"doc\": \"Filters.\",\n"
    " \"methods\": [{\"name\": \"apply\", \"doc\": \"Applies.\", \"threading\": \"any\"}]}";

TEST(GenCommand, WritesHeadersSourceAndDepfile) {
  const World world;
  world.write("kinds/filter/v1.json", spec);
  const Outcome outcome = world.run(
      {TENON_GEN, "build", "--out", "out", "--name", "photo", "--depfile", "out/photo.d", "kinds"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_NE(world.read("out/include/photo/filter/v1.h").find("photo_filter_v1"), std::string::npos);
  EXPECT_NE(world.read("out/photo.cpp"), "");
  EXPECT_EQ(world.read("out/photo.d"),
            "out/photo.cpp: \\\n  kinds \\\n  kinds/filter \\\n  kinds/filter/v1.json\n");
}

TEST(GenCommand, WritesOnlyHeaders) {
  const World world;
  world.write("kinds/filter/v1.json", spec);
  EXPECT_EQ(world.run({TENON_GEN, "headers", "--out", "out", "kinds"}).exit, 0);
  EXPECT_NE(world.read("out/photo/filter/v1.h"), "");
}

// The golden file is gen_filter.rs. Names that Rust or generated code uses are changed.
TEST(GenCommand, WritesBindingsForRust) {
  const World world;
  world.write("kinds/filter/v1.json", R"({
  "kind": "photo.example/filter", "version": 1, "doc": "Filters.",
  "enums": { "mode": ["soft", "self"] },
  "methods": [
    { "name": "configure", "role": "configure", "doc": "Takes the settings.", "threading": "serial",
      "request": { "config": "map<string>" } },
    { "name": "apply", "doc": "Filters pixels.", "threading": "serial", "required": true,
      "request": { "pixels": "buffer", "type": "mode", "call": "optional<int32>" },
      "response": { "sum": "uint64" } } ] })");
  const Outcome outcome = world.run(
      {TENON_GEN, "rust", "--out", "out", "--name", "photo", "--depfile", "out/photo.d", "kinds"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_EQ(world.read("out/photo.rs"), tenon::tests::read_file(SPECS "/../unit/gen_filter.rs"));
  EXPECT_EQ(world.read("out/photo.d"),
            "out/photo.rs: \\\n  kinds \\\n  kinds/filter \\\n  kinds/filter/v1.json\n");
}

// The file is that of the project in tests/foreign/photo.
TEST(GenCommand, WritesTheFileForMeson) {
  const World world;
  const std::string photo = SPECS "/../foreign/photo/kinds";
  fs::copy(photo, world.path("kinds"), fs::copy_options::recursive);
  fs::remove(world.path("kinds/meson.build"));
  const auto run = [&world](const std::string& app, const std::string& name = "photo_kinds") {
    return world.run({TENON_GEN, "meson", "--app", app, "--name", name, "--standard", "source@2",
                      "--standard", "specifier@1", "--standard-specs", ABI, "kinds"});
  };
  const Outcome outcome = run("photo");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  const std::string written = world.read("kinds/meson.build");
  EXPECT_EQ(written, tenon::tests::read_file(photo + "/meson.build"));
  EXPECT_EQ(run("film").exit, 0);
  EXPECT_NE(world.read("kinds/meson.build").find("'--app', 'film'"), std::string::npos);
  for (const char* name : {"photo-kinds", "2photos"}) {
    const Outcome named = run("photo", name);
    EXPECT_EQ(named.exit, 2) << name;
    EXPECT_EQ(named.err, "tenon-gen meson: --name: found \"" + std::string(name) +
                             "\", needed a name of letters, digits and '_' that does not begin "
                             "with a digit\nSee tenon-gen meson --help.\n");
  }
}

TEST(GenCommand, KeepsFilesForMesonOfOthers) {
  const World world;
  world.write("kinds/filter/v1.json", spec);
  world.write("kinds/meson.build", "project('photo')\n");
  const Outcome outcome = world.run({TENON_GEN, "meson", "--app", "photo", "kinds"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "kinds/meson.build: error[name-taken]: a file with this name exists and was not "
            "written by tenon-gen meson\n"
            "   needed  no such file, or one whose first line says that it was\n"
            "   fix     move its content to the meson.build of the directory above\n");
  EXPECT_EQ(world.read("kinds/meson.build"), "project('photo')\n");
  world.write("kinds/filter/v1.json", "{}");
  fs::remove(world.path("kinds/meson.build"));
  EXPECT_EQ(world.run({TENON_GEN, "meson", "--app", "photo", "kinds"}).exit, 1);
  EXPECT_FALSE(fs::exists(world.path("kinds/meson.build")));
}

const char* const look =
    "{\"type\": \"photo.example/look\", \"version\": 1, \"doc\": \"Look.\", "
    "\"fields\": {\"name\": \"string\"}}";

TEST(GenCommand, WritesTheSameSchemasAloneAndWithAllFiles) {
  const World world;
  world.write("types/look/v1.json", look);
  const Outcome outcome = world.run({TENON_GEN, "schema", "--out", "schemas", "types"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_EQ(world.run({TENON_GEN, "build", "--out", "out", "types"}).exit, 0);
  for (const char* name : {"look.schema.json", "look/v1.schema.json"}) {
    const std::string path = "schemas/photo.example/" + std::string(name);
    EXPECT_NE(world.read(path), "") << path;
    EXPECT_EQ(world.read(path), world.read("out/" + path));
  }
}

TEST(GenCommand, WritesFilesOfTheLongestNames) {
  const World world;
  const std::string name(200, 'n');
  for (const std::string directory : {"kinds/filter", "types/look"}) {
    std::string text = directory == "types/look" ? look : spec;
    const std::size_t at = text.find("photo.example/") + 14;
    text.replace(at, text.find('"', at) - at, name + (directory == "types/look" ? "" : "n"));
    world.write(directory + "/v1.json", text);
  }
  const Outcome refused = world.run({TENON_GEN, "check", "kinds"});
  EXPECT_EQ(refused.exit, 1);
  EXPECT_NE(refused.err.find("has more than 200 characters"), std::string::npos) << refused.err;
  const Outcome outcome = world.run({TENON_GEN, "build", "--out", "out", "types"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
}

TEST(GenCommand, RefusesSchemasWithoutDocumentTypes) {
  const World world;
  world.write("kinds/filter/v1.json", spec);
  const Outcome outcome =
      world.run({TENON_GEN, "schema", "--standard-specs", ABI, "--out", "out", "kinds"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.err,
            "tenon-gen schema: the specs contain no document type\nSee tenon-gen schema --help.\n");
  EXPECT_FALSE(std::filesystem::exists(world.root() / "out"));
}

TEST(GenCommand, ReportsProblems) {
  const World world;
  world.write("kinds/filter/v1.json",
              "{\"kind\": \"photo.example/filter\", \"version\": 1, \"doc\": \"Filters.\",\n"
              " \"methods\": [{\"name\": \"apply\", \"doc\": \"Applies.\", \"threading\": "
              "\"anny\"}]}");
  const Outcome outcome = world.run({TENON_GEN, "check", "kinds"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(
      outcome.err,
      "kinds/filter/v1.json:2:64: error[unknown-word]: 'anny' is not a valid value of 'threading'\n"
      "   needed  'any', 'serial' and 'main'\n"
      "   fix     did you mean 'any'?\n");
}

TEST(GenCommand, PrintsFingerprints) {
  const World world;
  const Outcome outcome = world.run({TENON_GEN, "fingerprint", ABI});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("tenon.dev/backup_item_action 1 "), 0u);
  EXPECT_NE(outcome.out.find("\ntenon.dev/record 2 "), std::string::npos);
}

TEST(GenCommand, ReportsWrongUsage) {
  const World world;
  EXPECT_EQ(world.run({TENON_GEN, "chekc", "kinds"}).err,
            "tenon-gen: unknown command chekc\ndid you mean 'check'?\nSee tenon-gen --help.\n");
  const Outcome outcome = world.run({TENON_GEN, "check", "kinds", "--otu", "x"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.err, "tenon-gen check: unknown option --otu\nSee tenon-gen check --help.\n");
  for (const char* option : {"--out", "--name"}) {
    const Outcome empty = world.run({TENON_GEN, "build", option, "", "kinds"});
    EXPECT_EQ(empty.exit, 2);
    EXPECT_EQ(empty.err, "tenon-gen: " + std::string(option) +
                             ": the value is empty\nSee tenon-gen --help.\n");
  }
}

TEST(GenCommand, RefusesUnknownStandardKinds) {
  const World world;
  world.write("kinds/filter/v1.json", spec);
  const std::pair<const char*, const char*> wrong[] = {
      {"source", "a name and a version, eg: source@2"},
      {"sourec@2", "a standard kind; did you mean 'source'?"},
      {"source@99", "a version from 1 to 2"}};
  for (const auto& [standard, needed] : wrong) {
    const Outcome outcome = world.run({TENON_GEN, "build", "--standard", standard,
                                       "--standard-specs", ABI, "--out", "out", "kinds"});
    EXPECT_EQ(outcome.exit, 2) << standard;
    EXPECT_EQ(outcome.err, "tenon-gen build: --standard: found \"" + std::string(standard) +
                               "\", needed " + needed + "\nSee tenon-gen build --help.\n");
  }
}

TEST(GenCommand, RefusesNamesOutsideOfTheDirectory) {
  const World world;
  world.write("kinds/filter/v1.json", spec);
  for (const char* name : {"../kinds", "a/b", "..", "two words"}) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"build"}, {"sdk", "--app", "photo"}}) {
      std::vector<std::string> line{TENON_GEN};
      line.insert(line.end(), command.begin(), command.end());
      line.insert(line.end(), {"--out", "out", "--name", name, "kinds"});
      const Outcome outcome = world.run(line);
      EXPECT_EQ(outcome.exit, 2) << name;
      EXPECT_EQ(outcome.err, "tenon-gen " + command[0] + ": --name: found \"" + name +
                                 "\", needed a name of letters, digits, '_', '.', '+' and '-'\n"
                                 "See tenon-gen " +
                                 command[0] + " --help.\n");
    }
  }
  EXPECT_FALSE(fs::exists(world.path("kinds.cpp")));
}

TEST(GenCommand, ReportsWhyFilesCannotBeUsed) {
  const World world;
  const fs::path spec = world.path("kinds/filter/v1.json");
  fs::create_directories(spec.parent_path());
  for (const char* target : {"/dev/zero", "/dev/stdin"}) {
    fs::create_symlink(target, spec);
    const Outcome outcome = world.run({"sh", "-c", ": | '" TENON_GEN "' check kinds"});
    EXPECT_EQ(outcome.exit, 3) << target;
    EXPECT_EQ(outcome.err,
              "tenon-gen: " + unreadable_text("kinds/filter/v1.json", "no regular file"));
    fs::remove(spec);
  }
  fs::create_symlink("v1.json", spec);
  EXPECT_NE(world.run({TENON_GEN, "check", "kinds"}).err.find("symbolic links"), std::string::npos);
  fs::remove(spec);
  fs::create_symlink("nothing", spec);
  EXPECT_EQ(world.run({TENON_GEN, "check", "kinds"}).err,
            "tenon-gen: " + unreadable_text("kinds/filter/v1.json",
                                            "reading the file: No such file or directory"));
  EXPECT_EQ(world.run({TENON_GEN, "check", "\x1b[31m"}).err,
            "tenon-gen: " + unreadable_text("\\x1b[31m", "reading it: No such file or directory"));
  fs::permissions(spec.parent_path(), fs::perms::none);
  const Outcome unreadable = world.run(tenon::tests::unprivileged({TENON_GEN, "check", "kinds"}));
  fs::permissions(spec.parent_path(), fs::perms::owner_all);
  EXPECT_EQ(unreadable.exit, 3);
  EXPECT_EQ(unreadable.err,
            "tenon-gen: " + unreadable_text("kinds/filter", "reading it: Permission denied"));
  const Outcome outcome = world.run({TENON_GEN, "headers", "--out", "/dev/null/x", ABI});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.err.find("creating the directory: Not a directory\n"), std::string::npos)
      << outcome.err;
  fs::create_directory(world.path("directory"));
  const Outcome directory =
      world.run({TENON_GEN, "build", "--out", "out", "--depfile", "directory", ABI});
  EXPECT_EQ(directory.exit, 3);
  EXPECT_EQ(directory.err,
            "tenon-gen: " + unwritable_text("directory", "writing the file: Is a directory"));
  fs::create_directory(world.root() / "closed");
  fs::permissions(world.root() / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  const Outcome closed =
      world.run(tenon::tests::unprivileged({TENON_GEN, "build", "--out", "closed/out", ABI}));
  EXPECT_EQ(closed.exit, 3);
  EXPECT_EQ(closed.err.find("tenon-gen: error[cannot-write] closed/out/"), 0u) << closed.err;
  EXPECT_NE(closed.err.find("creating the directory: Permission denied\n"), std::string::npos)
      << closed.err;
}

TEST(GenCommand, ReportsOutputErrors) {
  const World world;
  for (const std::string arguments : {"fingerprint '" ABI "'", "--help"}) {
    for (const std::string output : {" > /dev/full", " >&-"}) {
      const Outcome outcome = world.run({"sh", "-c", "'" TENON_GEN "' " + arguments + output});
      EXPECT_EQ(outcome.exit, 3) << arguments << output;
      EXPECT_EQ(outcome.err, "tenon-gen: cannot write to standard output\n");
    }
  }
}

TEST(GenCommand, ReportsThatMemoryIsExhausted) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs more address space than the limit";
#endif
  const World world;
  world.write("kinds/filter/v1.json", R"({"kind": "photo.example/filter", "version": 1, "doc": ")" +
                                          std::string(8 << 20, 'x') + "\"}");
  const Outcome outcome =
      world.run({"sh", "-c", "ulimit -v 32000; exec '" TENON_GEN "' check kinds"});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_EQ(outcome.err, "tenon-gen: std::bad_alloc\n");
}

TEST(GenCommand, KeepsAFileThatItCannotReplace) {
  const World world;
  world.write("kinds/filter/v1.json", spec);
  world.write("out/photo/filter/v1.h", "old");
  const Outcome outcome = world.run({"sh", "-c",
                                     "trap '' XFSZ; ulimit -f 1; "
                                     "exec '" TENON_GEN "' headers --out out kinds"});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_EQ(outcome.err, "tenon-gen: " + unwritable_text("out/photo/filter/v1.h",
                                                         "writing the file: File too large"));
  EXPECT_EQ(world.read("out/photo/filter/v1.h"), "old");
}

TEST(GenCommand, WritesNoPartOfAnSdkWithoutAllFiles) {
  const World world;
  world.write("kinds/filter/v1.json", spec);
  // An installation that lacks the files for CMake.
  const fs::path program = world.path("bin/tenon-gen");
  fs::copy_file(TENON_GEN, program);
  for (const char* headers : {"/include", "/../sdk/include", "/../loader/include"}) {
    fs::copy(std::string(ABI) + headers, world.path("include"), fs::copy_options::recursive);
  }
  EXPECT_EQ(world.run({TENON_GEN, "build", "--out", ".", ABI}).exit, 0);
  const Outcome outcome =
      world.run({program.string(), "sdk", "--app", "photo", "--out", "out", "kinds"});
  EXPECT_EQ(outcome.exit, 3) << outcome.err;
  EXPECT_NE(outcome.err.find("plugin.map"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(world.root() / "out"));
}

TEST(GenCommand, RefusesAnSdkWithoutKindsOrWithABadName) {
  const World world;
  world.write("types/look/v1.json", look);
  const Outcome empty = world.run({TENON_GEN, "sdk", "--app", "photo", "--out", "out", "types"});
  EXPECT_EQ(empty.exit, 2);
  EXPECT_EQ(empty.err, "tenon-gen sdk: the specs contain no kind\nSee tenon-gen sdk --help.\n");
  const Outcome named = world.run({TENON_GEN, "sdk", "--app", "../x", "--out", "out", "types"});
  EXPECT_EQ(named.exit, 2);
  EXPECT_EQ(named.err,
            "tenon-gen sdk: --app: found \"../x\", needed the name of an app of letters, digits, "
            "'.', '_' and '-'\nSee tenon-gen sdk --help.\n");
  const Outcome version =
      world.run({TENON_GEN, "sdk", "--app", "x", "--version", "1\"", "--out", "out", "types"});
  EXPECT_EQ(version.exit, 2);
  EXPECT_EQ(version.err,
            "tenon-gen sdk: --version: found \"1\"\", needed a version of letters, digits, '.', "
            "'_', '+', '~' and '-'\nSee tenon-gen sdk --help.\n");
}

TEST(GenCommand, PrintsItsVersion) {
  const Outcome outcome = World().run({TENON_GEN, "--version"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(std::ranges::count(outcome.out, '.'), 2) << outcome.out;
}

TEST(GenCommand, ReportsLongNames) {
  const World world;
  world.write("kinds/filter/v1.json", spec);
  const std::string name(120'000, 'n');
  for (const std::string option : {"--app", "--name", "--version"}) {
    std::vector<std::string> line{TENON_GEN, "sdk", "--out", "out", option, name + "/", "kinds"};
    if (option != "--app") line.insert(line.end(), {"--app", "photo"});
    const Outcome outcome = world.run(line);
    EXPECT_EQ(outcome.exit, 2) << option;
    EXPECT_NE(outcome.err.find(" of letters, digits, "), std::string::npos) << option;
  }
  const Outcome outcome = world.run({TENON_GEN, "build", "--out", "out", "--name", name, "kinds"});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.err.find(": File name too long\n"), std::string::npos) << outcome.err;
}

/// Returns the spec as released with a package version.
std::string released_spec(const std::string& version, const std::string& part = "",
                          const std::string& edit = "") {
  std::string text = spec;
  text.replace(
      text.find("\"doc\""), 0,
      "\"life\": {\"released\": {\"version\": \"" + version + "\", \"date\": \"2026-11-21\"}}, ");
  if (!part.empty()) text.replace(text.find(part), part.size(), edit);
  return text;
}

// Each round gives the structs a second way to those of the next round. Following each way would
// take hours.
TEST(GenCommand, ChecksManyVersionsWhoseStructsSplitAndMerge) {
  constexpr int rounds = 24;
  const World world;
  int version = 0;
  std::string steps;
  const auto add = [&](const std::string& fields, const std::string& structs,
                       const std::string& step) {
    const std::string number = std::to_string(++version);
    std::string all;
    for (const char name : structs) {
      all += std::string(all.empty() ? "" : ", ") + "\"" + name +
             "\": {\"fields\": {\"x\": \"bool\", \"y\": \"string\"}}";
    }
    world.write("types/look/v" + number + ".json",
                R"({"type": "photo.example/look", "version": )" + number +
                    R"(, "doc": "Look.", "life": {"released": {"version": "0.1.0", )" +
                    R"("date": "2026-11-21"}}, "fields": {)" + fields + R"(}, "structs": {)" + all +
                    "}}");
    if (version == 1) return;
    steps += std::string(version == 2 ? "" : ", ") + R"({"from": )" + std::to_string(version - 1) +
             R"(, "to": )" + number + ", " + step + "}";
  };
  add(R"("a": "s")", "s", "");
  for (int round = 0; round < rounds; ++round) {
    add(R"("a": "s", "b": "t")", "st",
        R"("structs": {"t": {"split_from": "s"}}, "fields": {"b": {"added": true}})");
    add(R"("a": "s")", "s", R"("fields": {"b": {"removed": true}})");
    add(R"("a": "t")", "t", R"("structs": {"t": {"renamed_from": "s"}})");
    add(R"("a": "s")", "s", R"("structs": {"s": {"renamed_from": "t"}})");
  }
  world.write("types/look/evolution.json",
              R"({"type": "photo.example/look", "steps": [)" + steps + "]}");
  const Outcome outcome = world.run({TENON_GEN, "check", "types"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
}

TEST(GenCommand, CopiesOnlySpecsAndListsOfReleasesIntoAnSdk) {
  const World world;
  const fs::path program = world.path("bin/tenon-gen");
  fs::copy_file(TENON_GEN, program);
  for (const char* headers : {"/include", "/../sdk/include", "/../loader/include"}) {
    fs::copy(std::string(ABI) + headers, world.path("include"), fs::copy_options::recursive);
  }
  EXPECT_EQ(world.run({TENON_GEN, "build", "--out", ".", ABI}).exit, 0);
  for (const char* file : {"sdk/cmake/tenonPlugin.cmake", "sdk/plugin.map", "LICENSE"}) {
    const fs::path from = fs::path(ABI) / ".." / file;
    fs::copy_file(from, world.path("share/tenon/sdk/" + from.filename().string()));
  }
  fs::copy(fs::path(ABI) / "../sdk/rust", world.path("share/tenon/sdk/rust"));
  world.write("kinds/filter/v1.json", released_spec("0.1.0"));
  world.write("kinds/filter/v2.json", "{}");  // without any key of a spec
  world.write("kinds/compile_commands.json", "[]");
  world.write("kinds/.vscode/settings.json", "{}");
  world.write("kinds/.vscode/v1.json", spec);
  fs::resize_file(world.write("kinds/.cache/index.json", ""), 100'000'000);
  EXPECT_EQ(world.run({TENON_GEN, "release", "kinds"}).exit, 0);
  const auto sdk = [&](const std::string& out) {
    return world.run({program.string(), "sdk", "--app", "photo", "--out", out, "kinds"});
  };
  for (int run = 1; run <= 2; ++run) {
    const Outcome outcome = sdk("out");
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    std::set<std::string> copied;
    const fs::path directory = world.root() / "out/share/photo/tenon/specs";
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
      if (entry.is_regular_file()) copied.insert(fs::relative(entry.path(), directory).string());
    }
    EXPECT_EQ(copied, (std::set<std::string>{"filter/v1.json", "released.json"})) << run;
  }
  // The next run would read the copies.
  for (const std::string out : {"kinds", "kinds/out", "out/../kinds/a/b"}) {
    const Outcome outcome = sdk(out);
    EXPECT_EQ(outcome.exit, 2) << out;
    EXPECT_EQ(outcome.err, "tenon-gen sdk: --out: found \"" + out +
                               "\", needed a directory outside of the directory of specs kinds\n"
                               "See tenon-gen sdk --help.\n");
  }
  EXPECT_EQ(sdk("kinds-sdk").exit, 0);
}

TEST(GenCommand, BeginsTheNextVersion) {
  const World world;
  world.write("kinds/filter/v1.json", released_spec("1.0.0"));
  const Outcome outcome = world.run({TENON_GEN, "next", "kinds/filter"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "kinds/filter/v2.json\nkinds/filter/evolution.json\n");
  EXPECT_EQ(world.run({TENON_GEN, "check", "kinds"}).exit, 0);
  // There can be only one draft.
  const Outcome again = world.run({TENON_GEN, "next", "kinds/filter"});
  EXPECT_EQ(again.exit, 1);
  EXPECT_NE(again.err.find("two-drafts"), std::string::npos);
  EXPECT_NE(again.err.find("release it first: set its \"life\" to {\"released\": "),
            std::string::npos)
      << again.err;
}

TEST(GenCommand, NamesDraftsIfThereIsNothingToRelease) {
  const World world;
  world.write("kinds/filter/v1.json", spec);
  world.write("types/look/v1.json", look);
  const Outcome one = world.run({TENON_GEN, "release", "kinds"});
  EXPECT_EQ(one.exit, 0) << one.err;
  EXPECT_EQ(one.out, "no new released version; 1 draft: photo.example/filter 1\n");
  EXPECT_EQ(world.run({TENON_GEN, "release", "."}).out,
            "no new released version; 2 drafts: photo.example/filter 1, photo.example/look 1\n");
  EXPECT_FALSE(fs::exists(world.path("kinds/released.json")));
}

TEST(GenCommand, BeginsTheFirstVersionAfterPreviews) {
  const World world;
  for (const std::string label : {"1preview1", "1preview2"}) {
    world.write("types/look/v" + label + ".json",
                R"({"type": "photo.example/look", "version": ")" + label +
                    R"(", "doc": "Look.", "life": {"released": {"version": "0.1.0",
                    "date": "2026-11-21"}}, "fields": {"name": "string"}})");
  }
  world.write("types/look/evolution.json",
              R"({"type": "photo.example/look", "steps": [{"from": "1preview1",
                  "to": "1preview2"}]})");
  const Outcome outcome = world.run({TENON_GEN, "next", "types/look"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "types/look/v1.json\ntypes/look/evolution.json\n");
  const Outcome checked = world.run({TENON_GEN, "check", "types"});
  EXPECT_EQ(checked.exit, 0) << checked.err;
}

TEST(GenCommand, KeepsFilesWithTheNameOfTheNextVersion) {
  for (const std::string path : {"kinds/filter/v2.json", "kinds/filter/evolution.json"}) {
    const World world;
    world.write("kinds/filter/v1.json", released_spec("1.0.0"));
    world.write(path, "{\"mine\": true}");
    const Outcome outcome = world.run({TENON_GEN, "next", "kinds/filter"});
    EXPECT_EQ(outcome.exit, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.find(path + ": error[name-taken]"), 0u) << outcome.err;
    EXPECT_EQ(world.read(path), "{\"mine\": true}");
    const fs::directory_iterator files(world.path("kinds/filter"));
    EXPECT_EQ(std::distance(begin(files), end(files)), 2) << path;
  }
}

const std::string any_thread = "\"threading\": \"any\"";
const std::string one_thread = "\"threading\": \"main\"";

TEST(GenCommand, FreezesReleasedSpecs) {
  const World world;
  world.write("kinds/filter/v1.json", released_spec("0.1.0"));
  const Outcome first = world.run({TENON_GEN, "release", "kinds"});
  EXPECT_EQ(first.exit, 0) << first.err;
  EXPECT_EQ(first.out, "added version 1 of 'photo.example/filter'\n");
  EXPECT_EQ(world.run({TENON_GEN, "release", "kinds"}).out, "no new released version; 0 drafts\n");
  EXPECT_EQ(world.run({TENON_GEN, "check", "kinds"}).exit, 0);
  const std::string list = world.read("kinds/released.json");
  world.write("others/filter/v1.json", released_spec("0.1.0"));
  fs::create_symlink("/dev/zero", world.path("others/released.json"));
  for (const std::string command : {"release", "check"}) {
    EXPECT_EQ(world.run({TENON_GEN, command, "others"}).err,
              "tenon-gen: " +
                  unreadable_text(world.path("others/released.json").string(), "no regular file"));
  }

  world.write("kinds/filter/v1.json", released_spec("0.1.0", any_thread, one_thread));
  for (const char* command : {"check", "headers", "schema", "build", "release"}) {
    std::vector<std::string> line{TENON_GEN, command, "kinds"};
    if (std::string_view("check release").find(command) == std::string_view::npos) {
      line.insert(line.end(), {"--out", "out"});
    }
    const Outcome refused = world.run(line);
    EXPECT_EQ(refused.exit, 1) << command;
    EXPECT_NE(refused.err.find("error[release-changed]: version 1 of 'photo.example/filter' was "
                               "released with 0.1.0 and has changed since\n"
                               "   found   method apply main\n"
                               "   needed  method apply any\n"),
              std::string::npos)
        << refused.err;
  }
  EXPECT_FALSE(std::filesystem::exists(world.root() / "out"));
  EXPECT_EQ(world.read("kinds/released.json"), list);

  const Outcome again = world.run({TENON_GEN, "release", "--again", "kinds"});
  EXPECT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(again.out,
            "replaced version 1 of 'photo.example/filter', which breaks existing binaries\n"
            "  - method apply any\n  + method apply main\n");
  EXPECT_EQ(world.run({TENON_GEN, "check", "kinds"}).exit, 0);
}

TEST(GenCommand, RefusesAVersionThatIsListedTwice) {
  const World world;
  world.write("kinds/filter/v1.json", released_spec("0.1.0"));
  EXPECT_EQ(world.run({TENON_GEN, "release", "kinds"}).exit, 0);
  std::string list = world.read("kinds/released.json");
  const auto begin = list.find('[') + 1;
  const std::string entry = list.substr(begin, list.rfind(']') - begin);
  world.write("kinds/released.json", list.insert(begin, entry + ","));
  const Outcome outcome = world.run({TENON_GEN, "check", "kinds"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_NE(outcome.err.find("error[duplicate-name]: version 1 of 'photo.example/filter' is listed "
                             "twice"),
            std::string::npos)
      << outcome.err;
}

TEST(GenCommand, NeverReplacesASpecReleasedAs1) {
  const World world;
  world.write("kinds/filter/v1.json", released_spec("1.0.0"));
  EXPECT_EQ(world.run({TENON_GEN, "release", "kinds"}).exit, 0);
  world.write("kinds/filter/v1.json", released_spec("1.0.0", any_thread, one_thread));
  const Outcome again = world.run({TENON_GEN, "release", "--again", "kinds"});
  EXPECT_EQ(again.exit, 1);
  EXPECT_NE(again.err.find("release-changed"), std::string::npos) << again.err;
}

TEST(GenCommand, RefusesAReleasedSpecThatBecomesADraft) {
  for (const std::string release : {"0.1.0", "1.0.0"}) {
    const World world;
    world.write("kinds/filter/v1.json", released_spec(release));
    EXPECT_EQ(world.run({TENON_GEN, "release", "kinds"}).exit, 0);
    const std::string list = world.read("kinds/released.json");
    std::string draft = spec;
    draft.replace(draft.find("\"doc\""), 0, "\"life\": \"draft\", ");
    world.write("kinds/filter/v1.json", draft);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"check"}, {"release"}, {"release", "--again"}}) {
      std::vector<std::string> line{TENON_GEN};
      line.insert(line.end(), command.begin(), command.end());
      line.emplace_back("kinds");
      const Outcome outcome = world.run(line);
      EXPECT_EQ(outcome.exit, 1) << command.back();
      EXPECT_NE(outcome.err.find("error[release-changed]"), std::string::npos) << outcome.err;
      EXPECT_NE(outcome.err.find("found   life draft\n   needed  life released\n"),
                std::string::npos)
          << outcome.err;
    }
    EXPECT_EQ(world.read("kinds/released.json"), list);
  }
}

TEST(GenCommand, ReleasesAddedFields) {
  const World world;
  const auto with = [](const std::string& type) {
    return released_spec("0.1.0", any_thread,
                         any_thread + ", \"request\": {\"a\": \"bool\", \"mask\": {\"type\": \"" +
                             type + "\", \"added\": \"2026-12-24\"}}");
  };
  world.write("kinds/filter/v1.json",
              released_spec("0.1.0", any_thread, any_thread + ", \"request\": {\"a\": \"bool\"}"));
  EXPECT_EQ(world.run({TENON_GEN, "release", "kinds"}).exit, 0);
  world.write("kinds/filter/v1.json", with("optional<bytes>"));
  const Outcome unlisted = world.run({TENON_GEN, "check", "kinds"});
  EXPECT_EQ(unlisted.exit, 1);
  EXPECT_NE(unlisted.err.find("error[release-not-listed]"), std::string::npos) << unlisted.err;
  const Outcome added = world.run({TENON_GEN, "release", "kinds"});
  EXPECT_EQ(added.out, "added photo_filter_v1_apply_request.mask optional<bytes> at 16\n")
      << added.err;
  EXPECT_EQ(world.run({TENON_GEN, "check", "kinds"}).exit, 0);
  world.write("kinds/filter/v1.json", with("optional<string>"));
  EXPECT_NE(world.run({TENON_GEN, "check", "kinds"}).err.find("release-changed"),
            std::string::npos);
}

TEST(GenCommand, KnowsTheReleaseOfAListedSpec) {
  const World world;
  world.write("kinds/filter/v1.json", released_spec("1.0.0"));
  EXPECT_EQ(world.run({TENON_GEN, "release", "kinds"}).exit, 0);
  world.write("kinds/filter/v1.json", released_spec("0.9.0", any_thread, one_thread));
  const Outcome again = world.run({TENON_GEN, "release", "--again", "kinds"});
  EXPECT_EQ(again.exit, 1) << again.out;
  EXPECT_NE(again.err.find("was released with 1.0.0 and has changed since"), std::string::npos)
      << again.err;
  // A field that is added does not change the release.
  const std::string request = R"(, "request": {"x": {"type": "optional<bool>", "added": ")";
  const std::string added = any_thread + request + "2026-12-24\"}}";
  world.write("kinds/filter/v1.json", released_spec("0.9.0", any_thread, added));
  EXPECT_EQ(world.run({TENON_GEN, "release", "kinds"}).exit, 0);
  world.write("kinds/filter/v1.json", released_spec("0.9.0", any_thread, one_thread));
  EXPECT_EQ(world.run({TENON_GEN, "release", "--again", "kinds"}).exit, 1);
}

TEST(GenCommand, ReadsListsWithoutReleases) {
  const World world;
  world.write("kinds/filter/v1.json", released_spec("1.0.0"));
  EXPECT_EQ(world.run({TENON_GEN, "release", "kinds"}).exit, 0);
  const std::string list = world.read("kinds/released.json");
  std::string older = list;
  const std::string entry = "\"release\": \"1.0.0\",";
  ASSERT_NE(older.find(entry), std::string::npos) << older;
  world.write("kinds/released.json", older.erase(older.find(entry), entry.size()));
  const Outcome checked = world.run({TENON_GEN, "check", "kinds"});
  EXPECT_EQ(checked.exit, 0) << checked.err;
  EXPECT_EQ(world.run({TENON_GEN, "release", "kinds"}).out,
            "added the release of version 1 of 'photo.example/filter', 1.0.0\n");
  EXPECT_EQ(world.read("kinds/released.json"), list);
  EXPECT_EQ(world.run({TENON_GEN, "release", "kinds"}).out, "no new released version; 0 drafts\n");
}

TEST(GenCommand, ReportsAChangedReleaseInsteadOfItsDraft) {
  const World world;
  world.write("kinds/filter/v1.json", released_spec("1.0.0"));
  EXPECT_EQ(world.run({TENON_GEN, "release", "kinds"}).exit, 0);
  EXPECT_EQ(world.run({TENON_GEN, "next", "kinds/filter"}).exit, 0);
  const std::string takes_a = any_thread + ", \"request\": {\"a\": \"bool\"}";
  world.write("kinds/filter/v1.json", released_spec("1.0.0", any_thread, takes_a));
  const Outcome changed = world.run({TENON_GEN, "check", "kinds"});
  EXPECT_EQ(changed.exit, 1);
  EXPECT_NE(changed.err.find("kinds/filter/v1.json:"), std::string::npos) << changed.err;
  EXPECT_NE(changed.err.find("error[release-changed]"), std::string::npos) << changed.err;
  EXPECT_EQ(changed.err.find("v2.json"), std::string::npos) << changed.err;
  EXPECT_EQ(changed.err.find("evolution.json"), std::string::npos) << changed.err;

  std::filesystem::remove(world.root() / "kinds/filter/v1.json");
  EXPECT_EQ(world.run({TENON_GEN, "check", "kinds"}).err,
            world.path("kinds/released.json").string() +
                ": error[release-missing]: version 1 of 'photo.example/filter' was released, but "
                "its spec is missing\n"
                "   needed  the file v1.json\n"
                "   fix     restore it; the life of a document type may be \"removed\"\n");
}

/// Returns a released spec whose field was added later. Only this field uses the enum `m`.
std::string spec_with_added_enum(const std::string& values, const std::string& type) {
  const std::string request =
      R"(, "request": {"x": {"type": "optional<)" + type + R"(>", "added": "2026-12-24"}})";
  const std::string types = R"("enums": {"m": [)" + values +
                            R"(]}, "structs": {"s": {"fields": {"inner": "list<m>"}}}, )";
  std::string text = released_spec("1.0.0", any_thread, any_thread + request);
  return text.insert(text.find("\"methods\""), types);
}

TEST(GenCommand, FreezesEnumsOfAddedFields) {
  for (const std::string type : {"m", "s"}) {
    const World world;
    world.write("kinds/filter/v1.json", spec_with_added_enum(R"("a", "b")", type));
    EXPECT_EQ(world.run({TENON_GEN, "release", "kinds"}).exit, 0);
    EXPECT_EQ(world.run({TENON_GEN, "check", "kinds"}).exit, 0);
    const std::string list = world.read("kinds/released.json");
    world.write("kinds/filter/v1.json", spec_with_added_enum(R"("b", "a")", type));
    const Outcome swapped = world.run({TENON_GEN, "check", "kinds"});
    EXPECT_EQ(swapped.exit, 1) << type;
    EXPECT_NE(swapped.err.find("error[release-changed]"), std::string::npos) << swapped.err;
    EXPECT_NE(swapped.err.find("found   added enum m b a\n   needed  added enum m a b\n"),
              std::string::npos)
        << swapped.err;

    // Lists of earlier releases of tenon-gen lack the enum.
    const std::string line = "\"added enum m a b\",";
    ASSERT_NE(list.find(line), std::string::npos) << list;
    std::string older = list;
    older.erase(older.find(line), line.size());
    world.write("kinds/released.json", older);
    world.write("kinds/filter/v1.json", spec_with_added_enum(R"("a", "b")", type));
    const Outcome checked = world.run({TENON_GEN, "check", "kinds"});
    EXPECT_EQ(checked.exit, 0) << checked.err;
    EXPECT_EQ(world.run({TENON_GEN, "release", "kinds"}).out, "added enum m a b\n");
    EXPECT_EQ(world.read("kinds/released.json"), list);
  }
}

TEST(GenCommand, ReportsAMissingReleasedSpec) {
  const World world;
  world.write("kinds/filter/v1.json", released_spec("0.1.0"));
  std::string second = released_spec("0.1.0");
  second.replace(second.find("\"version\": 1"), 12, "\"version\": 2");
  world.write("kinds/filter/v2.json", second);
  world.write("kinds/filter/evolution.json",
              R"({"kind": "photo.example/filter", "steps": [{"from": 1, "to": 2}]})");
  EXPECT_EQ(world.run({TENON_GEN, "release", "kinds"}).exit, 0);
  std::filesystem::remove(world.root() / "kinds/filter/v2.json");
  std::filesystem::remove(world.root() / "kinds/filter/evolution.json");
  const Outcome outcome = world.run({TENON_GEN, "check", "kinds"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_NE(outcome.err.find("error[release-missing]"), std::string::npos) << outcome.err;
}

TEST(GenCommand, ReportsAReleasedKindWithoutSpecs) {
  // The list is above the directories of all kinds, or in the directory of the missing kind.
  for (const std::string directory : {"kinds", "kinds/blur"}) {
    const World world;
    world.write("kinds/filter/v1.json", released_spec("0.1.0"));
    world.write("kinds/blur/v1.json",
                released_spec("0.1.0", "photo.example/filter", "photo.example/blur"));
    EXPECT_EQ(world.run({TENON_GEN, "release", directory}).exit, 0);
    EXPECT_EQ(world.run({TENON_GEN, "check", "kinds"}).exit, 0);
    fs::remove(world.path("kinds/blur/v1.json"));
    const Outcome outcome = world.run({TENON_GEN, "check", "kinds"});
    EXPECT_EQ(outcome.exit, 1);
    EXPECT_NE(outcome.err.find(directory + "/released.json: error[release-missing]: version 1 of "
                                           "'photo.example/blur' was released"),
              std::string::npos)
        << outcome.err;
    // Other kinds of the list may be outside of the given directory.
    EXPECT_EQ(world.run({TENON_GEN, "check", "kinds/filter"}).exit, 0);
  }
}

TEST(GenCommand, ReturnsDocumentedExitCodes) {
  const World world;
  world.write("kinds/filter/v1.json", spec);
  EXPECT_EQ(world.run({TENON_GEN}).exit, 2);
  EXPECT_EQ(world.run({TENON_GEN, "check", "--unknown", "kinds"}).exit, 2);
  EXPECT_EQ(world.run({TENON_GEN, "--help"}).exit, 0);
  EXPECT_EQ(world.run({TENON_GEN, "check", "nowhere"}).exit, 3);
  EXPECT_EQ(world.run({TENON_GEN, "headers", "--out", "/proc/none", "kinds"}).exit, 3);
  const std::vector<std::string> build{TENON_GEN,          "build", "--out",     "out", "kinds",
                                       "--standard-specs", ABI,     "--standard"};
  for (const char* wanted : {"source", "source@9", "sorce@1"}) {
    std::vector<std::string> command = build;
    command.emplace_back(wanted);
    EXPECT_EQ(world.run(command).exit, 2) << wanted;
  }
  std::vector<std::string> command = build;
  command.emplace_back("source@1");
  const Outcome outcome = world.run(command);
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
}

}  // namespace
