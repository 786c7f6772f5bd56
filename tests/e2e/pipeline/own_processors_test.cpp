// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline with processors of one source or of one destination.
#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "e2e/pipeline/pipeline.hpp"

namespace tenon::tests { namespace {

class OwnProcessors : public Pipeline {
 protected:
  /// Returns a stage with further members after its config.
  static std::string stage(const std::string& id, const std::string& config,
                           const std::string& members = {}) {
    return R"({"id": ")" + id + R"(", "plugin": "test.example/actor", "config": {)" + config + "}" +
           members + "}";
  }
  static std::string processors(const std::string& list) {
    return R"(, "processors": [)" + list + "]";
  }
  void write_with(const std::string& source, const std::string& destinations,
                  const std::string& more = {}) {
    world.write("pipeline.json", R"({"name": "test", "position": "state/position.json", )" + more +
                                     R"("source": )" + source + R"(, "destinations": [)" +
                                     destinations + "]}");
  }
  static std::string source(const std::string& config = {}, const std::string& members = {}) {
    return stage("s", R"("journal": "journal")" + (config.empty() ? "" : ", " + config), members);
  }
  /// Returns a destination that writes the keys of records to "written".
  static std::string first(const std::string& list, const std::string& config = {}) {
    return stage("d",
                 R"("written": "written", "keys": "true", "journal": "calls of d")" +
                     (config.empty() ? "" : ", " + config),
                 processors(list));
  }
  /// Returns a destination without processors that writes to "other".
  static std::string other(const std::string& config = {}) {
    return stage("e",
                 R"("written": "other", "keys": "true")" + (config.empty() ? "" : ", " + config));
  }
  Lines others() { return lines_of(world.read("other")); }
  static std::string letters(int limit) {
    return R"("dead_letters": {"plugin": "tenon.dev/file", "config": {"path": "refused.jsonl"},)"
           R"( "limit": {"refused": )" +
           std::to_string(limit) + R"(, "of": 0}}, )";
  }
};

TEST_F(OwnProcessors, RunInTheOrderOfTheRecords) {
  world.write("in.jsonl", "{\"a\":1}\n");
  const auto rename = [](const std::string& id, const std::string& from, const std::string& to) {
    return R"({"id": ")" + id + R"(", "plugin": "tenon.dev/field", "condition": "/)" + from +
           R"(", "config": {"rename.)" + from + R"(": ")" + to + "\"}}";
  };
  const auto file = [](const std::string& path, const std::string& members) {
    return R"({"id": ")" + path + R"(", "plugin": "tenon.dev/file", "config": {"path": ")" + path +
           "\"}" + members + "}";
  };
  write_with(file("in.jsonl", processors(rename("1", "a", "b"))),
             file("x.jsonl", processors(rename("3", "c", "d") + "," + rename("4", "d", "e"))) +
                 ", " + file("y.jsonl", "") + ", " +
                 file("z.jsonl", processors(rename("5", "c", "f"))),
             R"("processors": [)" + rename("2", "b", "c") + "], ");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, numbers(1, 1, 1));
  EXPECT_EQ(world.read("x.jsonl"), "{\"e\":1}\n");
  EXPECT_EQ(world.read("y.jsonl"), "{\"c\":1}\n");
  EXPECT_EQ(world.read("z.jsonl"), "{\"f\":1}\n");
}

TEST_F(OwnProcessors, SplitAndFilterRecordsOfOneDestination) {
  write_with(source("\"count\": \"2500\", \"batch\": \"7\""),
             first(stage("p", "\"keep_every\": \"2\"") + ", " + stage("q", "\"parts\": \"2\"")) +
                 ", " + other());
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, numbers(2500, 2500, 2500)) << "filtered records count as written";
  const Lines lines = written();
  ASSERT_EQ(lines.size(), 2500u);
  EXPECT_EQ(lines[0], "2.1");
  EXPECT_EQ(lines[1], "2.2");
  EXPECT_EQ(lines.back(), "2500.2");
  EXPECT_EQ(others(), positions(1, 2500));
  EXPECT_EQ(position(), "2500");
}

/// The destination never gets the last record, and acknowledges the others when it is stopped.
TEST_F(OwnProcessors, MayFilterTheLastRecord) {
  write_with(source(), first(stage("p", "\"keep_every\": \"4\""), R"("hold": "true")"));
  EXPECT_EQ(run().out, numbers(10, 10, 10));
  EXPECT_EQ(written(), (Lines{"4", "8"}));
  EXPECT_NE(world.read("calls of d").find("destination: stop 8\n"), std::string::npos);
  EXPECT_EQ(position(), "10");
}

TEST_F(OwnProcessors, MayFilterAllRecords) {
  write_with(source("\"count\": \"1000\""), first(stage("p", "\"keep_every\": \"1000000\"")),
             R"("window": {"records": 10}, )");
  EXPECT_EQ(run().out, numbers(1000, 1000, 1000));
  EXPECT_NE(world.read("calls of d").find("destination: stop -\n"), std::string::npos);
  EXPECT_EQ(position(), "1000");
}

