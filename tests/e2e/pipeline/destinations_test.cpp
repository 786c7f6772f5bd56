// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline with changing destinations, and deletes pipelines.
#include <tenon/pipeline_position_json.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <regex>
#include <string>

#include "e2e/pipeline/pipeline.hpp"

namespace tenon::tests { namespace {

/// Pipelines with several destinations, each with an id.
class Destinations : public Pipeline {
 protected:
  static std::string actor(const std::string& id, const std::string& note,
                           const std::string& more = {}) {
    return R"({"id": ")" + id + R"(", "plugin": "test.example/actor", "config": {"note": ")" +
           note + R"(", "journal": "journal")" + (more.empty() ? "" : ", " + more) + "}}";
  }
  /// Runs with these destinations, and returns their calls of on_created, on_updated, on_deleted.
  Lines run_with(const std::string& destinations) {
    std::filesystem::remove(world.root() / "journal");
    write_pipeline(plugin("test.example/actor", ""), destinations);
    outcome = run();
    Lines told;
    for (const std::string& line : journal()) {
      if (std::regex_match(line, std::regex("destination: (created|updated|deleted) .*"))) {
        told.push_back(line.substr(line.find(' ') + 1));
      }
    }
    return told;
  }
  /// Returns "ID NOTE" of each destination in the position file.
  Lines recorded() {
    Lines all;
    const auto state = tenon::read_pipeline_position(world.read("state/position.json"));
    if (!state) return all;
    for (const auto& used : state->destinations) {
      all.push_back(used.id + " " + used.config.at("note"));
    }
    return all;
  }

  Outcome outcome;
};

