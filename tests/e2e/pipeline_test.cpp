// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline: delivery, stored positions, signals, kills, restarts, and failing plugins.
#include <tenon/pipeline_position_json.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "e2e/pipeline/pipeline.hpp"

namespace tenon::tests {
namespace {

/// Returns the result of a query, a single number.
std::int64_t query(const std::filesystem::path& database, const std::string& sql) {
  sqlite3* handle = nullptr;
  sqlite3_stmt* statement = nullptr;
  std::int64_t number = -1;
  if (sqlite3_open_v2(database.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK &&
      sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    number = sqlite3_column_int64(statement, 0);
  }
  sqlite3_finalize(statement);
  sqlite3_close(handle);
  return number;
}

// -- Delivery -----------------------------------------------------------------

TEST_F(Pipeline, CopiesLinesBetweenFiles) {
  const std::string content = "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n";
  world.write("in.jsonl", content);
  write_pipeline(plugin("tenon.dev/file", "\"path\": \"in.jsonl\""),
                 plugin("tenon.dev/file", "\"path\": \"out.jsonl\""));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, numbers(3, 3, 3));
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(world.read("out.jsonl"), content);

  world.write("in.jsonl", content + "{\"a\":4}\n");
  EXPECT_EQ(run().out, numbers(1, 1, 1));
  EXPECT_EQ(world.read("out.jsonl"), content + "{\"a\":4}\n");
}

TEST_F(Pipeline, CopiesCsvRowsIntoSqlite) {
  world.write("in.csv", "id,name\n1,\"Ann, B.\"\n2,Bob\n3,Cy\n");
  write_pipeline(plugin("tenon.dev/file", "\"path\": \"in.csv\", \"key\": \"id\""),
                 plugin("tenon.dev/sqlite", "\"path\": \"out.db\", \"table\": \"people\""));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.out, numbers(3, 3, 3)) << outcome.err;
  EXPECT_EQ(query(world.root() / "out.db", "SELECT count(*) FROM people WHERE name = 'Ann, B.'"),
            1);
  EXPECT_EQ(query(world.root() / "out.db", "SELECT count(*) FROM people"), 3);
}

TEST_F(Pipeline, DeliversEveryRecordToEveryDestination) {
  write_pipeline(plugin("test.example/actor", "\"count\": \"2500\""),
                 plugin("test.example/actor", "\"written\": \"written\"") + ", " +
                     plugin("tenon.dev/file", "\"path\": \"out.jsonl\""));
  EXPECT_EQ(run().out, numbers(2500, 2500, 2500));
  EXPECT_EQ(written(), positions(1, 2500));
  EXPECT_EQ(lines_of(world.read("out.jsonl")).size(), 2500u);
  EXPECT_EQ(position(), "2500");
}

TEST_F(Pipeline, DeliversRecordsWithAWindowOfOne) {
  world.write("pipeline.json",
              R"({"name": "test", "position": "state/position.json", "window": {"records": 1},)"
              R"( "source": )" +
                  plugin("test.example/actor", R"("count": "5", "journal": "journal")") +
                  R"(, "destinations": [)" +
                  plugin("test.example/actor", R"("written": "written")") + "]}");
  EXPECT_EQ(run().out, numbers(5, 5, 5));
  EXPECT_EQ(written(), positions(1, 5));
  const Lines calls = journal();
  for (int i = 1; i <= 5; i++) {
    const std::string number = std::to_string(i);
    EXPECT_EQ(std::count(calls.begin(), calls.end(), "source: ack " + number + " to " + number), 1);
  }
}

TEST_F(Pipeline, StopsADestinationThatHoldsItsLastRecords) {
  write_actors("\"count\": \"10\"", "\"hold\": \"true\"");
  EXPECT_EQ(run().out, numbers(10, 10, 10));
}

TEST_F(Pipeline, RetriesAReadAfterARetryableFailure) {
  write_actors("\"retry_at\": \"4\"");
  EXPECT_EQ(run().out, numbers(10, 10, 10));
  EXPECT_EQ(written(), positions(1, 10));
}

TEST_F(Pipeline, ShowsProgressOnlyOnATerminal) {
  write_actors("\"count\": \"100\", \"batch\": \"1\", \"delay\": \"5ms\"");
  const Outcome outcome = world.run(
      {"script", "-qec", std::string(TENON_PIPELINE) + " run pipeline.json", "/dev/null"});
  EXPECT_NE(outcome.out.find("\rrecords: read "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("/s)"), std::string::npos);
  EXPECT_TRUE(outcome.out.ends_with("records: read 100, written 100, acknowledged 100\r\n"));
}

// -- The order of calls -------------------------------------------------------

TEST_F(Pipeline, CallsPluginsInTheOrderOfTheirKinds) {
  write_actors("\"note\": \"a\"");
  ASSERT_EQ(run().exit, 0);
  Lines calls = journal();
  // Its place among the other calls is not fixed.
  const auto ack = std::find(calls.begin(), calls.end(), "source: ack 1 to 10");
  ASSERT_GT(ack - calls.begin(), 5);
  ASSERT_LT(ack, std::find(calls.begin(), calls.end(), "source: teardown"));
  calls.erase(ack);
  EXPECT_EQ(calls,
            (Lines{"source: configure", "destination: configure", "source: created a",
                   "source: open -", "destination: created -", "destination: open", "source: stop",
                   "destination: stop 10", "source: teardown", "destination: teardown"}));
}

TEST_F(Pipeline, CallsOnUpdatedIfTheConfigChanged) {
  write_actors("\"note\": \"a\"");
  ASSERT_EQ(run().exit, 0);
  world.write("journal", "");
  write_actors("\"note\": \"b\"");
  ASSERT_EQ(run().exit, 0);
  ASSERT_EQ(run().exit, 0);
  const Lines once = {"source: configure",   "destination: configure", "source: updated a b",
                      "source: open 10",     "destination: open",      "source: stop",
                      "destination: stop -", "source: teardown",       "destination: teardown"};
  Lines expected = once;
  for (const std::string& line : once) {
    if (line != "source: updated a b") expected.push_back(line);
  }
  EXPECT_EQ(journal(), expected);
}

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
      all.push_back(used.id.value_or("-") + " " + used.config.at("note"));
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

/// A destination that is added again is new. If one cannot be opened, the others stay unchanged.
TEST_F(Destinations, GetOnDeletedIfRemoved) {
  run_with(actor("a", "1") + ", " + actor("b", "2"));
  EXPECT_EQ(run_with(actor("a", "1")), Lines{"deleted 2"});
  EXPECT_EQ(recorded(), Lines{"a 1"});
  EXPECT_EQ(run_with(actor("a", "1")), Lines{});
  EXPECT_EQ(run_with(actor("a", "1") + ", " + actor("b", "2", "\"broken\": \"true\"")),
            Lines{"created 2"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(recorded(), Lines{"a 1"});
  EXPECT_EQ(run_with(actor("a", "1") + ", " + actor("b", "2")), Lines{"created 2"});
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

TEST_F(Deletion, KeepsPluginsThatFail) {
  run_once(actor("a", "1") + ", " + actor("b", "2", "\"delete_status\": \"13\""));
  for (int i = 0; i < 2; i++) {
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
  for (int i = 0; i < 2; i++) {
    EXPECT_EQ(run_with(actor("a", "1")), Lines{"deleted 2"});
    EXPECT_EQ(outcome.exit, 0);
    EXPECT_EQ(outcome.err,
              "tenon-pipeline: cannot remove a destination: b (test.example/actor): "
              "on_deleted: internal: as told\n");
    EXPECT_EQ(recorded(), (Lines{"a 1", "b 2"}));
  }
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

/// Version 1 of the position file had no ids.
TEST_F(Destinations, KeepTheirConfigsFromVersion1Positions) {
  run_with(actor("a", "1") + ", " + actor("b", "2"));
  world.write("state/position.json", std::regex_replace(world.read("state/position.json"),
                                                        std::regex(R"("id":"[^"]*",)"), ""));
  EXPECT_EQ(recorded(), (Lines{"- 1", "- 2"}));
  EXPECT_EQ(run_with(actor("a", "1") + ", " + actor("b", "2")), Lines{});
  EXPECT_EQ(recorded(), (Lines{"a 1", "b 2"}));
}

TEST_F(Pipeline, TearsDownPluginsIfOpenFails) {
  write_actors("\"broken\": \"true\"");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.out, numbers(0, 0, 0));
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: test.example/actor: open: unavailable: nobody is at home\n");
  EXPECT_EQ(journal(), (Lines{"source: configure", "destination: configure", "source: created -",
                              "source: open -", "source: teardown", "destination: teardown"}));
}

// -- Signals ------------------------------------------------------------------

TEST_F(Pipeline, ResumesAfterAnInterruption) {
  for (const int signal : {SIGINT, SIGTERM}) {
    write_actors("\"count\": \"100000\", \"batch\": \"1\", \"delay\": \"1ms\"");
    const std::size_t before = written().size();
    Child child = start();
    ASSERT_TRUE(wrote(before + 20));
    child.signal(signal);
    const Outcome outcome = child.wait();
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    const int now = static_cast<int>(written().size());
    const int carried = now - static_cast<int>(before);
    EXPECT_EQ(outcome.out, numbers(carried, carried, carried));
    EXPECT_EQ(written(), positions(1, now));
    EXPECT_EQ(position(), std::to_string(now));
  }
}

/// The signal arrives while the next attempt configures its plugins.
TEST_F(Pipeline, ReportsAPluginThatHangsWhileItResumes) {
  world.write("away", "");
  write_actors(R"("endless_if": "hang")", R"("away": "true")");
  Child child = start();
  ASSERT_TRUE(eventually([&] { return child.err().find("resumes in") != std::string::npos; }));
  world.write("hang", "");
  ASSERT_TRUE(eventually([&] { return world.read("journal").ends_with("source: endless\n"); }));
  child.signal(SIGINT);
  const std::string hung = "test.example/actor: configure has not returned for 5 s";
  ASSERT_TRUE(eventually([&] { return child.err().find(hung) != std::string::npos; }));
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait().exit, 128 + SIGTERM);
}

TEST_F(Pipeline, ReportsAPluginThatDelaysItsEnd) {
  write_actors("\"deaf\": \"true\"");
  Child child = start();
  ASSERT_TRUE(eventually([&] { return world.read("journal").ends_with("source: deaf\n"); }));
  child.signal(SIGINT);
  const std::regex hung(
      "tenon-pipeline: test.example/actor: read_batch has not returned for "
      "([0-9]+) s\n");
  std::smatch found;
  std::string told;
  ASSERT_TRUE(eventually([&] { return !(told = child.err()).empty(); }));
  ASSERT_TRUE(std::regex_match(told, found, hung)) << told;
  EXPECT_GE(std::stoi(found[1]), 5);

  // The second signal ends the run after another report.
  child.signal(SIGTERM);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 128 + SIGTERM);
  told = outcome.err.substr(told.size());
  EXPECT_TRUE(std::regex_match(told, found, hung)) << told;
}

TEST_F(Pipeline, TearsDownReturningPluginsAtTheSecondSignal) {
  const auto destination = [](const std::string& id, const std::string& members) {
    return R"({"id": ")" + id + R"(", "plugin": "test.example/actor", "config": {"journal": ")" +
           id + "\"" + members + "}}";
  };
  write_pipeline(plugin("test.example/actor", "\"journal\": \"journal\""),
                 destination("deaf", ", \"deaf\": \"true\"") + ", " +
                     destination("held", ", \"hold\": \"true\"") + ", " + destination("idle", ""));
  Child child = start();
  ASSERT_TRUE(eventually([&] { return world.read("deaf").ends_with("destination: deaf\n"); }));
  child.signal(SIGINT);
  ASSERT_TRUE(eventually([&] { return world.read("held").ends_with("destination: stop 10\n"); }));
  child.signal(SIGTERM);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 128 + SIGTERM);
  EXPECT_EQ(outcome.out, "");
  // ThreadSanitizer also reports that threads were not joined.
  EXPECT_TRUE(
      std::regex_search(outcome.err, std::regex("^tenon-pipeline: deaf \\(test.example/actor\\): "
                                                "write_batch has not returned for [0-9]+ s\n")))
      << outcome.err;
  EXPECT_TRUE(world.read("journal").ends_with("source: teardown\n")) << world.read("journal");
  for (const char* torn_down : {"held", "idle"}) {
    EXPECT_TRUE(world.read(torn_down).ends_with("destination: teardown\n")) << torn_down;
  }
  EXPECT_TRUE(world.read("deaf").ends_with("destination: deaf\n"))
      << "write_batch has not returned";
}

/// After a second signal the run does not wait until all records are delivered.
TEST_F(Pipeline, EndsAtTheSecondSignalWithRecordsPending) {
  write_actors("", "\"mute\": \"true\"");
  Child child = start();
  ASSERT_TRUE(wrote(10));
  child.signal(SIGINT);
  ASSERT_TRUE(eventually(
      [&] { return world.read("journal").find("destination: stop 10\n") != std::string::npos; }));
  child.signal(SIGTERM);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 128 + SIGTERM);
  EXPECT_TRUE(world.read("journal").ends_with("source: teardown\ndestination: teardown\n"))
      << world.read("journal");
}

TEST_F(Pipeline, NamesItsThreads) {
  write_actors("\"count\": \"100000\", \"batch\": \"1\", \"delay\": \"1ms\"");
  Child child = start();
  ASSERT_TRUE(wrote(1));
  std::multiset<std::string> names;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(child.pid()) + "/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    names.insert(name);
  }
  for (const char* name : {"read test", "write 1 test", "ack 1 test", "commit test"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 0);
}

TEST_F(Pipeline, EndsWhileAPluginHangsInConfigure) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove(world.root() / "journal");
    write_actors("\"endless\": \"true\"");
    Child child = start();
    ASSERT_TRUE(eventually([&] { return !world.read("journal").empty(); }));
    child.signal(SIGHUP);
    child.signal(signal);
    const Outcome outcome = child.wait();
    EXPECT_EQ(outcome.exit, 128 + signal);
    EXPECT_TRUE(std::regex_match(
        outcome.err,
        std::regex("tenon-pipeline: test.example/actor: configure has not returned for "
                   "[0-9]+ s\ntenon-pipeline: interrupted before the pipeline "
                   "began\n")))
        << outcome.err;
  }
}

TEST_F(Pipeline, EndsWhileItWaitsForItsPipelineFile) {
  const Outcome outcome = interrupt_while_it_opens("pipeline.json");
  EXPECT_EQ(outcome.exit, 128 + SIGINT);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Pipeline, EndsWhileItWaitsForItsPosition) {
  write_actors("");
  const Outcome outcome = interrupt_while_it_opens("state/position.json");
  EXPECT_EQ(outcome.exit, 128 + SIGINT);
  EXPECT_EQ(outcome.err, "tenon-pipeline: interrupted before the pipeline began\n");
}

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
  EXPECT_EQ(state->destinations.at(0).config, (TextMap{{"level", "info"}}));
}

/// Kills runs at random moments, then lets a last run complete the pipeline.
class KilledPipeline : public Pipeline {
 protected:
  static constexpr int count = 5000;