// -- Refused records ----------------------------------------------------------

TEST_F(OwnProcessors, RefuseRecordsOfOneDestination) {
  write_with(source(),
             first(stage("p", "\"parts\": \"2\"") + ", " + stage("q", "\"refuse_part\": \"6.2\"")) +
                 ", " + other(),
             letters(1));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "records: read 10, written 10, acknowledged 10, refused 1\n");
  EXPECT_EQ(others(), positions(1, 10));
  EXPECT_EQ(written().size(), 18u) << "nothing of record 6";
  EXPECT_EQ(world.read("refused.jsonl"),
            R"({"pipeline":"test","refused":[{"processor":"q","code":"ugly",)"
            R"("message":"too ugly"}],"record":{"position":6,"operation":"create",)"
            R"("metadata":{},"key":6,"after":{"n":6}}})"
            "\n");
}

/// Each part is a dead letter, and so is the record that the other destination refused.
TEST_F(OwnProcessors, ReturnRecordsThatTheDestinationRefuses) {
  write_with(
      source(),
      other("\"refuse\": \"4\"") + ", " +
          first(stage("p", "\"parts\": \"4\"") + ", " +
                    R"({"id": "q", "plugin": "tenon.dev/filter", "condition": "key == 4.4"})",
                R"("refuse": "4.2")"),
      letters(2));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "records: read 10, written 10, acknowledged 10, refused 2\n");
  EXPECT_EQ(written().size(), 38u);
  EXPECT_EQ(others().size(), 9u);
  EXPECT_EQ(world.read("refused.jsonl"),
            R"({"pipeline":"test","refused":[{"destination":"e","code":"ugly",)"
            R"("message":"too ugly"}],"record":{"position":4,"operation":"create",)"
            R"("metadata":{},"key":4,"after":{"n":4}}})"
            "\n"
            R"({"pipeline":"test","refused":[{"destination":"d","code":"ugly",)"
            R"("message":"too ugly"}],"record":{"position":4,"operation":"create",)"
            R"("metadata":{},"key":4.2,"after":{"n":4}}})"
            "\n");
}

/// The record is acknowledged after its last part.
TEST_F(OwnProcessors, RepeatAllPartsOfAnUnacknowledgedRecord) {
  write_with(source(),
             first(stage("p", "\"parts\": \"3\""), R"("refuse": "4.2")") + ", " + other());
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err.find("tenon-pipeline: error[record-refused] d (test.example/actor): too "
                             "ugly\n"),
            0u)
      << outcome.err;
  EXPECT_EQ(position(), "3");
  write_with(source(), first(stage("p", "\"parts\": \"3\"")) + ", " + other());
  EXPECT_EQ(run().out, numbers(7, 7, 7));
  EXPECT_EQ(position(), "10");
}

TEST_F(OwnProcessors, AreRetriedAfterATemporaryRefusal) {
  world.write("away", "");
  write_with(source(), first(stage("p", R"("away": "true", "parts": "2")")), letters(0));
  Child child = start();
  ASSERT_TRUE(eventually([&] { return child.err().find("resumes in") != std::string::npos; }));
  std::filesystem::remove(world.root() / "away");
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(lines_of(outcome.err)[0],
            "tenon-pipeline: p (test.example/actor): record-refused: the dictionary is away "
            "(retryable)");
  EXPECT_EQ(outcome.out, numbers(10, 10, 10));
  EXPECT_EQ(written().size(), 20u);
}

// -- Failures -----------------------------------------------------------------

TEST_F(OwnProcessors, StopThePipelineAfterDelivery) {
  write_with(source("\"batch\": \"2\""), first(stage("p", "\"fail_at\": \"5\"")) + ", " + other());
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: p (test.example/actor): process: internal: out of thread\n");
  EXPECT_EQ(written(), positions(1, 4));
  EXPECT_EQ(position(), "4");
  EXPECT_NE(world.read("calls of d").find("destination: stop 4\n"), std::string::npos);
}

TEST_F(OwnProcessors, EndWithTheirDestination) {
  write_with(source("\"batch\": \"2\""),
             first(stage("p", "\"parts\": \"2\""), R"("fail_at": "5")") + ", " + other());
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: d (test.example/actor): write_batch: internal: out of ink\n");
  EXPECT_EQ(position(), "4");
}

TEST_F(OwnProcessors, AreTornDownIfTheyCannotBeOpened) {
  write_with(source(), first(stage("p", "\"broken\": \"true\"")));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: p (test.example/actor): open: unavailable: nobody is at home\n");
}

