// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline with processors: changed records, acknowledgements, and processors that
// refuse records, fail or are replaced.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "e2e/pipeline/pipeline.hpp"

namespace tenon::tests { namespace {

class Processors : public Pipeline {
 protected:
  /// Writes the pipeline file. `more` are further members.
  void write_with(const std::string& source, const std::string& processors,
                  const std::string& destinations, const std::string& more = {}) {
    world.write("pipeline.json", R"({"name": "test", "position": "state/position.json", )" + more +
                                     R"("source": )" + source + R"(, "processors": [)" +
                                     processors + R"(], "destinations": [)" + destinations + "]}");
  }
  static std::string actor(const std::string& id, const std::string& members) {
    return R"({"id": ")" + id + R"(", "plugin": "test.example/actor", "config": {)" + members +
           "}}";
  }
  static std::string source(const std::string& members = {}) {
    return plugin("test.example/actor",
                  R"("journal": "journal")" + (members.empty() ? "" : ", " + members));
  }
  /// Returns a destination that writes the keys of records.
  static std::string destination(const std::string& members = {}) {
    return actor(
        "d", R"("written": "written", "keys": "true")" + (members.empty() ? "" : ", " + members));
  }
  static std::string letters(const std::string& limit) {
    return R"("dead_letters": {"plugin": "tenon.dev/file", "config": {"path": "refused.jsonl"},)"
           R"( "limit": )" +
           limit + "}, ";
  }
  /// Returns the keys of the parts of records, in order.
  static Lines parts(int first, int last, int count) {
    Lines keys;
    for (int i = first; i <= last; ++i) {
      for (int part = 1; part <= count; ++part) {
        keys.push_back(std::to_string(i) + "." + std::to_string(part));
      }
    }
    return keys;
  }
  /// Expects that the source got one acknowledgement for each record, in order.
  void expect_acknowledged(int last) {
    int next = 1;
    std::smatch ack;
    for (const std::string& line : journal()) {
      if (!std::regex_match(line, ack, std::regex("source: ack ([0-9]+) to ([0-9]+)"))) continue;
      EXPECT_EQ(std::stoi(ack[1]), next);
      next = std::stoi(ack[2]) + 1;
    }
    EXPECT_EQ(next, last + 1);
    EXPECT_EQ(position(), std::to_string(last));
  }
};

// -- Changed records ----------------------------------------------------------

TEST_F(Processors, ChangeFields) {
  world.write("in.jsonl",
              "{\"name\":\"Ann\",\"password\":\"x\",\"n\":123456789012345678901}\n"
              "{\"name\":\"Bob\",\"n\":1.50}\n");
  write_with(plugin("tenon.dev/file", R"("path": "in.jsonl")"),
             plugin("tenon.dev/field",
                    R"("drop": "password", "rename.name": "who", "set.from": "the list")"),
             plugin("tenon.dev/file", R"("path": "out.jsonl")"));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, numbers(2, 2, 2));
  EXPECT_EQ(world.read("out.jsonl"),
            "{\"who\":\"Ann\",\"n\":123456789012345678901,\"from\":\"the list\"}\n"
            "{\"who\":\"Bob\",\"n\":1.50,\"from\":\"the list\"}\n");
}

TEST_F(Processors, ChangeFieldsInsideOthers) {
  world.write("in.jsonl", R"({"user":{"name":"Ann","password":"x","tags":[{"id":1.50},2]}})"
                          "\n");
  write_with(plugin("tenon.dev/file", R"("path": "in.jsonl")"),
             plugin("tenon.dev/field", R"("drop": "/user/password", "rename./user/name": "who", )"
                                       R"("set./user/address/city": "Berlin")"),
             plugin("tenon.dev/file", R"("path": "out.jsonl")"));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(world.read("out.jsonl"),
            R"({"user":{"who":"Ann","tags":[{"id":1.50},2],"address":{"city":"Berlin"}}})"
            "\n");
}

TEST_F(Processors, GetRecordsThatMeetTheirConditions) {
  world.write("in.jsonl", "{\"n\":1}\n{\"n\":2,\"of\":{\"kind\":\"a\"}}\n{\"n\":3}\n{\"n\":4}\n");
  write_with(plugin("tenon.dev/file", R"("path": "in.jsonl")"),
             R"({"plugin": "tenon.dev/filter", "condition": "/n >= 3 and /n < 4"},
                {"plugin": "tenon.dev/field", "condition": "/of/kind == a or key == 4",
                 "config": {"set.x": "true"}},
                {"id": "none", "plugin": "tenon.dev/filter", "condition": "operation == delete"})",
             plugin("tenon.dev/file", R"("path": "out.jsonl")"));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, numbers(4, 3, 4));
  EXPECT_EQ(world.read("out.jsonl"),
            "{\"n\":1}\n{\"n\":2,\"of\":{\"kind\":\"a\"},\"x\":true}\n{\"n\":4,\"x\":true}\n");
}