  /// Calls `check` after each kill.
  template <class Check>
  void kill_at_random(Check check) {
    const auto seed = std::random_device()();
    std::cout << "seed " << seed << std::endl;
    std::mt19937 random(seed);
    for (int i = 0; i < 12; i++) {
      Child child = start();
      std::this_thread::sleep_for(std::chrono::milliseconds(1 + random() % 150));
      child.signal(SIGKILL);
      child.wait();
      check();
    }
    const Outcome outcome = run();
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_EQ(position(), std::to_string(count));
  }
  static std::string slow() {
    return "\"count\": \"" + std::to_string(count) + "\", \"batch\": \"5\", \"delay\": \"1ms\"";
  }
};

TEST_F(KilledPipeline, WritesEveryKeyOnceIntoSqlite) {
  write_pipeline(plugin("test.example/actor", slow()),
                 plugin("tenon.dev/sqlite", "\"path\": \"out.db\", \"table\": \"t\""));
  kill_at_random([] {});
  EXPECT_EQ(query(world.root() / "out.db", "SELECT count(*) FROM t"), count);
  EXPECT_EQ(query(world.root() / "out.db", "SELECT count(DISTINCT n) FROM t"), count);
  EXPECT_EQ(query(world.root() / "out.db", "SELECT sum(n) FROM t"), count * (count + 1LL) / 2);
}

TEST_F(KilledPipeline, WritesNoAcknowledgedRecordAgain) {
  write_actors(slow());
  std::size_t lines = 0;
  int acknowledged = 0;
  const auto check = [&] {
    const Lines all = written();
    for (; lines < all.size(); lines++) EXPECT_GT(std::stoi(all[lines]), acknowledged);
    if (position().empty()) return;
    acknowledged = std::stoi(position());
    EXPECT_LE(acknowledged, std::stoi(all.back()));
  };
  kill_at_random(check);
  check();
  const Lines all = written();
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), std::size_t{count});
}

