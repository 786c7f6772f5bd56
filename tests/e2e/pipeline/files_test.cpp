// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline: pipeline files, their validation, I/O errors, and usage.
#include <tenon/pipeline_position_json.hpp>

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "e2e/pipeline/pipeline.hpp"
#include "framework/path_texts.hpp"

namespace tenon::tests { namespace {

// -- Validation ---------------------------------------------------------------

TEST_F(Pipeline, ValidatesAFileWithoutOpeningPlugins) {
  write_actors("\"count\": \"3\"");
  const Outcome outcome = world.run({TENON_PIPELINE, "validate", "pipeline.json"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.out, "pipeline.json: no problem found\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(journal(), (Lines{"source: configure", "destination: configure", "source: teardown",
                              "destination: teardown"}));
  EXPECT_FALSE(std::filesystem::exists(world.root() / "state"));
}

TEST_F(Pipeline, ReportsTheSameProblemsInValidateAndRun) {
  write_pipeline(plugin("test.example/acter", "\"count\": \"3\""),
                 plugin("tenon.dev/log", "\"level\": \"loud\""));
  const Outcome outcome = world.run({TENON_PIPELINE, "validate", "pipeline.json"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, run().err);
}

TEST_F(Pipeline, WarnsOfUnreadParameters) {
  write_actors("\"conut\": \"3\"");
  const Outcome outcome = world.run({TENON_PIPELINE, "validate", "pipeline.json"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_NE(outcome.err.find("[warning] test.example/actor: the plugin did not use these "
                             "parameters: \"conut\"\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(Pipeline, FillsInParameterDefaults) {
  write_pipeline(plugin("tenon.dev/generator", "\"count\": \"1\", \"size\": \" \""),
                 plugin("tenon.dev/log", ""));
  EXPECT_EQ(run().exit, 0);
  const auto state = tenon::read_pipeline_position(world.read("state/position.json"));
  ASSERT_TRUE(state);
  EXPECT_EQ(state->source->config, (TextMap{{"count", "1"}, {"rate", "0"}, {"size", "100"}}));
  EXPECT_EQ(state->destinations.at(0).config, (TextMap{{"format", "line"}, {"level", "info"}}));
}

// -- Wrong files --------------------------------------------------------------

TEST_F(Pipeline, ReportsAllProblemsOfAFile) {
  world.write("pipeline.json", R"({
  "name": "test",
  "sorce": {},
  "source": {"plugin": "test.example/acter", "config": {"count": 3}},
  "destinations": [
    {"plugin": "tenon.dev/sqlite", "config": {"path": "out.db", "tabel": "t"}},
    {"plugin": "tenon.dev/log", "config": {"level": "loud"}},
    {"plugin": "drop-in:tenon.dev/log"}
  ]
})");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            R"(pipeline.json:1:1: error[missing-key]: a pipeline lacks the key 'position'
   fix     add "position": ...
pipeline.json:3:3: error[unknown-key]: a pipeline has no key 'sorce'
   needed  'name', 'source', 'processors', 'destinations', 'dead_letters', 'position', 'window' and 'stall'
   fix     did you mean 'source'?
pipeline.json:4:24: error[not-found]: test.example/acter
   found   neither a standalone plugin nor a builtin; only tenon.dev/file, tenon.dev/generator, tenon.dev/sqlite, test.example/actor
   needed  a plugin of tenon.dev/source with that name
   fix     did you mean 'test.example/actor'?
pipeline.json:4:66: error[wrong-type]: the value of 'count' has the wrong type
   found   an integer
   needed  a string: every value of a config is one, or {"file": "PATH"}
   fix     put it in quotes
pipeline.json:6:46: error[missing-parameter]: 'tenon.dev/sqlite' needs the parameter 'table'
   needed  'table': the table to write, which is created if missing, or a template: {metadata.opencdc.collection}
   fix     add "table": "..." to its config
pipeline.json:6:65: error[unknown-parameter]: 'tenon.dev/sqlite' has no parameter 'tabel'
   needed  'columns', 'key', 'path' and 'table'
   fix     did you mean 'table'?
pipeline.json:7:53: error[wrong-parameter]: 'tenon.dev/log' does not accept this value of 'level'
   found   loud
   needed  one of ["trace", "debug", "info", "warn", "error"]
   fix     change the value
pipeline.json:8:16: error[bad-reference]: "drop-in:tenon.dev/log"
   found   the prefix "drop-in", which is neither builtin nor standalone
   needed  [builtin:|standalone:]name[@version], eg: example.io/dpkg@1.0.0 or example.io/dpkg@^1.2
   fix     write the reference in that form
)");
  EXPECT_FALSE(std::filesystem::exists(world.root() / "out.db"));
}

TEST_F(Pipeline, RefusesAPositionWithANulCharacter) {
  write_actors("");
  std::string file = world.read("pipeline.json");
  world.write("pipeline.json", file.insert(file.find(".json\"}"), "\\u0000"));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("error[wrong-value]: 'position' has a NUL character\n"
                             "   needed  a string without one\n"
                             "   fix     remove the character\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(Pipeline, ReportsTheBrokenFileOfAMissingPlugin) {
  world.place(world.write("broken", "no module"), "dpkg.so");
  write_pipeline(plugin("example.io/dpkg", ""), plugin("test.example/actor", ""));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.err.find("tenon-pipeline: skipped: error[not-a-module]"), 0u) << outcome.err;
  EXPECT_NE(outcome.err.find("error[not-found]: example.io/dpkg"), std::string::npos);
}

TEST_F(Pipeline, ReportsConfigsThatPluginsRefuse) {
  write_pipeline(plugin("test.example/actor", "\"count\": \"many\""),
                 plugin("test.example/actor", "\"hold\": \"perhaps\""));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(lines_of(outcome.err).size(), 2u) << outcome.err;
  EXPECT_NE(outcome.err.find("configure: parameter \"count\" is \"many\""), std::string::npos);
  EXPECT_NE(outcome.err.find("configure: parameter \"hold\" is \"perhaps\""), std::string::npos);
}

TEST_F(Pipeline, SuggestsPluginsWithSimilarNames) {
  const struct {
    const char* reference;
    const char* fix;
  } all[] = {
      {"tenon.dev/generatr", "did you mean 'tenon.dev/generator'?"},
      {"generatr", "did you mean 'tenon.dev/generator'?"},
      {"builtin:generatr@0.1", "did you mean 'tenon.dev/generator'?"},
      // The name is right.
      {"tenon.dev/generator@9",
       "put its module into a directory of the plugin path, or correct the "},
      {"standalone:generator",
       "put its module into a directory of the plugin path, or correct the "},
  };
  for (const auto& one : all) {
    write_pipeline(plugin(one.reference, ""), plugin("tenon.dev/log", ""));
    EXPECT_NE(run().err.find(std::string("   fix     ") + one.fix), std::string::npos)
        << one.reference << "\n"
        << run().err;
  }
}

TEST_F(Pipeline, ReportsInvalidAndMissingFiles) {
  world.write("pipeline.json", "{\"name\": \"test\",}\n");
  EXPECT_EQ(run().exit, 2);
  EXPECT_EQ(run().err.find("pipeline.json:1:17: error[not-json]"), 0u) << run().err;
  const Outcome missing = world.run({TENON_PIPELINE, "run", "nowhere.json"});
  EXPECT_EQ(missing.exit, 3);
  EXPECT_EQ(missing.err,
            unreadable_text("nowhere.json", "reading the file: No such file or directory"));
  world.write("locked/pipeline.json", "{}");
  for (const char* path : {"locked/pipeline.json", "locked"}) {
    SCOPED_TRACE(path);
    std::filesystem::permissions(world.path(path), std::filesystem::perms::none);
    const Outcome refused = world.run(unprivileged({TENON_PIPELINE, "run", path}));
    std::filesystem::permissions(world.path(path), std::filesystem::perms::owner_all);
    EXPECT_EQ(refused.exit, 3);
    const std::string what = path == std::string("locked") ? "directory" : "file";
    EXPECT_EQ(refused.err, unreadable_text(path, "reading the " + what + ": Permission denied"));
  }
}

TEST_F(Pipeline, RefusesThePositionOfAnotherPipeline) {
  write_actors("");
  ASSERT_EQ(run().exit, 0);
  world.write("in.jsonl", "{}\n");
  write_pipeline(plugin("tenon.dev/file", "\"path\": \"in.jsonl\""),
                 plugin("test.example/actor", ""));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("error[wrong-position]"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("found   test.example/actor"), std::string::npos);
  EXPECT_EQ(position(), "10");

  write_actors("");
  std::string file = world.read("pipeline.json");
  world.write("pipeline.json", file.replace(file.find("\"test\""), 6, "\"other\""));
  const Outcome renamed = run();
  EXPECT_EQ(renamed.exit, 2);
  EXPECT_NE(renamed.err.find("position.json contains the position of another pipeline\n"
                             "   found   test\n   needed  other\n"),
            std::string::npos)
      << renamed.err;
}

/// Counts how often a file is opened.
class Opens {
 public:
  explicit Opens(const std::filesystem::path& file) : queue_(::inotify_init1(IN_NONBLOCK)) {
    // Equal events in a row would be merged.
    EXPECT_GE(::inotify_add_watch(queue_, file.c_str(), IN_OPEN | IN_CLOSE), 0);
  }
  ~Opens() { ::close(queue_); }
  Opens(const Opens&) = delete;
  Opens& operator=(const Opens&) = delete;

  /// Returns the number since the last call.
  int take() const {
    int opens = 0;
    alignas(inotify_event) char events[4096];
    for (ssize_t size; (size = ::read(queue_, events, sizeof events)) > 0;) {
      for (ssize_t at = 0; at < size; at += static_cast<ssize_t>(sizeof(inotify_event))) {
        if ((reinterpret_cast<inotify_event*>(events + at)->mask & IN_OPEN) != 0) ++opens;
      }
    }
    return opens;
  }

 private:
  const int queue_;
};

TEST_F(Pipeline, HashesTheFileOfAModuleOnce) {
  const auto run_with = [&](const std::string& members) {
    world.write("pipeline.json",
                R"({"name": "test", "position": "state/position.json", )" + members + "}");
    const Opens opens(world.plugins() / "actor.so");
    EXPECT_EQ(run().exit, 0);
    return opens.take();
  };
  const std::string actor = R"({"plugin": "test.example/actor"})";
  const std::string file = R"({"plugin": "tenon.dev/generator", "config": {"count": "1"}})";
  const std::string log = R"({"plugin": "tenon.dev/log"})";
  const int of_one = run_with("\"source\": " + file + ", \"destinations\": [" + actor + "]");
  std::filesystem::remove_all(world.root() / "state");
  EXPECT_EQ(run_with("\"source\": " + actor + ", \"destinations\": [" + actor + "]"), of_one);
  EXPECT_EQ(run_with("\"source\": " + actor + ", \"destinations\": [" + actor + "]"), of_one)
      << "the position names the module";
  std::filesystem::remove_all(world.root() / "state");
  EXPECT_EQ(run_with("\"source\": " + file + ", \"processors\": [" + actor +
                     "], \"destinations\": [" + log + "]"),
            of_one - 1)
      << "the hash of a processor is not stored";
}

/// Any table may be the one that a template chooses.
TEST_F(Pipeline, RefusesATemplateOfTablesInTheDatabaseOfItsSource) {
  const std::string to = plugin(
      "tenon.dev/sqlite", R"("path": "one.db", "table": "copy_{metadata.opencdc.collection}")");
  for (const char* from : {R"("table": "a")", R"("tables": "a, b")"}) {
    write_pipeline(plugin("tenon.dev/sqlite", std::string(R"("path": "one.db", )") + from), to);
    const Outcome outcome = world.run({TENON_PIPELINE, "validate", "pipeline.json"});
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_NE(outcome.err.find("error[same-file]"), std::string::npos) << outcome.err;
  }
}

TEST_F(Pipeline, WarnsOfAPositionThatOtherPluginsWrote) {
  write_actors("");
  world.place(ACTOR_2, "actor.so");
  ASSERT_EQ(run().exit, 0);
  const auto state = tenon::read_pipeline_position(world.read("state/position.json"));
  ASSERT_TRUE(state);
  const Outcome sum = world.run({"sha256sum", "plugins/actor.so"});
  EXPECT_EQ(state->source->sha256, sum.out.substr(0, 64));
  EXPECT_EQ(run().err, "");

  std::ofstream(world.plugins() / "actor.so", std::ios::app) << "another build";
  const std::string path = (world.root() / "plugins/actor.so").string();
  const Outcome rebuilt = run();
  EXPECT_EQ(rebuilt.exit, 0);
  EXPECT_NE(rebuilt.err.find("warning[other-plugin]"), std::string::npos) << rebuilt.err;
  EXPECT_EQ(rebuilt.err.find("warning[other-plugin]"), rebuilt.err.rfind("warning[other-plugin]"))
      << "once, although it is the source and the destination";
  EXPECT_NE(
      rebuilt.err.find("another build of a plugin that wrote it is installed\n   found   " + path),
      std::string::npos)
      << rebuilt.err;
  EXPECT_EQ(run().err, "") << "the new build has written the position since";

  world.place(ACTOR_1, "actor.so");
  const Outcome older = run();
  EXPECT_EQ(older.exit, 0);
  EXPECT_NE(older.err.find("an older version of a plugin that wrote it is installed\n"),
            std::string::npos)
      << older.err;
}

TEST_F(Pipeline, RefusesThePositionOfOtherData) {
  const auto run_file = [&](const std::string& config) {
    write_pipeline(plugin("tenon.dev/file", config),
                   plugin("tenon.dev/file", "\"path\": \"out.jsonl\""));
    return run();
  };
  world.write("a.jsonl", "{\"a\":1}\n{\"a\":2}\n");
  world.write("b.jsonl", "{\"b\":1}\n{\"b\":2}\n{\"b\":3}\n");
  ASSERT_EQ(run_file("\"path\": \"a.jsonl\"").exit, 0);
  const std::string stored = position();
  // Every run reports it, not only the first one after the change.
  for (int i = 0; i < 2; ++i) {
    const Outcome changed = run_file("\"path\": \"b.jsonl\"");
    EXPECT_EQ(changed.exit, 1);
    EXPECT_NE(
        changed.err.find("state/position.json: wrong-position: the position is of another path as "
                         "json-lines, but b.jsonl as json-lines is configured; fix: "),
        std::string::npos)
        << changed.err;
  }
  EXPECT_EQ(run_file("\"path\": \"a.jsonl\", \"format\": \"csv\"").exit, 1);
  world.write("a.jsonl", "{\"c\":1}\n{\"c\":2}\n{\"c\":3}\n");
  const Outcome replaced = run_file("\"path\": \"a.jsonl\"");
  EXPECT_EQ(replaced.exit, 1);
  EXPECT_NE(replaced.err.find("data-loss: a.jsonl does not contain what was read from it"),
            std::string::npos)
      << replaced.err;
  EXPECT_EQ(position(), stored);
  EXPECT_EQ(world.read("out.jsonl"), "{\"a\":1}\n{\"a\":2}\n");
}

TEST_F(Pipeline, ReportsADamagedPosition) {
  write_actors("");
  ASSERT_EQ(run().exit, 0);
  write_private("state/position.json", "{\"type\":\"tenon.dev/pipeline_position\",\"version\":1");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("position.json:1:"), std::string::npos) << outcome.err;
  EXPECT_EQ(written().size(), 10u);
}

// -- Files of two purposes ----------------------------------------------------

TEST_F(Pipeline, RefusesAFileOfTwoPurposes) {
  world.write("in.jsonl", "{\"a\":1}\n");
  std::filesystem::create_symlink("in.jsonl", world.path("link.jsonl"));
  std::filesystem::create_hard_link(world.root() / "in.jsonl", world.root() / "hard.jsonl");
  std::filesystem::create_symlink("state/position.json", world.path("to-position.jsonl"));
  std::filesystem::create_directory_symlink(world.root(), world.root() / "here");
  const struct {
    std::string source, destination, message;
  } rows[] = {
      {"in.jsonl", "./in.jsonl",
       "the destination tenon.dev/file is also the source tenon.dev/file"},
      {"in.jsonl", "link.jsonl",
       "the destination tenon.dev/file is also the source tenon.dev/file"},
      {"hard.jsonl", "in.jsonl",
       "the destination tenon.dev/file is also the source tenon.dev/file"},
      {"in.jsonl", "here/link.jsonl", "is also the source"},
      {"in.jsonl", "pipeline.json", "the destination tenon.dev/file is also the pipeline file"},
      {"in.jsonl", "here/state/position.json", "is also the position"},
      {"in.jsonl", "to-position.jsonl", "the destination tenon.dev/file is also the position"},
      {"in.jsonl", "state/position.json.lock", "is also the lock of the position"},
      {"pipeline.json", "out.jsonl", "the source tenon.dev/file is also the pipeline file"},
      {"state/position.json", "out.jsonl", "the source tenon.dev/file is also the position"},
  };
  for (const auto& row : rows) {
    write_pipeline(
        plugin("tenon.dev/file", "\"format\": \"json-lines\", \"path\": \"" + row.source + "\""),
        plugin("tenon.dev/file",
               "\"format\": \"json-lines\", \"path\": \"" + row.destination + "\""));
    const Outcome outcome = run();
    EXPECT_EQ(outcome.exit, 2) << row.destination;
    EXPECT_NE(outcome.err.find("error[same-file]: "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(row.message), std::string::npos) << outcome.err;
    const Outcome validated = world.run({TENON_PIPELINE, "validate", "pipeline.json"});
    EXPECT_EQ(validated.exit, 2);
    EXPECT_EQ(validated.err, outcome.err);
  }
  EXPECT_EQ(world.read("in.jsonl"), "{\"a\":1}\n");
  EXPECT_FALSE(std::filesystem::exists(world.root() / "state"));
  EXPECT_FALSE(std::filesystem::exists(world.root() / "out.jsonl"));
}

TEST_F(Pipeline, RefusesDeadLettersInTheSource) {
  world.write("in.jsonl", "{\"a\":1}\n");
  world.write("pipeline.json",
              R"({"name": "test", "source": )" + plugin("tenon.dev/file", R"("path": "in.jsonl")") +
                  R"(, "destinations": [)" + plugin("tenon.dev/file", R"("path": "out.jsonl")") +
                  R"(], "dead_letters": {"plugin": "tenon.dev/file", "config": {"path": )"
                  R"("./in.jsonl"}, "limit": {"refused": 1, "of": 0}}, "position": "position"})");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("(tenon.dev/file) is also the source tenon.dev/file"),
            std::string::npos)
      << outcome.err;
}

TEST_F(Pipeline, ReadsAndWritesTablesOfOneDatabase) {
  ASSERT_EQ(world
                .run({"python3", "-c",
                      "import sqlite3; c = sqlite3.connect('s.db'); c.executescript("
                      "'create table t(id integer primary key); insert into t values (1)')"})
                .exit,
            0);
  const auto copy_to = [&](const std::string& table) {
    write_pipeline(plugin("tenon.dev/sqlite", R"("path": "s.db", "table": "t")"),
                   plugin("tenon.dev/sqlite", R"("path": "s.db", "table": ")" + table + "\""));
    return run().exit;
  };
  EXPECT_EQ(copy_to("u"), 0);
  EXPECT_EQ(copy_to("T"), 2);
}

TEST_F(Pipeline, LocksItsPositionUnderEachName) {
  write_actors("\"count\": \"100000\", \"batch\": \"1\", \"delay\": \"1ms\"");
  const std::string file = world.read("pipeline.json");
  const auto run_with = [&](const std::string& position) {
    std::string other = file;
    const std::string before = "state/position.json";
    other.replace(other.rfind(before), before.size(), position);
    world.write("other.json", other);
    return world.run({TENON_PIPELINE, "run", "other.json"});
  };
  write_private("state/position.json", R"({"type":"tenon.dev/pipeline_position","version":1,)"
                                       R"("writer":"w","value":{"pipeline":"test"}})");
  std::filesystem::create_hard_link(world.root() / "state/position.json",
                                    world.root() / "hard.json");
  std::filesystem::create_directory_symlink("state", world.root() / "linked");
  Child child = start();
  ASSERT_TRUE(wrote(5));
  for (const char* name : {"hard.json", "linked/position.json"}) {
    const Outcome second = run_with(name);
    EXPECT_EQ(second.exit, 3) << name;
    EXPECT_NE(second.err.find("error[in-use]"), std::string::npos) << second.err;
  }
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 0);
}

TEST_F(Pipeline, ReportsAPositionThatCannotBeStoredWhenItIsValidated) {
  world.write("state", "a file where a directory should be");
  write_actors("");
  const Outcome outcome = world.run({TENON_PIPELINE, "validate", "pipeline.json"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("error[cannot-write]: the position cannot be saved\n   found   "),
            std::string::npos)
      << outcome.err;
}

// -- I/O errors and usage -----------------------------------------------------

TEST_F(Pipeline, FailsBeforeOpenIfThePositionCannotBeStored) {
  world.write("state", "a file where a directory should be");
  write_actors("");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.err.find("error[cannot-write]"), std::string::npos) << outcome.err;
  EXPECT_EQ(written(), Lines{});
}

/// SIGXFSZ would end the process.
TEST_F(Pipeline, ReportsAFileThatReachesTheLargestSize) {
  write_pipeline(plugin("tenon.dev/generator", R"("count": "3000")"),
                 plugin("tenon.dev/file", R"("path": "out.jsonl")"));
  const Outcome limited =
      world.run({"sh", "-c", "ulimit -f 64; exec '" TENON_PIPELINE "' run pipeline.json"});
  EXPECT_EQ(limited.exit, 1);
  EXPECT_NE(limited.err.find("tenon.dev/file: write_batch: "), std::string::npos) << limited.err;
  EXPECT_NE(limited.err.find(": File too large"), std::string::npos) << limited.err;
  const Outcome rest = run();
  EXPECT_EQ(rest.exit, 0) << rest.err;
  EXPECT_EQ(position(), "3000");
}

#if !SANITIZED  // a sanitizer needs more memory
TEST_F(Pipeline, ReportsALineThatDoesNotFitIntoMemory) {
  world.write("in.jsonl", "");
  std::filesystem::resize_file(world.root() / "in.jsonl", std::uintmax_t{2} << 30);
  write_pipeline(plugin("tenon.dev/file", R"("path": "in.jsonl")"),
                 plugin("tenon.dev/file", R"("path": "out.jsonl")"));
  const Outcome outcome =
      world.run({"sh", "-c", "ulimit -v 1000000; exec '" TENON_PIPELINE "' run pipeline.json"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: tenon.dev/file: read_batch: resource-exhausted: cannot read in.jsonl: "
            "Cannot allocate memory\n");
}
#endif

TEST_F(Pipeline, RefusesASecondRun) {
  write_actors("\"count\": \"100000\", \"batch\": \"1\", \"delay\": \"1ms\"");
  Child child = start();
  ASSERT_TRUE(wrote(5));
  const Outcome second = run();
  EXPECT_EQ(second.exit, 3);
  EXPECT_NE(second.err.find("error[in-use]"), std::string::npos) << second.err;
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 0);
}

TEST_F(Pipeline, ReportsOutputErrors) {
  write_actors("");
  const std::string command = TENON_PIPELINE " run pipeline.json";
  const std::string told = "tenon-pipeline: cannot write to standard output\n";
  // A full disk, and a pipe without a reader.
  for (const std::string& output :
       {command + " > /dev/full", "exec 5> >(exit 0); wait $!; " + command + " >&5"}) {
    const Outcome outcome = world.run({"bash", "-c", output});
    EXPECT_EQ(outcome.exit, 3) << output;
    EXPECT_EQ(outcome.err, told);
  }
  EXPECT_EQ(position(), "10");
}

TEST_F(Pipeline, SearchesTheGivenPluginPath) {
  std::filesystem::rename(world.plugins(), world.root() / "elsewhere");
  write_actors("");
  EXPECT_EQ(run().exit, 2);
  const Outcome outcome =
      world.run({TENON_PIPELINE, "run", "pipeline.json", "--plugin-path", "elsewhere"});
  EXPECT_EQ(outcome.out, numbers(10, 10, 10)) << outcome.err;
}

TEST_F(Pipeline, PrintsUsage) {
  const std::vector<std::pair<Lines, std::string>> wrong{
      {{}, "tenon-pipeline: A subcommand is required\nSee tenon-pipeline --help.\n"},
      {{"run"}, "tenon-pipeline run: FILE is required\nSee tenon-pipeline run --help.\n"},
      {{"walk", "x"}, "tenon-pipeline: unknown command walk\nSee tenon-pipeline --help.\n"},
      {{"run", "x", "--plugin-pat=y"},
       "tenon-pipeline run: unknown option --plugin-pat\ndid you mean '--plugin-path'?\n"
       "See tenon-pipeline run --help.\n"}};
  for (auto [command, told] : wrong) {
    command.insert(command.begin(), TENON_PIPELINE);
    const Outcome outcome = world.run(command);
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_EQ(outcome.err, told);
  }
  const Outcome help = world.run({TENON_PIPELINE, "--help"});
  EXPECT_EQ(help.exit, 0);
  EXPECT_NE(help.out.find("SIGINT"), std::string::npos);
  const Outcome version = world.run({TENON_PIPELINE, "--version"});
  EXPECT_EQ(version.exit, 0);
  EXPECT_EQ(std::count(version.out.begin(), version.out.end(), '.'), 2) << version.out;
}

}}  // namespace tenon::tests
