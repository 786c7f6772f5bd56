// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline with limits of batches and rates.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <string>

#include "e2e/pipeline/pipeline.hpp"

namespace tenon::tests {
namespace {

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
  /// Returns the sizes of the batches that were written.
  Lines batches() {
    const std::string prefix = "destination: write ";
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
  Child child = start();
  for (std::size_t i = 1; i <= 2; ++i) {
    ASSERT_TRUE(wrote(i * 1000));
    ASSERT_NO_FATAL_FAILURE(replace_actor(child, i));
  }
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(position(), "5000");
  EXPECT_EQ(without_repetitions(written()), positions(1, 5000));
}

TEST_F(Pace, NeedsValidLimits) {
  write_paced(R"(, "batch": {"records": 0, "delay": "1s"})",
              R"(, "batch": {"delay": "soon"}, "rate": {"burst": 5})");
  const Outcome outcome = world.run({TENON_PIPELINE, "validate", "pipeline.json"});
  EXPECT_EQ(outcome.exit, 2);
  for (const char* text : {"error[wrong-value]: 'records' is out of range\n   found   0\n",
                           "error[unknown-key]: a batch has no key 'delay'\n",
                           "error[wrong-value]: the duration 'delay' is invalid\n",
                           "error[missing-key]: a rate lacks the key 'per_second'\n"}) {
    EXPECT_NE(outcome.err.find(text), std::string::npos) << text << outcome.err;
  }
}

}  // namespace
}  // namespace tenon::tests