// -- Restarts -----------------------------------------------------------------

TEST_F(Pipeline, ContinuesWithTheNewVersionOfAPlugin) {
  std::string status;
  for (int i = 0; i < 800; i++) {
    status += "Package: p" + std::to_string(i) +
              "\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n\n";
  }
  world.write("status", status);
  world.place(DPKG_1, "dpkg.so");
  write_pipeline(plugin("example.io/dpkg", "\"path\": \"status\", \"delay\": \"3ms\""),
                 plugin("tenon.dev/sqlite", "\"path\": \"out.db\", \"table\": \"t\""));
  Child child = start();
  const auto rows = [&] { return query(world.root() / "out.db", "SELECT count(*) FROM t"); };
  ASSERT_TRUE(eventually([&] { return rows() >= 50; }));
  world.place(DPKG_2, "dpkg.so");
  child.signal(SIGHUP);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "tenon-pipeline: restarted example.io/dpkg, now 2.0.0\n");
  EXPECT_EQ(outcome.out, numbers(800, 800, 800));
  EXPECT_EQ(rows(), 800);
  EXPECT_NE(world.read("state/position.json").find("\"package_version\":\"2.0.0\""),
            std::string::npos);
}

TEST_F(Pipeline, LosesNothingDuringRepeatedRestarts) {
  write_actors("\"count\": \"3000\", \"batch\": \"3\", \"delay\": \"1ms\"");
  Child child = start();
  for (int i = 0; i < 8; i++) {
    ASSERT_TRUE(wrote(written().size() + 50));
    world.place(i % 2 == 0 ? ACTOR_2 : ACTOR_1, "actor.so");
    child.signal(SIGHUP);
    ASSERT_TRUE(eventually(
        [&] { return lines_of(child.err()).size() == static_cast<std::size_t>(i + 1); }));
  }
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, numbers(3000, 3000, 3000));
  // Unacknowledged records of a restarted destination arrive again, in order.
  Lines once;
  for (const std::string& line : written()) {
    const int next = static_cast<int>(once.size()) + 1;
    EXPECT_LE(std::stoi(line), next);
    if (std::stoi(line) == next) once.push_back(line);
  }
  EXPECT_EQ(once, positions(1, 3000));
}