/// A refusal counts for the record that it came from, and the parts of a record stay together.
TEST_F(Processors, WithConditionsSplitAndRefuseRecords) {
  const auto with_condition = [](const std::string& stage, const std::string& condition) {
    return stage.substr(0, stage.size() - 1) + R"(, "condition": ")" + condition + "\"}";
  };
  write_with(source("\"count\": \"6\""),
             with_condition(actor("a", "\"parts\": \"2\""), "key >= 3") + ", " +
                 with_condition(actor("b", "\"refuse\": \"4\""), "key != 4.1"),
             destination(), letters(R"({"refused": 1, "of": 0})"));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(written(), (Lines{"1", "2", "3.1", "3.2", "5.1", "5.2", "6.1", "6.2"}));
  expect_acknowledged(6);
}

TEST_F(Processors, NeedValidConditions) {
  write_with(source(), R"({"plugin": "tenon.dev/filter", "condition": "n == 1"})", destination());
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("error[wrong-condition]: the condition cannot be read\n"
                             "   found   n == 1\n"
                             "   needed  the path of a field such as /address/city, operation, key "
                             "or metadata.NAME\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(Processors, DecodeFieldsAndPayloads) {
  world.write("in.jsonl", R"({"a":"{\"n\": 12345678901234567890123}","b":{"c":"aGVsbG8="}})"
                          "\n"
                          R"({"b":{"c":"a"}})"
                          "\n"
                          R"({"a":"{"})"
                          "\n");
  write_with(plugin("tenon.dev/file", R"("path": "in.jsonl")"),
             R"({"plugin": "tenon.dev/decode", "config": {"format": "json", "field": "a"}},
                {"id": "b", "plugin": "tenon.dev/decode",
                 "config": {"format": "base64", "field": "/b/c"}})",
             plugin("tenon.dev/file", R"("path": "out.jsonl")"),
             letters(R"({"refused": 2, "of": 0})"));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(world.read("out.jsonl"), R"({"a":{"n": 12345678901234567890123},"b":{"c":"hello"}})"
                                     "\n");
  const std::string refused = world.read("refused.jsonl");
  EXPECT_NE(refused.find("\"wrong-base64\""), std::string::npos) << refused;
  EXPECT_NE(refused.find("\"wrong-json\""), std::string::npos) << refused;
}

TEST_F(Processors, SplitLists) {
  world.write("in.jsonl", R"({"o":{"items": [{"x":1.0}, 2],"n":1}})"
                          "\n"
                          R"({"n":2})"
                          "\n"
                          R"({"o":{"items":[]}})"
                          "\n"
                          R"({"o":{"items":3}})"
                          "\n");
  write_with(plugin("tenon.dev/file", R"("path": "in.jsonl")"),
             plugin("tenon.dev/split", R"("field": "/o/items")"),
             plugin("tenon.dev/file", R"("path": "out.jsonl")") + ", " + destination(),
             letters(R"({"refused": 1, "of": 0})"));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(world.read("out.jsonl"), R"({"o":{"items": {"x":1.0},"n":1}})"
                                     "\n"
                                     R"({"o":{"items": 2,"n":1}})"
                                     "\n"
                                     R"({"n":2})"
                                     "\n");
  EXPECT_EQ(written(), (Lines{"1/0", "1/1", "2"}));
  EXPECT_NE(world.read("refused.jsonl").find("\"wrong-type\""), std::string::npos);
}

