// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline with limits of batches and rates.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>

#include "e2e/pipeline/pipeline.hpp"

namespace tenon::tests { namespace {

class Pace : public Pipeline {
 protected:
  /// Writes a pipeline from a source of 10 records. `source` and `destination` are further members
  /// of the two, and `more` those of the pipeline.
  void write_paced(const std::string& source, const std::string& destination,
                   const std::string& more = {}, const std::string& config = {}) {
    world.write("pipeline.json",
                R"({"name": "test", "position": "state/position.json", )" + more +
                    R"("source": {"plugin": "test.example/actor", "config": {)" + config + "}" +
                    source +
                    R"(}, "destinations": [{"plugin": "test.example/actor", "config": )"
                    R"({"journal": "journal", "batches": "true", "written": "written"})" +
                    destination + "}]}");
  }
  /// Returns the sizes of the batches that were written or processed.
  Lines batches(const std::string& prefix = "destination: write ") {
    Lines sizes;
    for (const std::string& line : journal()) {
      if (line.starts_with(prefix)) sizes.push_back(line.substr(prefix.size()));
    }
    return sizes;
  }
};

TEST_F(Pace, LimitsTheBatchesOfASource) {
  write_paced(R"(, "batch": {"records": 4})", "");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.out, numbers(10, 10, 10)) << outcome.err;
  EXPECT_EQ(batches(), (Lines{"4", "4", "2"}));
}

TEST_F(Pace, FillsTheBatchesOfADestination) {
  write_paced("", R"(, "batch": {"records": 4, "delay": "1h"})", "", R"("batch": "1")");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.out, numbers(10, 10, 10)) << outcome.err;
  EXPECT_EQ(batches(), (Lines{"4", "4", "2"}));
  EXPECT_EQ(written(), positions(1, 10));
  EXPECT_EQ(position(), "10");
}

TEST_F(Pace, DividesLargeBatchesWithoutDelay) {
  write_paced("", R"(, "batch": {"records": 3})");
  EXPECT_EQ(run().out, numbers(10, 10, 10));
  EXPECT_EQ(batches(), (Lines{"3", "3", "3", "1"}));
}

TEST_F(Pace, WritesAnIncompleteBatchAfterItsDelay) {
  write_paced("", R"(, "batch": {"records": 100, "delay": "1ms"})", "",
              R"("count": "1000000", "batch": "1", "delay": "20ms")");
  Child child = start();
  ASSERT_TRUE(wrote(3));
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 0);
}

TEST_F(Pace, WritesAnIncompleteBatchIfTheWindowIsFull) {
  write_paced("", R"(, "batch": {"records": 100, "delay": "1h"})", R"("window": {"records": 3}, )");
  EXPECT_EQ(run().out, numbers(10, 10, 10));
  EXPECT_EQ(batches(), (Lines{"3", "3", "3", "1"}));
}

TEST_F(Pace, EndsTheDelayAtASignal) {
  write_paced("", R"(, "batch": {"records": 1000000, "delay": "1h"})", "",
              R"("journal": "source", "count": "1000000", "batch": "1", "delay": "1ms")");
  Child child = start();
  ASSERT_TRUE(eventually([&] { return world.read("source").ends_with("source: open -\n"); }));
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(lines_of(world.read("written")),
            positions(1, position().empty() ? 0 : std::stoi(position())));
}

TEST_F(Pace, LimitsTheRateOfADestination) {
  write_paced("", R"(, "rate": {"per_second": 50, "burst": 4})",
              R"("stall": {"report_after": "10ms"}, )");
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = run();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(6 * 20));
  EXPECT_EQ(outcome.out, numbers(10, 10, 10));
  EXPECT_EQ(batches(), (Lines{"4", "4", "2"}));
}

TEST_F(Pace, IsNoStall) {
  write_paced("", R"(, "rate": {"per_second": 2, "burst": 1})",
              R"("stall": {"report_after": "100ms", "fail_after": "400ms"}, )", R"("count": "3")");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, numbers(3, 3, 3));
}