TEST_F(Pipeline, ContinuesWithTheOldCodeIfTheNewIsBroken) {
  write_actors("\"count\": \"200\", \"batch\": \"1\", \"delay\": \"2ms\"");
  Child child = start();
  ASSERT_TRUE(wrote(10));
  world.place(world.write("broken", "no module"), "actor.so");
  child.signal(SIGHUP);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.out, numbers(200, 200, 200));
  EXPECT_TRUE(outcome.err.starts_with("tenon-pipeline: not restarted: error[not-a-module]"))
      << outcome.err;
  EXPECT_EQ(written(), positions(1, 200));
}

#if !SANITIZED  // a sanitizer reports the crash and ends the program
/// Returns the first occurrence of each line.
Lines without_repetitions(const Lines& all) {
  Lines lines;
  std::set<std::string> seen;
  std::copy_if(all.begin(), all.end(), std::back_inserter(lines),
               [&](const std::string& line) { return seen.insert(line).second; });
  return lines;
}

TEST_F(Pipeline, ResumesAfterACrashOfItsSource) {
  write_actors("\"count\": \"20\", \"crash_at\": \"7\"");
  world.write("crash", "");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, numbers(20, 20, 20));
  // The destination is in the same module, and may get unacknowledged records again.
  EXPECT_EQ(without_repetitions(written()), positions(1, 20));
  EXPECT_EQ(position(), "20");
  // The error names the plugin, the method, the signal and the function.
  EXPECT_NE(outcome.err.find("test.example/actor: read_batch: crashed: SIGSEGV at "),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("Source::read_batch"), std::string::npos) << outcome.err;
  const Lines calls = journal();
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "source: open 6"), 1);
}