TEST_F(Processors, RunInSequence) {
  write_with(source("\"count\": \"3\""),
             actor("a", "\"parts\": \"2\"") + ", " + actor("b", "\"keep_every\": \"2\"") + ", " +
                 actor("c", "\"parts\": \"2\""),
             destination());
  EXPECT_EQ(run().out, numbers(3, 4, 3));
  EXPECT_EQ(written(), (Lines{"2.1.1", "2.1.2", "2.2.1", "2.2.2"}));
  expect_acknowledged(3);
}

TEST_F(Processors, SplitRecords) {
  write_with(source("\"count\": \"2500\""), actor("p", "\"parts\": \"3\""), destination());
  EXPECT_EQ(run().out, numbers(2500, 7500, 2500));
  EXPECT_EQ(written(), parts(1, 2500, 3));
  expect_acknowledged(2500);
}

TEST_F(Processors, FilterRecords) {
  write_with(source("\"count\": \"2500\", \"batch\": \"7\""), actor("p", "\"keep_every\": \"3\""),
             destination() + ", " + actor("e", "\"journal\": \"journal\""));
  EXPECT_EQ(run().out, numbers(2500, 833, 2500));
  EXPECT_EQ(written().size(), 833u);
  expect_acknowledged(2500);
  EXPECT_NE(world.read("journal").find("destination: stop 2499\n"), std::string::npos);
}

/// The number of consecutive filtered records exceeds the window.
TEST_F(Processors, FilterAllRecords) {
  write_with(source("\"count\": \"1000\""), actor("p", "\"keep_every\": \"1000000\""),
             destination("\"journal\": \"journal\""), R"("window": {"records": 10}, )");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, numbers(1000, 0, 1000));
  EXPECT_EQ(written(), Lines{});
  expect_acknowledged(1000);
  EXPECT_NE(world.read("journal").find("destination: stop -\n"), std::string::npos);
}

TEST_F(Processors, RunWithAWindowOfOne) {
  write_with(source(), actor("a", "\"keep_every\": \"2\"") + ", " + actor("b", "\"parts\": \"3\""),
             destination(), R"("window": {"records": 1}, )");
  EXPECT_EQ(run().out, numbers(10, 15, 10));
  expect_acknowledged(10);
}

// -- The order of calls -------------------------------------------------------

TEST_F(Processors, AreCalledInTheOrderOfTheKind) {
  write_with(plugin("test.example/actor", ""), actor("p", "\"journal\": \"journal\""),
             actor("d", "\"journal\": \"journal\""));
  EXPECT_EQ(run().exit, 0);
  EXPECT_EQ(journal(), (Lines{"processor: configure", "destination: configure", "processor: open",
                              "destination: created -", "destination: open", "destination: stop 10",
                              "processor: teardown", "destination: teardown"}));
}

#ifndef _WIN32  // no /proc
TEST_F(Processors, RunOnTheirOwnThread) {
  write_with(source("\"count\": \"100000\", \"batch\": \"1\", \"delay\": \"1ms\""), actor("p", ""),
             destination());
  Child child = start();
  ASSERT_TRUE(wrote(1));
  std::multiset<std::string> names;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(child.worker()) + "/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    names.insert(name);
  }
  EXPECT_EQ(names.count("process test"), 1u);
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 0);
}
#endif

TEST_F(Processors, AreTornDownIfAnotherCannotBeOpened) {
  write_with(source(), actor("a", "") + ", " + actor("b", "\"broken\": \"true\""), destination());
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: b (test.example/actor): open: unavailable: nobody is at home\n");
}