TEST_F(Destinations, GetOnUpdatedByIdInAnyOrder) {
  EXPECT_EQ(run_with(actor("a", "1") + ", " + actor("b", "2")), (Lines{"created 1", "created 2"}));
  EXPECT_EQ(run_with(actor("b", "2") + ", " + actor("a", "1")), Lines{}) << "swapped";
  EXPECT_EQ(run_with(actor("c", "3") + ", " + actor("b", "2") + ", " + actor("a", "1")),
            Lines{"created 3"});
  EXPECT_EQ(run_with(actor("c", "3") + ", " + actor("b", "4") + ", " + actor("a", "1")),
            Lines{"updated 2 4"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
}

/// A destination that is added again is new. One that was created and could not be opened is
/// recorded, so that it can be deleted.
TEST_F(Destinations, GetOnDeletedIfRemoved) {
  run_with(actor("a", "1") + ", " + actor("b", "2"));
  EXPECT_EQ(run_with(actor("a", "1")), Lines{"deleted 2"});
  EXPECT_EQ(recorded(), Lines{"a 1"});
  EXPECT_EQ(run_with(actor("a", "1")), Lines{});
  EXPECT_EQ(run_with(actor("a", "1") + ", " + actor("b", "2", "\"broken\": \"true\"")),
            Lines{"created 2"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(recorded(), (Lines{"a 1", "b 2"}));
  EXPECT_EQ(run_with(actor("a", "1")), Lines{"deleted 2"});
  EXPECT_EQ(run_with(actor("a", "1") + ", " + actor("b", "2")), Lines{"created 2"});
}

// -- Formats ------------------------------------------------------------------

TEST_F(Destinations, WriteRawPayloadsAndTemplates) {
  world.write("in.jsonl", "{\"user\":{\"name\":\"Ann \\\"A\\\"\",\"n\":1.50}}\n{\"a\" : null}\n");
  world.write("raw", "complete\npart");
  write_pipeline(plugin("tenon.dev/file", R"("path": "in.jsonl")"),
                 R"({"id": "raw", "plugin": "tenon.dev/file",
                     "config": {"path": "raw", "format": "raw"}},
                    {"id": "text", "plugin": "tenon.dev/file",
                     "config": {"path": "out.json", "format": "template",
                                "template": "{operation} {key}: {/user/name} {/user/n} {{{/a}}"}},
                    {"plugin": "tenon.dev/log",
                     "config": {"format": "template", "template": "<{/user/n}>"}})");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(world.read("raw"),
            "complete\n{\"user\":{\"name\":\"Ann \\\"A\\\"\",\"n\":1.50}}\n"
            "{\"a\" : null}\n");
  EXPECT_EQ(world.read("raw.incomplete"), "part\n");
  EXPECT_EQ(world.read("out.json"), "create 1: Ann \"A\" 1.50 {}\ncreate 2:   {}\n");
  EXPECT_NE(outcome.err.find(": <1.50>\n"), std::string::npos) << outcome.err;
}

TEST_F(Destinations, NeedValidTemplates) {
  const auto expect = [&](const std::string& config, const std::string& text) {
    write_pipeline(plugin("tenon.dev/generator", R"("count": "1")"),
                   plugin("tenon.dev/log", R"("format": "template")" + config));
    const Outcome refused = run();
    EXPECT_EQ(refused.exit, 2);
    EXPECT_NE(refused.err.find(text), std::string::npos) << refused.err;
  };
  expect("", "parameter \"template\" is required for the format template");
  expect(R"(, "template": "{name}")", "parameter \"template\" has the part \"{name}\", expected");
  expect(R"(, "template": "a {key")", "parameter \"template\" has the part \"{key\" without }");
}

/// Pipelines that are deleted after a run.
class Deletion : public Destinations {
 protected:
  void run_once(const std::string& destinations) {
    write_pipeline(plugin("test.example/actor", R"("note": "s", "journal": "journal")"),
                   destinations);
    EXPECT_EQ(run().exit, 0);
    std::filesystem::remove(world.root() / "journal");
  }
  Outcome delete_it() { return world.start({TENON_PIPELINE, "delete", "pipeline.json"}).wait(); }
};

TEST_F(Deletion, CallsOnDeletedOfAllPluginsAndRemovesThePosition) {
  run_once(actor("a", "1") + ", " + actor("b", "2"));
  const Outcome deleted = delete_it();
  EXPECT_EQ(deleted.exit, 0) << deleted.err;
  EXPECT_EQ(deleted.out, "test: deleted\n");
  EXPECT_EQ(journal(),
            (Lines{"source: deleted s", "source: teardown", "destination: deleted 1",
                   "destination: teardown", "destination: deleted 2", "destination: teardown"}));
  EXPECT_TRUE(std::filesystem::is_empty(world.root() / "state"));
  EXPECT_EQ(run_with(actor("a", "1")), Lines{"created 1"});
  EXPECT_EQ(outcome.out, numbers(10, 10, 10));
}

/// on_created succeeded, so there may be resources to remove.
TEST_F(Deletion, CallsOnDeletedOfASourceThatCouldNotBeOpened) {
  write_pipeline(
      plugin("test.example/actor", R"("note": "s", "journal": "journal", "broken": "true")"),
      actor("a", "1"));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run().exit, 1);
  EXPECT_EQ(delete_it().out, "test: deleted\n");
  Lines calls = journal();
  std::erase_if(calls, [](const std::string& line) { return !line.starts_with("source: "); });
  EXPECT_EQ(calls, (Lines{"source: configure", "source: created s", "source: open -",
                          "source: teardown", "source: configure", "source: open -",
                          "source: teardown", "source: deleted s", "source: teardown"}));
}

TEST_F(Deletion, KeepsPluginsThatFail) {
  run_once(actor("a", "1") + ", " + actor("b", "2", "\"delete_status\": \"13\""));
  for (int i = 0; i < 2; ++i) {
    const Outcome deleted = delete_it();
    EXPECT_EQ(deleted.exit, 1);
    EXPECT_EQ(deleted.out, "");
    EXPECT_EQ(deleted.err,
              "tenon-pipeline: cannot delete a plugin: b (test.example/actor): on_deleted: "
              "internal: as told\n");
    EXPECT_EQ(recorded(), Lines{"b 2"});
  }
  EXPECT_EQ(journal(),
            (Lines{"source: deleted s", "source: teardown", "destination: deleted 1",
                   "destination: teardown", "destination: deleted 2", "destination: teardown",
                   "destination: deleted 2", "destination: teardown"}));
  EXPECT_EQ(position(), "");
}

TEST_F(Deletion, DoesNothingForAPipelineThatNeverRan) {
  write_pipeline(plugin("test.example/actor", ""), actor("a", "1"));
  EXPECT_EQ(delete_it().out, "test: deleted\n");
  EXPECT_TRUE(std::filesystem::is_empty(world.root() / "state"));
}

TEST_F(Deletion, RefusesThePositionOfAnotherPipeline) {
  run_once(actor("a", "1"));
  std::string file = world.read("pipeline.json");
  world.write("pipeline.json", file.replace(file.find("test"), 4, "fest"));
  const Outcome deleted = delete_it();
  EXPECT_EQ(deleted.exit, 2);
  EXPECT_NE(deleted.err.find("error[wrong-position]"), std::string::npos) << deleted.err;
  EXPECT_EQ(recorded(), Lines{"a 1"});
}

TEST_F(Deletion, RefusesARunningPipeline) {
  write_actors("\"count\": \"1000000\", \"batch\": \"1\", \"delay\": \"1ms\"");
  Child running = start();
  ASSERT_TRUE(wrote(1));
  const Outcome deleted = delete_it();
  EXPECT_EQ(deleted.exit, 3);
  EXPECT_NE(deleted.err.find("in-use"), std::string::npos) << deleted.err;
  running.signal(SIGTERM);
  EXPECT_EQ(running.wait().exit, 0);
}

TEST_F(Destinations, GetOnDeletedAgainIfItFailed) {
  run_with(actor("a", "1") + ", " + actor("b", "2", "\"delete_status\": \"13\""));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run_with(actor("a", "1")), Lines{"deleted 2"});
    EXPECT_EQ(outcome.exit, 0);
    EXPECT_EQ(outcome.err,
              "tenon-pipeline: cannot remove a destination: b (test.example/actor): "
              "on_deleted: internal: as told\n");
    EXPECT_EQ(recorded(), (Lines{"a 1", "b 2"}));
  }
}