TEST_F(Pipeline, ResumesAfterTwoCrashes) {
  write_actors("\"count\": \"20\", \"crash_at\": \"7\"");
  world.write("crash", "");
  world.write("crash again", "");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(without_repetitions(written()), positions(1, 20));
  EXPECT_EQ(position(), "20");
}
#endif

// -- Retries ------------------------------------------------------------------

TEST_F(Pipeline, ResumesAfterARetryableError) {
  world.write("away", "");
  write_actors("", "\"away\": \"true\"");
  Child child = start();
  ASSERT_TRUE(eventually([&] { return child.err().find("resumes in") != std::string::npos; }));
  std::filesystem::remove(world.root() / "away");
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, numbers(10, 10, 10));
  EXPECT_EQ(written(), positions(1, 10));
  EXPECT_TRUE(std::regex_match(
      outcome.err, std::regex("tenon-pipeline: test.example/actor: record-refused: the database is "
                              "away \\(retryable\\)\n"
                              "tenon-pipeline: resumes in 1.[0-5] s\n")))
      << outcome.err;
  const Lines calls = journal();
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "source: open -"), 2);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "source: teardown"), 2);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "destination: teardown"), 2);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "source: created -"), 1);
}

TEST_F(Pipeline, WaitsLongerAfterEachAttempt) {
  world.write("away", "");
  write_actors("", "\"away\": \"true\"");
  Child child = start();
  ASSERT_TRUE(eventually([&] { return lines_of(child.err()).size() == 4; }));
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.out, numbers(0, 0, 0));
  EXPECT_TRUE(std::regex_match(lines_of(outcome.err)[1],
                               std::regex("tenon-pipeline: resumes in 1.[0-5] s")));
  EXPECT_TRUE(std::regex_match(lines_of(outcome.err)[3],
                               std::regex("tenon-pipeline: resumes in [23].[0-9] s")));
}

TEST_F(Pipeline, ReportsThatNoModuleChanged) {
  write_actors("\"count\": \"100000\", \"batch\": \"1\", \"delay\": \"1ms\"");
  Child child = start();
  ASSERT_TRUE(wrote(5));
  for (int times = 1; times <= 2; times++) {
    child.signal(SIGHUP);
    ASSERT_TRUE(eventually([&] {
      return lines_of(child.err()) == Lines(times, "tenon-pipeline: no module has changed");
    }));
  }
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 0);
}

// -- Several pipelines --------------------------------------------------------