/// The other plugins are torn down.
TEST_F(Processors, AreReportedAndAbandonedIfTheyHang) {
  write_with(source(), actor("p", R"("deaf": "true", "journal": "deaf")"),
             actor("d", "\"journal\": \"destination\""));
  Child child = start();
  ASSERT_TRUE(eventually([&] { return world.read("deaf").ends_with("processor: deaf\n"); }));
  child.signal(SIGINT);
  ASSERT_TRUE(eventually([&] { return world.read("journal").ends_with("source: stop\n"); }));
  child.signal(SIGTERM);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 128 + SIGTERM);
  EXPECT_TRUE(
      std::regex_search(outcome.err, std::regex("^tenon-pipeline: p \\(test.example/actor\\): "
                                                "process has not returned for [0-9]+ s\n")))
      << outcome.err;
  EXPECT_TRUE(world.read("journal").ends_with("source: teardown\n"));
  EXPECT_TRUE(world.read("destination").ends_with("destination: teardown\n"));
  EXPECT_TRUE(world.read("deaf").ends_with("processor: deaf\n")) << "process has not returned";
}

// -- Refused records ----------------------------------------------------------

TEST_F(Processors, StopThePipelineIfTheyRefuseARecord) {
  write_with(source("\"batch\": \"3\""), actor("p", "\"refuse\": \"5\""), destination());
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: error[record-refused] p (test.example/actor): too ugly\n"
            "   found   the record at position \"5\", refused as ugly\n"
            "   needed  a record that the processor accepts\n"
            "   fix     correct the record at its origin, or the config of the processor; the "
            "next run begins with this record\n");
  expect_acknowledged(4);

  write_with(source("\"batch\": \"3\""), actor("p", ""), destination());
  EXPECT_EQ(run().out, numbers(6, 6, 6));
  EXPECT_EQ(without_repetitions(written()).size(), 10u);
}

/// Dead letters contain the records as read, without changes by earlier processors.
TEST_F(Processors, SendRefusedRecordsToTheDeadLetters) {
  write_with(source(),
             actor("a", "\"parts\": \"2\"") + ", " + actor("b", "\"refuse_part\": \"6.2\""),
             destination(), letters(R"({"refused": 1, "of": 3})"));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "records: read 10, written 18, acknowledged 10, refused 1\n");
  Lines expected = parts(1, 5, 2);
  const Lines rest = parts(7, 10, 2);
  expected.insert(expected.end(), rest.begin(), rest.end());
  EXPECT_EQ(written(), expected) << "nothing of record 6";
  EXPECT_EQ(world.read("refused.jsonl"),
            R"({"pipeline":"test","refused":[{"processor":"b","code":"ugly",)"
            R"("message":"too ugly"}],"record":{"position":6,"operation":"create",)"
            R"("metadata":{},"key":6,"after":{"n":6}}})"
            "\n");
  expect_acknowledged(10);
}

TEST_F(Processors, CountTowardsTheLimitOfRefusedRecords) {
  write_with(source(), actor("p", "\"refuse_every\": \"4\""), destination("\"refuse\": \"6\""),
             letters(R"({"refused": 1, "of": 3})"));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: error[record-refused] d (test.example/actor): too ugly\n"
            "   found   the record at position \"6\", refused as ugly\n"
            "   needed  at most 1 refused of 3 records\n"
            "   fix     correct the record at its origin, or the config of the destination; the "
            "next run begins with this record\n");
  EXPECT_EQ(lines_of(world.read("refused.jsonl")).size(), 1u);
  expect_acknowledged(5);
}

TEST_F(Processors, SplitRecordsThatADestinationRefuses) {
  write_with(source(), actor("p", "\"parts\": \"3\""),
             destination("\"refuse\": \"4.2\"") + ", " +
                 actor("e", R"("written": "other", "keys": "true")"),
             letters(R"({"refused": 1, "of": 3})"));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "records: read 10, written 30, acknowledged 10, refused 1\n");
  Lines expected = parts(1, 10, 3);
  EXPECT_EQ(lines_of(world.read("other")), expected);
  expected.erase(std::find(expected.begin(), expected.end(), "4.2"));
  EXPECT_EQ(written(), expected);
  EXPECT_EQ(world.read("refused.jsonl"),
            R"({"pipeline":"test","refused":[{"destination":"d","code":"ugly",)"
            R"("message":"too ugly"}],"record":{"position":4,"operation":"create",)"
            R"("metadata":{},"key":4.2,"after":{"n":4}}})"
            "\n");
  expect_acknowledged(10);
}