/// A replaced destination gets the records again that it has not acknowledged, in whole batches.
TEST_F(Pace, SurvivesAReplacement) {
  write_paced("", R"(, "batch": {"records": 100, "delay": "2ms"})", "",
              R"("count": "5000", "batch": "7", "delay": "1ms")");
  Child child = start_watching();
  for (std::size_t i = 1; i <= 2; ++i) {
    ASSERT_TRUE(wrote(i * 1000));
    ASSERT_NO_FATAL_FAILURE(replace_actor(child, i));
  }
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(position(), "5000");
  EXPECT_EQ(without_repetitions(written()), positions(1, 5000));
}

// -- The delay of a source ----------------------------------------------------

/// A source that returns single records, whose batches have an endless delay.
class SourceDelay : public Pace {
 protected:
  void write_delayed(const std::string& config, const std::string& more = {},
                     const std::string& batch = R"("records": 100, "delay": "1h")") {
    write_paced(R"(, "batch": {)" + batch + "}", "", more,
                R"("batch": "1", "journal": "source")" + (config.empty() ? "" : ", " + config));
  }
  bool waits() {
    return eventually([&] { return world.read("source").ends_with("source: waits\n"); });
  }
  static std::string processor(const std::string& config) {
    return R"("processors": [{"id": "p", "plugin": "test.example/actor", "config": )"
           R"({"journal": "journal", "batches": "true")" +
           (config.empty() ? "" : ", " + config) + "}}], ";
  }
};

TEST_F(SourceDelay, FillsBatches) {
  write_delayed("", "", R"("records": 4, "delay": "1h")");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.out, numbers(10, 10, 10)) << outcome.err;
  EXPECT_EQ(batches(), (Lines{"4", "4", "2"}));
  EXPECT_EQ(written(), positions(1, 10));
  EXPECT_EQ(position(), "10");
}

TEST_F(SourceDelay, FillsBatchesOfSeveralReads) {
  write_paced(R"(, "batch": {"records": 7, "delay": "1h"})", "", "", R"("batch": "3")");
  EXPECT_EQ(run().out, numbers(10, 10, 10));
  EXPECT_EQ(batches(), (Lines{"7", "3"}));
  EXPECT_EQ(written(), positions(1, 10));
}

TEST_F(SourceDelay, FillsTheBatchesOfProcessors) {
  write_delayed("", processor(R"("keep_every": "2", "parts": "2")"),
                R"("records": 4, "delay": "1h")");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.out, numbers(10, 10, 10)) << outcome.err;
  EXPECT_EQ(batches("processor: process "), (Lines{"4", "4", "2"}));
  EXPECT_EQ(batches(), (Lines{"4", "4", "2"}));
  EXPECT_EQ(written(), (Lines{"2", "2", "4", "4", "6", "6", "8", "8", "10", "10"}));
}

TEST_F(SourceDelay, PassesWhileTheSourceWaits) {
  for (const std::string& more : {std::string(), processor("")}) {
    write_delayed(R"("count": "5", "wait_at": "4")", more, R"("records": 100, "delay": "20ms")");
    Child child = start();
    ASSERT_TRUE(waits());
    ASSERT_TRUE(wrote(3));
    world.write("go", "");
    EXPECT_EQ(child.wait().out, numbers(5, 5, 5));
    for (const char* file : {"go", "state", "source", "written"}) {
      std::filesystem::remove_all(world.root() / file);
    }
  }
}

TEST_F(SourceDelay, PassesWhileADestinationWaits) {
  write_paced(R"(, "batch": {"delay": "5ms"})", R"(, "batch": {"records": 3, "delay": "1h"})", "",
              R"("batch": "1", "delay": "30ms", "count": "5", "wait_at": "4")");
  Child child = start();
  ASSERT_TRUE(wrote(3));
  world.write("go", "");
  EXPECT_EQ(child.wait().out, numbers(5, 5, 5));
  EXPECT_EQ(batches(), (Lines{"3", "2"}));
}

/// A source may return no more records before some are acknowledged.
TEST_F(SourceDelay, PassesWhileTheSourceNeedsAcknowledgements) {
  write_delayed(R"("unacknowledged": "3")", "", R"("records": 100, "delay": "20ms")");
  EXPECT_EQ(run().out, numbers(10, 10, 10));
  EXPECT_EQ(written(), positions(1, 10));
}