class SeveralPipelines : public Pipeline {
 protected:
  /// Writes a pipeline to the folder "all". Its destination writes to a file of the same name.
  void write_one(const std::string& name, const std::string& source,
                 const std::string& destination = {}) {
    world.write(
        "all/" + name + ".json",
        R"({"name": ")" + name + R"(", "source": )" + plugin("test.example/actor", source) +
            R"(, "destinations": [)" +
            plugin("test.example/actor", "\"written\": \"" + name + "\"" +
                                             (destination.empty() ? "" : ", ") + destination) +
            R"(], "position": "../state/)" + name + ".position\"}");
  }
};

TEST_F(SeveralPipelines, RunInOneProcess) {
  write_one("one", "\"count\": \"2000\"");
  write_one("two", "\"count\": \"3000\"");
  const Outcome outcome = world.run({TENON_PIPELINE, "run", "all"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "one: " + numbers(2000, 2000, 2000) + "two: " + numbers(3000, 3000, 3000));
  EXPECT_EQ(lines_of(world.read("one")), positions(1, 2000));
  EXPECT_EQ(lines_of(world.read("two")), positions(1, 3000));
  // In the order in which they are given.
  EXPECT_EQ(world.run({TENON_PIPELINE, "run", "all/two.json", "all/one.json"}).out,
            "two: " + numbers(0, 0, 0) + "one: " + numbers(0, 0, 0));
}

TEST_F(SeveralPipelines, ContinueWithoutOneThatFails) {
  write_one("bad", "\"count\": \"10\", \"fail_at\": \"5\"");
  write_one("good", "\"count\": \"100\", \"batch\": \"1\", \"delay\": \"1ms\"");
  const Outcome outcome = world.run({TENON_PIPELINE, "run", "all"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: bad: test.example/actor: read_batch: data-loss: record 5 is "
            "illegible\n");
  EXPECT_EQ(outcome.out, "bad: " + numbers(4, 4, 4) + "good: " + numbers(100, 100, 100));
}

TEST_F(SeveralPipelines, EndTogetherAtASignal) {
  for (const char* name : {"one", "two"}) {
    write_one(name, "\"count\": \"100000\", \"batch\": \"1\", \"delay\": \"1ms\"");
  }
  Child child = world.start({TENON_PIPELINE, "run", "all"});
  ASSERT_TRUE(eventually([&] { return !world.read("one").empty() && !world.read("two").empty(); }));
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 0);
}

TEST_F(SeveralPipelines, AreAllCheckedBeforeAnyRuns) {
  write_one("one", "");
  write_one("two", "\"count\": \"many\"");
  world.write("all/three.json", "{");
  const Outcome outcome = world.run({TENON_PIPELINE, "run", "all"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("all/three.json:1:1: error[not-json]"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("all/two.json:1:"), std::string::npos) << outcome.err;
  EXPECT_EQ(world.read("one"), "");
  EXPECT_EQ(world.run({TENON_PIPELINE, "validate", "all"}).err, outcome.err);
}

TEST_F(SeveralPipelines, NeedDistinctNames) {
  write_one("one", "");
  std::filesystem::copy_file(world.root() / "all/one.json", world.root() / "all/other.json");
  const Outcome outcome = world.run({TENON_PIPELINE, "run", "all"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.err,
            "all/other.json: error[duplicate-name]: another pipeline has the name 'one'\n"
            "   found   all/one.json\n"
            "   needed  a name that is unique among the pipelines of a process\n"
            "   fix     change the name of one of them\n");
}

TEST_F(SeveralPipelines, NeedAFileInTheirFolder) {
  std::filesystem::create_directory(world.root() / "all");
  world.write("all/notes.txt", "");
  const Outcome outcome = world.run({TENON_PIPELINE, "run", "all"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.err.find("all: error[no-pipeline]: the folder contains no pipeline file\n"), 0u)
      << outcome.err;
}

// -- Plugins that fail --------------------------------------------------------

TEST_F(Pipeline, StopsAtARefusedRecord) {
  write_actors("\"batch\": \"3\"", "\"refuse\": \"5\"");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: error[record-refused] test.example/actor: too ugly\n"
            "   found   the record at position \"5\", refused as ugly\n"
            "   needed  a record that the destination accepts\n"
            "   fix     correct the record at its origin, or the config of the destination; the "
            "next run begins with this record\n");
  EXPECT_EQ(position(), "4");
  EXPECT_TRUE(outcome.out.ends_with("acknowledged 4\n")) << outcome.out;
  EXPECT_NE(world.read("journal").find("source: ack 4 to 4\n"), std::string::npos);

  write_actors("\"batch\": \"3\"");
  EXPECT_EQ(run().out, numbers(6, 6, 6));
  EXPECT_EQ(position(), "10");
}

/// Pipelines whose destination refuses every third record.
class DeadLetters : public Pipeline {
 protected:
  void write_with(const std::string& limit, const std::string& destinations,
                  const std::string& letters = plugin("tenon.dev/file",
                                                      "\"path\": \"refused.jsonl\"")) {
    world.write("pipeline.json",
                "{\"name\": \"test\", \"source\": " +
                    plugin("test.example/actor", "\"journal\": \"journal\"") +
                    ", \"destinations\": [" + destinations +
                    "], \"dead_letters\": " + letters.substr(0, letters.size() - 1) +
                    ", \"limit\": " + limit + "}, \"position\": \"state/position.json\"}");
  }
  static std::string refusing(const std::string& id, int every) {
    return R"({"id": ")" + id +
           R"(", "plugin": "test.example/actor", "config": {"refuse_every": ")" +
           std::to_string(every) + R"(", "written": "written"}})";
  }
};

TEST_F(DeadLetters, KeepRefusedRecordsAndTheirReasons) {
  write_with(R"({"refused": 1, "of": 3})", refusing("thirds", 3));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "records: read 10, written 10, acknowledged 10, refused 3\n");
  EXPECT_EQ(written(), (Lines{"1", "2", "4", "5", "7", "8", "10"}));
  EXPECT_EQ(position(), "10");
  const Lines letters = lines_of(world.read("refused.jsonl"));
  ASSERT_EQ(letters.size(), 3u);
  EXPECT_EQ(letters[1], R"({"pipeline":"test","refused":[{"destination":"thirds","code":"ugly",)"
                        R"("message":"too ugly"}],"record":{"position":6,"operation":"create",)"
                        R"("metadata":{},"key":6,"after":{"n":6}}})");
  // The source gets one acknowledgement for each record, in order.
  Lines acks;
  for (const std::string& line : journal()) {
    if (line.starts_with("source: ack")) acks.push_back(line);
  }
  ASSERT_FALSE(acks.empty());
  EXPECT_TRUE(acks.back().ends_with(" to 10"));
}