TEST_F(OwnProcessors, AreReportedIfTheyMakeNoProgress) {
  write_with(source(), first(stage("p", R"("deaf": "true", "journal": "deaf")")) + ", " + other(),
             R"("stall": {"report_after": "50ms"}, )");
  Child child = start();
  ASSERT_TRUE(eventually([&] {
    return child.err().find(" s: process has not returned, at the record at position \"1\"") !=
           std::string::npos;
  }));
  EXPECT_NE(child.err().find("tenon-pipeline: p (test.example/actor): no progress for "),
            std::string::npos)
      << child.err();
  child.signal(SIGINT);
  ASSERT_TRUE(eventually([&] { return world.read("journal").ends_with("source: stop\n"); }));
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait().exit, 128 + SIGTERM);
  EXPECT_EQ(world.read("calls of d").rfind("destination: teardown\n"),
            world.read("calls of d").size() - 22);
}

TEST_F(OwnProcessors, AreNoStallOfTheirDestination) {
  write_with(source(), first(stage("p", "\"parts\": \"2\""), R"("keep": "7")"),
             R"("stall": {"report_after": "50ms"}, )");
  Child child = start();
  ASSERT_TRUE(eventually([&] {
    return child.err().find("d (test.example/actor): no progress for ") != std::string::npos;
  }));
  EXPECT_NE(child.err().find("next_acks has not acknowledged the record at position \"7\""),
            std::string::npos)
      << child.err();
}

// -- Threads, replacement and kills -------------------------------------------

#ifndef _WIN32  // no /proc
std::multiset<std::string> names_of_threads(pid_t process) {
  std::multiset<std::string> names;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    names.insert(name);
  }
  return names;
}

TEST_F(OwnProcessors, RunOnThreadsOfTheirDestination) {
  write_with(source("\"count\": \"100000\", \"batch\": \"1\", \"delay\": \"1ms\""),
             other() + ", " + first(stage("p", "")));
  Child child = start();
  ASSERT_TRUE(wrote(1));
  std::multiset<std::string> names;
  const auto runs = [&names](const char* name) { return names.contains(name); };
  EXPECT_TRUE(eventually([&] {
    names = names_of_threads(child.worker());
    return runs("process 2 test") && runs("commit 2 test") && runs("commit test");
  }));
  EXPECT_EQ(names.count("process test"), 0u) << "there are no others";
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 0);
}
#endif

class OwnStamps : public OwnProcessors {
 protected:
  void write_stamped() {
    world.write(
        "pipeline.json",
        R"({"name": "test", "position": "state/position.json", "window": {"records": 50},)"
        R"( "source": {"plugin": "tenon.dev/generator", "config": {"count": "6000"}},)"
        R"( "destinations": [{"plugin": "tenon.dev/file", "config": {"path": "out.jsonl"})" +
            processors(stage("p", R"("stamp": "true", "delay": "2ms")")) + "}]}");
  }
  Lines lines() { return lines_of(world.read("out.jsonl")); }
  Lines keys() {
    Lines keys;
    for (const std::string& line : lines()) keys.push_back(line.substr(2, line.find(':') - 3));
    return keys;
  }
};

TEST_F(OwnStamps, ArriveOnceAndInOrderDuringAReplacement) {
  write_stamped();
  Child child = start_watching();
  for (std::size_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(eventually([&] { return lines().size() >= i * 1000; }));
    ASSERT_NO_FATAL_FAILURE(replace_actor(child, i));
  }
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, numbers(6000, 6000, 6000));
  EXPECT_EQ(keys(), positions(1, 6000));
  EXPECT_NE(world.read("out.jsonl").find("2.0.0"), std::string::npos);
}

TEST_F(OwnStamps, AllArriveAfterKills) {
  write_stamped();
  for (std::size_t i = 1; i <= 3; ++i) {
    Child child = start();
    ASSERT_TRUE(eventually([&] { return lines().size() >= i * 1501; }));
    child.kill();
  }
  EXPECT_EQ(run().exit, 0);
  EXPECT_EQ(position(), "6000");
  EXPECT_EQ(without_repetitions(keys()), positions(1, 6000));
}

// -- Wrong files --------------------------------------------------------------

TEST_F(OwnProcessors, AreValidatedWithTheFile) {
  world.write("pipeline.json", R"({
  "name": "test", "position": "state/position.json",
  "source": {"plugin": "tenon.dev/generator",
    "processors": [{"plugin": "tenon.dev/field", "config": {"dorp": "a"}}]},
  "destinations": [{"plugin": "tenon.dev/log",
    "processors": [{"plugin": "tenon.dev/filter", "condition": "n == 1"}]}]
})");
  const Outcome outcome = world.run({TENON_PIPELINE, "validate", "pipeline.json"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("pipeline.json:4:61: error[unknown-parameter]"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("pipeline.json:6:64: error[wrong-condition]"), std::string::npos)
      << outcome.err;
}

TEST_F(OwnProcessors, HaveIdsThatAreUniqueInThePipeline) {
  write_with(source(), first(plugin("tenon.dev/field", "")) + ", " + other(),
             R"("processors": [)" + plugin("tenon.dev/field", "") + "], ");
  const Outcome outcome = world.run({TENON_PIPELINE, "validate", "pipeline.json"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("error[duplicate-id]: another processor has the id 'tenon.dev/field'"),
            std::string::npos)
      << outcome.err;
}

}}  // namespace tenon::tests