TEST_F(SourceDelay, EndsIfTheWindowIsFull) {
  write_delayed("", R"("window": {"records": 3}, )");
  EXPECT_EQ(run().out, numbers(10, 10, 10));
  EXPECT_EQ(batches(), (Lines{"3", "3", "3", "1"}));
}

TEST_F(SourceDelay, EndsWhenTheSourceFailsForNow) {
  write_delayed(R"("retry_at": "3", "wait_at": "4")");
  Child child = start();
  ASSERT_TRUE(wrote(2));
  world.write("go", "");
  EXPECT_EQ(child.wait().out, numbers(10, 10, 10));
  EXPECT_EQ(batches(), (Lines{"2", "8"}));
}

TEST_F(SourceDelay, EndsAtASignal) {
  write_delayed(R"("wait_at": "4")");
  Child child = start();
  ASSERT_TRUE(waits());
  EXPECT_EQ(world.read("written"), "");
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().out, numbers(3, 3, 3));
  EXPECT_EQ(position(), "3");
}

TEST_F(SourceDelay, EndsAtASignalThatTheSourceIgnores) {
  write_delayed(R"("deaf_at": "4")");
  Child child = start();
  ASSERT_TRUE(eventually([&] { return world.read("source").ends_with("source: deaf\n"); }));
  EXPECT_EQ(world.read("written"), "");
  child.signal(SIGINT);
  EXPECT_TRUE(wrote(3));
  EXPECT_TRUE(eventually([&] { return position() == "3"; }));
}

TEST_F(SourceDelay, EndsBeforeTheSourceIsStopped) {
  write_delayed(R"("stop_waits": "true")");
  EXPECT_EQ(run().out, numbers(10, 10, 10)) << "stop waits for acknowledgements";
}

/// A replaced source resumes after the last position, when all records are committed.
TEST_F(SourceDelay, EndsAtAReplacement) {
  write_delayed(R"("wait_at": "4")");
  Child child = start_watching();
  ASSERT_TRUE(waits());
  EXPECT_EQ(world.read("written"), "");
  ASSERT_NO_FATAL_FAILURE(replace_actor(child, 1));
  ASSERT_TRUE(wrote(3));
  world.write("go", "");
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.out, numbers(10, 10, 10)) << outcome.err;
  EXPECT_EQ(written(), positions(1, 10));
  EXPECT_NE(world.read("source").find("source: open 3\n"), std::string::npos);
}

TEST_F(SourceDelay, IsNoStall) {
  write_delayed(R"("count": "4", "wait_at": "4")",
                R"("stall": {"report_after": "100ms", "fail_after": "600ms"}, )",
                R"("records": 100, "delay": "1s")");
  Child child = start();
  ASSERT_TRUE(wrote(3));
  world.write("go", "");
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, numbers(4, 4, 4));
}

TEST_F(SourceDelay, LosesNothingAfterKills) {
  write_delayed(R"("count": "2000", "delay": "1ms")", processor(R"("parts": "2")"),
                R"("records": 20, "delay": "5ms")");
  for (std::size_t i = 1; i <= 3; ++i) {
    Child child = start();
    ASSERT_TRUE(wrote(i * 1001));
    child.kill();
  }
  EXPECT_EQ(run().exit, 0);
  EXPECT_EQ(position(), "2000");
  EXPECT_EQ(without_repetitions(written()), positions(1, 2000));
}

TEST_F(Pace, NeedsValidLimits) {
  write_paced(R"(, "batch": {"records": 0, "delay": "never"})",
              R"(, "batch": {"delay": "soon"}, "rate": {"burst": 5})");
  const Outcome outcome = world.run({TENON_PIPELINE, "validate", "pipeline.json"});
  EXPECT_EQ(outcome.exit, 2);
  for (const char* text :
       {"error[wrong-value]: 'records' is out of range\n   found   0\n",
        "error[wrong-value]: the duration 'delay' is invalid\n   found   \"never\"",
        "error[wrong-value]: the duration 'delay' is invalid\n   found   \"soon\"",
        "error[missing-key]: a rate lacks the key 'per_second'\n"}) {
    EXPECT_NE(outcome.err.find(text), std::string::npos) << text << outcome.err;
  }
}

}}  // namespace tenon::tests