/// Even if several destinations refuse it.
TEST_F(DeadLetters, HoldEachRecordOnce) {
  write_with(R"({"refused": 0, "of": 0})", refusing("a", 2) + ", " + refusing("b", 4));
  EXPECT_EQ(run().out, "records: read 10, written 10, acknowledged 10, refused 5\n");
  const Lines letters = lines_of(world.read("refused.jsonl"));
  ASSERT_EQ(letters.size(), 5u);
  EXPECT_EQ(letters[1].find(R"({"pipeline":"test","refused":[{"destination":"a","code":"ugly",)"
                            R"("message":"too ugly"},{"destination":"b",)"),
            0u)
      << letters[1];
  EXPECT_NE(letters[2].find("\"position\":6"), std::string::npos);
}

TEST_F(DeadLetters, EndTheRunIfTooManyAreRefused) {
  write_with(R"({"refused": 1, "of": 4})", refusing("thirds", 3));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: error[record-refused] thirds (test.example/actor): too ugly\n"
            "   found   the record at position \"6\", refused as ugly\n"
            "   needed  at most 1 refused of 4 records\n"
            "   fix     correct the record at its origin, or the config of the destination; the "
            "next run begins with this record\n");
  EXPECT_EQ(position(), "5");
  EXPECT_EQ(lines_of(world.read("refused.jsonl")).size(), 1u);
}

TEST_F(DeadLetters, EndTheRunIfTheyCannotBeWritten) {
  write_with(R"({"refused": 0, "of": 0})", refusing("thirds", 3),
             plugin("test.example/actor", "\"refuse\": \"6\""));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: error[dead-letter-refused] dead_letters (test.example/actor): too "
            "ugly\n"
            "   found   the record at position \"6\", refused as ugly\n"
            "   needed  a destination that accepts every refused record\n"
            "   fix     correct the config of \"dead_letters\"\n");
  EXPECT_EQ(position(), "5");
}

/// No acknowledgement after a refused record is collected before the record is resolved.
TEST_F(DeadLetters, LetOthersFailWithoutWaitingForEver) {
  write_with(R"({"refused": 0, "of": 0})", refusing("thirds", 3) +
                                               R"(, {"id": "b", "plugin": "test.example/actor", )"
                                               R"("config": {"fail_at": "2"}})");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: b (test.example/actor): write_batch: internal: out of ink\n");
}

TEST_F(DeadLetters, RefuseALimitThatIsNeverReached) {
  write_with(R"({"refused": 4, "of": 4})", refusing("a", 2));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("error[wrong-limit]: the limit of refused records is never reached\n"
                             "   found   4 of 4\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(Pipeline, DeliversRecordsReadBeforeTheSourceFailed) {
  write_actors("\"fail_at\": \"8\"");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.out, numbers(7, 7, 7));
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: test.example/actor: read_batch: data-loss: record 8 is illegible\n");
  EXPECT_EQ(written(), positions(1, 7));
}

