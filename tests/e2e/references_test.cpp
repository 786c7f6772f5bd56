// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline and tenon-backup with settings whose values come from variables and files.
#include <tenon/pipeline_position_json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "e2e/pipeline/pipeline.hpp"

namespace tenon::tests { namespace {

class References : public Pipeline {
 protected:
  /// Writes a pipeline with this JSON value as "note" of its destination.
  void write_note(const std::string& value) {
    write_actors("\"count\": \"3\"", "\"note\": " + value);
  }
  bool has_journal(const std::string& line) {
    const Lines lines = journal();
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  }
  std::string stored_note() {
    const auto state = tenon::read_pipeline_position(world.read("state/position.json"));
    return state ? state->destinations.at(0).config.at("note") : "no position";
  }
};

TEST_F(References, AreReplacedForPluginsButNotStored) {
  world.set("SECRET", "hunter2hunter2");
  write_note(R"("a ${SECRET}-$${SECRET} $1")");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_TRUE(has_journal("destination: created a hunter2hunter2-${SECRET} $1"));
  EXPECT_EQ(stored_note(), "a ${SECRET}-$${SECRET} $1");
  EXPECT_EQ(world.read("state/position.json").find("hunter2"), std::string::npos);

  world.write("journal", "");
  world.set("SECRET", "another-value");
  EXPECT_EQ(world.run({TENON_PIPELINE, "delete", "pipeline.json"}).exit, 0);
  EXPECT_TRUE(has_journal("destination: deleted a another-value-${SECRET} $1"));
}

TEST_F(References, OfFilesAreRelativeToThePipelineFile) {
  world.set("NAME", "secret");
  world.write("directory/secret.txt", " hunter2hunter2\n");
  write_note(R"({"file": "${NAME}.txt"})");
  world.write("directory/pipeline.json", world.read("pipeline.json"));
  const Outcome outcome = world.run({TENON_PIPELINE, "run", "directory/pipeline.json"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_TRUE(has_journal("destination: created hunter2hunter2"));
  const std::string position = world.read("directory/state/position.json");
  EXPECT_EQ(position.find("hunter2"), std::string::npos);
  EXPECT_NE(position.find("/directory/${NAME}.txt}"), std::string::npos) << position;

  world.write("journal", "");
  EXPECT_EQ(world.run({TENON_PIPELINE, "delete", "directory/pipeline.json"}).exit, 0);
  EXPECT_TRUE(has_journal("destination: deleted hunter2hunter2"));
}

TEST_F(References, ThatCannotBeReplacedAreErrors) {
  const auto expect = [&](const std::string& value, int exit, const std::string& text) {
    write_note(value);
    const Outcome outcome = run();
    EXPECT_EQ(outcome.exit, exit) << value;
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("pipeline.json:1:")) << outcome.err;
  };
  expect(
      R"("${ABSENT}")", 2,
      "error[unset-variable]: the value of 'note' needs the variable 'ABSENT', which is not set\n"
      "   needed  'ABSENT' in the environment of this program\n");
  expect(R"("${A-B}")", 2,
         "error[wrong-reference]: the value of 'note' has a wrong reference\n"
         "   found   ${A-B}\n");
  expect(R"("${OPEN")", 2, "found   ${OPEN\n");
  expect(R"({"file": "absent"})", 3,
         "error[cannot-read]: the file with the value of 'note' cannot be read\n"
         "   found   absent: reading the file: No such file or directory\n");
  expect(R"({"files": "a"})", 2, "error[wrong-type]");
  world.write("binary", std::string("a\0b", 3));
  expect(R"({"file": "binary"})", 2, "error[wrong-value]");
}

TEST_F(References, ToValuesThatAPluginDoesNotAcceptAreNotPrinted) {
  world.set("LEVEL", "hunter2");
  write_pipeline(plugin("test.example/actor", ""),
                 plugin("tenon.dev/log", R"("level": "${LEVEL}")"));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("found   ${LEVEL}\n"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("hunter2"), std::string::npos) << outcome.err;
}

TEST_F(References, AreHiddenInErrorsDeadLettersAndTheLog) {
  world.set("DIRECTORY", "hunter2");
  world.write("hunter2/here", "");
  world.write("in.jsonl", "{\"a\":1}\n{\"b\":\"in hunter2\"}\n");
  world.write("pipeline.json", R"({"name": "test", "position": "p.json",
    "source": {"plugin": "tenon.dev/file", "config": {"path": "in.jsonl"}},
    "destinations": [{"plugin": "tenon.dev/file", "config": {"path": "${DIRECTORY}/out.csv"}},
                     {"plugin": "tenon.dev/log"}],
    "dead_letters": {"plugin": "tenon.dev/file", "config": {"path": "refused.jsonl"},
                     "limit": {"refused": 0, "of": 0}}})");
  Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("[tenon] [info] tenon.dev/log (tenon.dev/builtin): create 2: "
                             "{\"b\":\"in ${DIRECTORY}\"}\n"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(outcome.err.find("hunter2"), std::string::npos) << outcome.err;
  const std::string letters = world.read("refused.jsonl");
  EXPECT_NE(letters.find("is not in the header of ${DIRECTORY}/out.csv"), std::string::npos)
      << letters;

  world.set("DIRECTORY", "hunter2/absent");
  outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_NE(outcome.err.find("${DIRECTORY}/out.csv"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("hunter2"), std::string::npos) << outcome.err;
}

TEST_F(References, AreReplacedInConfigurationsOfBackups) {
  world.set("DIRECTORY", "hunter2hunter2");
  world.write("tenon-backup.json",
              R"({"store": {"plugin": "filesystem", "config": {"directory": "${DIRECTORY}"}}})");
  world.write("items/a.json",
              R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"n"}})");
  Outcome outcome = world.run({TENON_BACKUP, "--json", "create", "b", "--from", "items"});
  EXPECT_EQ(outcome.exit, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("${DIRECTORY}"), std::string::npos) << outcome.err;
  EXPECT_EQ((outcome.out + outcome.err).find("hunter2"), std::string::npos) << outcome.err;

  world.write("hunter2hunter2/here", "");
  outcome = world.run({TENON_BACKUP, "create", "b", "--from", "items"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ((outcome.out + outcome.err).find("hunter2"), std::string::npos) << outcome.out;
}

}}  // namespace tenon::tests