TEST_F(Destinations, GetOnDeletedAgainIfTheirIdIsUsedAgain) {
  const std::string file =
      R"({"id": "b", "plugin": "tenon.dev/file", "config": {"path": "out.jsonl"}})";
  run_with(actor("b", "2", "\"delete_status\": \"13\""));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run_with(file), Lines{"deleted 2"});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
  }
  EXPECT_EQ(run_with(actor("b", "2", "\"delete_status\": \"0\"")), Lines{"updated 2 2"});
}

TEST_F(Destinations, AreNewIfThePluginOfTheirIdChanged) {
  run_with(actor("a", "1"));
  EXPECT_EQ(run_with(R"({"id": "a", "plugin": "tenon.dev/file", "config": {"path": "out.jsonl"}})"),
            Lines{"deleted 1"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
}

TEST_F(Destinations, NeedIdsIfTheyShareAPlugin) {
  run_with(plugin("test.example/actor", "") + ", " + plugin("test.example/actor", "") + ", " +
           actor("test.example/actor", "3"));
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.err,
            "pipeline.json:1:141: error[duplicate-id]: another destination has the id "
            "'test.example/actor'\n"
            "   found   no id, so the name of the plugin is the id\n"
            "   needed  an id that is unique in the pipeline\n"
            "   fix     add \"id\": \"...\" with another name\n"
            "pipeline.json:1:196: error[duplicate-id]: another destination has the id "
            "'test.example/actor'\n"
            "   needed  an id that is unique in the pipeline\n"
            "   fix     add \"id\": \"...\" with another name\n");
}

TEST_F(Destinations, AreNamedByTheirIdsInErrors) {
  run_with(actor("a", "1") + ", " + actor("b", "2", "\"broken\": \"true\""));
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: b (test.example/actor): open: unavailable: nobody is at home\n");
  run_with(actor("a", "1") + ", " + actor("b", "2", "\"refuse\": \"5\""));
  EXPECT_EQ(outcome.err.find("tenon-pipeline: error[record-refused] b (test.example/actor): "), 0u)
      << outcome.err;
}

}}  // namespace tenon::tests