TEST_F(Pipeline, KeepsAcknowledgementsOfAFailedDestination) {
  write_actors("\"batch\": \"2\"", "\"fail_at\": \"5\"");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err, "tenon-pipeline: test.example/actor: write_batch: internal: out of ink\n");
  EXPECT_EQ(written(), positions(1, 4));
  EXPECT_EQ(position(), "4");
}

TEST_F(Pipeline, DeliversTheRestToOtherDestinations) {
  write_pipeline(
      plugin("test.example/actor", "\"batch\": \"2\""),
      R"({"id": "refusing", "plugin": "test.example/actor", "config": {"refuse": "3"}}, )" +
          plugin("test.example/actor", "\"written\": \"written\""));
  EXPECT_EQ(run().exit, 1);
  EXPECT_EQ(position(), "2");
  const Lines lines = written();
  ASSERT_GE(lines.size(), 2u);
  EXPECT_EQ(lines, positions(1, static_cast<int>(lines.size())));
}

TEST_F(Pipeline, StopsAtAnUnexpectedAcknowledgement) {
  write_actors("", "\"lie_at\": \"3\"");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: error[wrong-acknowledgement] test.example/actor: the destination "
            "acknowledged an unexpected record\n"
            "   found   \"elsewhere\"\n"
            "   needed  \"3\", the next record that was written\n"
            "   fix     report this to the author of the plugin\n");
  EXPECT_EQ(position(), "2");
}

TEST_F(Pipeline, SkipsUnimplementedSteps) {
  write_actors("\"ack_status\": \"12\", \"stop_status\": \"12\", \"teardown_status\": \"12\"",
               "\"stop_status\": \"12\"");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, numbers(10, 10, 10));
}

TEST_F(Pipeline, ReportsTheFailedStep) {
  struct Step {
    std::string source, destination, name;
    int exit;
  };
  for (const Step& step : {Step{"\"ack_status\": \"13\"", "", "ack", 1},
                           Step{"\"stop_status\": \"13\"", "", "stop", 1},
                           Step{"", "\"stop_status\": \"13\"", "stop", 1},
                           Step{"\"teardown_status\": \"13\"", "", "teardown", 0}}) {
    std::filesystem::remove_all(world.root() / "state");
    write_actors(step.source, step.destination);
    const Outcome outcome = run();
    EXPECT_EQ(outcome.exit, step.exit) << step.name;
    EXPECT_EQ(outcome.err,
              "tenon-pipeline: test.example/actor: " + step.name + ": internal: as told\n");
    EXPECT_EQ(position(), "10");
  }
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
   needed  'name', 'source', 'processors', 'destinations', 'dead_letters', 'position' and 'window'
   fix     did you mean 'source'?
pipeline.json:4:24: error[not-found]: test.example/acter
   found   neither a standalone plugin nor a builtin; only tenon.dev/file, tenon.dev/generator, tenon.dev/sqlite, test.example/actor
   needed  a plugin of tenon.dev/source with that name
   fix     did you mean 'test.example/actor'?
pipeline.json:4:66: error[wrong-type]: the value of 'count' has the wrong type
   found   an integer
   needed  a string: every value of a config is one
   fix     put it in quotes
pipeline.json:6:46: error[missing-parameter]: 'tenon.dev/sqlite' needs the parameter 'table'
   needed  'table': the table to write, which is created if missing
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

TEST_F(Pipeline, ReportsInvalidAndMissingFiles) {
  world.write("pipeline.json", "{\"name\": \"test\",}\n");
  EXPECT_EQ(run().exit, 2);
  EXPECT_EQ(run().err.find("pipeline.json:1:17: error[not-json]"), 0u) << run().err;
  const Outcome missing = world.run({TENON_PIPELINE, "run", "nowhere.json"});
  EXPECT_EQ(missing.exit, 2);
  EXPECT_EQ(missing.err.find("nowhere.json: error[cannot-read]"), 0u) << missing.err;
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

TEST_F(Pipeline, ReportsADamagedPosition) {
  write_actors("");
  ASSERT_EQ(run().exit, 0);
  world.write("state/position.json", "{\"type\":\"tenon.dev/pipeline_position\",\"version\":1");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("position.json:1:"), std::string::npos) << outcome.err;
  EXPECT_EQ(written().size(), 10u);
}

// -- I/O errors and usage -----------------------------------------------------

TEST_F(Pipeline, FailsBeforeOpenIfThePositionCannotBeStored) {
  world.write("state", "a file where a folder should be");
  write_actors("");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.err.find("error[cannot-write]"), std::string::npos) << outcome.err;
  EXPECT_EQ(written(), Lines{});
}

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
}

}  // namespace
}  // namespace tenon::tests