/// A record is acknowledged after its last part.
TEST_F(Processors, RepeatAllPartsOfAnUnacknowledgedRecord) {
  write_with(source(), actor("p", "\"parts\": \"3\""), destination("\"refuse\": \"4.2\""));
  EXPECT_EQ(run().exit, 1);
  expect_acknowledged(3);
  write_with(source(), actor("p", "\"parts\": \"3\""), destination());
  EXPECT_EQ(run().out, numbers(7, 21, 7));
  Lines lines = written();
  EXPECT_EQ(Lines(lines.end() - 21, lines.end()), parts(4, 10, 3));
}

TEST_F(Processors, RetryRecordsAfterATemporaryRefusal) {
  world.write("away", "");
  write_with(source(), actor("p", R"("away": "true", "parts": "2")"), destination(),
             letters(R"({"refused": 0, "of": 0})"));
  Child child = start();
  ASSERT_TRUE(eventually([&] { return child.err().find("resumes in") != std::string::npos; }));
  std::filesystem::remove(world.root() / "away");
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(lines_of(outcome.err)[0],
            "tenon-pipeline: p (test.example/actor): record-refused: the dictionary is away "
            "(retryable)");
  EXPECT_EQ(outcome.out, numbers(10, 20, 10));
  EXPECT_EQ(written(), parts(1, 10, 2));
}

// -- Failures -----------------------------------------------------------------

TEST_F(Processors, StopThePipelineAfterDeliveryOfProcessedRecords) {
  write_with(source("\"batch\": \"2\""), actor("p", "\"fail_at\": \"5\""), destination());
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: p (test.example/actor): process: internal: out of thread\n");
  EXPECT_EQ(written(), positions(1, 4));
  expect_acknowledged(4);
}

TEST_F(Processors, AreCalledAgainAfterARetryableError) {
  const std::string unavailable = std::to_string(TENON_UNAVAILABLE | TENON_RETRYABLE);
  write_with(source(), actor("p", R"("fail_at": "5", "status": ")" + unavailable + "\""),
             destination());
  Child child = start();
  ASSERT_TRUE(eventually([&] { return lines_of(child.err()).size() == 4; }));
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(lines_of(outcome.err)[0],
            "tenon-pipeline: p (test.example/actor): process: unavailable: out of thread "
            "(retryable)");
}

TEST_F(Processors, MustReturnAResultForEachRecord) {
  write_with(source("\"batch\": \"3\""), actor("p", "\"forget_at\": \"5\""), destination());
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: error[wrong-results] p (test.example/actor): the processor does not "
            "return a result for each record\n"
            "   found   2 results\n"
            "   needed  3, one for each record\n"
            "   fix     report this to the author of the plugin\n");
  EXPECT_EQ(written(), positions(1, 3));
  expect_acknowledged(3);
}

#if !SANITIZED  // a sanitizer reports the crash and ends the program
TEST_F(Processors, AreNamedAfterACrashAndThePipelineResumes) {
  world.write("crash", "");
  write_with(plugin("tenon.dev/generator", R"("count": "20")"),
             actor("p", R"("crash_at": "7", "stamp": "true")"),
             plugin("tenon.dev/file", R"("path": "out.jsonl")"));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("test.example/actor: process: crashed: SIGSEGV at "),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("Processor::process"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, numbers(20, 20, 20));
  EXPECT_EQ(lines_of(world.read("out.jsonl")).size(), 20u) << "nothing was sent before";
  EXPECT_EQ(position(), "20");
}

/// A record that always crashes its processor must not keep the pipeline busy.
TEST_F(Processors, AreRetriedLaterAfterRepeatedCrashes) {
  world.write("crash always", "");
  write_with(plugin("tenon.dev/generator", R"("count": "20")"),
             actor("p", R"("crash_at": "7", "stamp": "true")"),
             plugin("tenon.dev/file", R"("path": "out.jsonl")"));
  Child child = start();
  ASSERT_TRUE(eventually([&] { return child.err().find("resumes in") != std::string::npos; }));
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_NE(outcome.err.find("p (test.example/actor): "), std::string::npos) << outcome.err;
  EXPECT_EQ(world.read("out.jsonl"), "");
  EXPECT_EQ(position(), "");
}
#endif

// -- Replacement and kills ----------------------------------------------------

/// Pipelines whose output lines are {"KEY":"EDITION"}.
class StampedRecords : public Processors {
 protected:
  void write_stamped(const std::string& config) {
    write_with(plugin("tenon.dev/generator", R"("count": "10000")"),
               actor("p", R"("stamp": "true", )" + config),
               plugin("tenon.dev/file", R"("path": "out.jsonl")"),
               R"("window": {"records": 50}, )");
  }
  Lines lines() { return lines_of(world.read("out.jsonl")); }
  static std::string key(const std::string& line) { return line.substr(2, line.find(':') - 3); }
  static Lines keys(const Lines& lines) {
    Lines keys;
    std::transform(lines.begin(), lines.end(), std::back_inserter(keys), key);
    return keys;
  }
};

TEST_F(StampedRecords, ArriveOnceAndInOrderDuringAReplacement) {
  write_stamped(R"("delay": "2ms")");
  Child child = start_watching();
  for (std::size_t i = 1; i <= 4; ++i) {
    ASSERT_TRUE(eventually([&] { return lines().size() >= i * 1000; }));
    ASSERT_NO_FATAL_FAILURE(replace_actor(child, i));
  }
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, numbers(10'000, 10'000, 10'000));
  EXPECT_EQ(lines_of(outcome.err)[0], "tenon-pipeline: restarted test.example/actor, now 2.0.0");
  const Lines all = lines();
  EXPECT_EQ(keys(all), positions(1, 10'000));
  EXPECT_EQ(all.front(), R"({"1":"1.0.0"})");
  EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                          [](const std::string& line) { return line.ends_with(R"("2.0.0"})"); }));
}

TEST_F(StampedRecords, AllArriveAfterKills) {
  write_stamped(R"("delay": "1ms", "parts": "2")");
  for (std::size_t i = 1; i <= 4; ++i) {
    Child child = start();
    ASSERT_TRUE(eventually([&] { return lines().size() >= i * 3001; }));
    child.kill();
  }
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(position(), "10000");
  // The parts of an unacknowledged record arrive again, in order.
  EXPECT_EQ(without_repetitions(keys(lines())), parts(1, 10'000, 2));
}

// -- Wrong files --------------------------------------------------------------

TEST_F(Processors, AreValidatedWithTheFile) {
  world.write("pipeline.json", R"({
  "name": "test", "position": "state/position.json",
  "source": {"plugin": "tenon.dev/generator"},
  "processors": [
    {"plugin": "tenon.dev/field", "config": {"dorp": "a", "rename.a": "b"}},
    {"plugin": "tenon.dev/field", "config": {"drop": "a", "rename.a": "b"}},
    {"plugin": "tenon.dev/generator"}
  ],
  "destinations": [{"plugin": "tenon.dev/log"}]
})");
  const Outcome outcome = world.run({TENON_PIPELINE, "validate", "pipeline.json"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(
      outcome.err,
      R"(pipeline.json:5:46: error[unknown-parameter]: 'tenon.dev/field' has no parameter 'dorp'
   needed  'drop', 'rename.*' and 'set.*'
   fix     did you mean 'drop'?
pipeline.json:6:45: error[invalid-argument]: tenon.dev/field: configure: parameter "rename.a" renames a field that "drop" removes
pipeline.json:7:16: error[not-found]: tenon.dev/generator
   found   neither a standalone plugin nor a builtin; only tenon.dev/decode, tenon.dev/field, tenon.dev/filter, tenon.dev/split, test.example/actor
   needed  a plugin of tenon.dev/processor with that name
   fix     put its module into a directory of the plugin path, or correct the name
)");
}

TEST_F(Processors, NeedIdsIfTheyShareAPlugin) {
  write_with(source(), plugin("tenon.dev/field", "") + ", " + plugin("tenon.dev/field", ""),
             destination());
  const Outcome outcome = world.run({TENON_PIPELINE, "validate", "pipeline.json"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("error[duplicate-id]: another processor has the id 'tenon.dev/field'\n"
                             "   found   no id, so the name of the plugin is the id\n"),
            std::string::npos)
      << outcome.err;
}

}}  // namespace tenon::tests
