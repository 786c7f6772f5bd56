// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline with plugins that make no progress.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "e2e/pipeline/pipeline.hpp"

namespace tenon::tests { namespace {

class StalledPipeline : public Pipeline {
 protected:
  /// Writes a pipeline with the plugins of test.example/actor and a limit.
  void write_stalled(const std::string& source, const std::string& destination,
                     const std::string& stall, const std::string& processor = {}) {
    const auto with = [](const std::string& members) {
      return plugin("test.example/actor",
                    "\"journal\": \"journal\"" + (members.empty() ? "" : ", " + members));
    };
    const std::string processors =
        processor.empty() ? "" : "\"processors\": [" + with(processor) + "], ";
    world.write(
        "pipeline.json",
        R"({"name": "test", "position": "state/position.json", "source": )" + with(source) + ", " +
            processors + "\"destinations\": [" +
            with("\"written\": \"written\"" + (destination.empty() ? "" : ", " + destination)) +
            "], \"stall\": {" + stall + "}}");
  }
  /// Returns the times after which the record at position 7 was reported.
  static std::vector<double> reports_in(const std::string& messages) {
    static const std::regex report(
        "tenon-pipeline: test.example/actor: no progress for ([0-9.]+) s: next_acks has not "
        "acknowledged the record at position \"7\"");
    std::vector<double> times;
    for (const std::string& line : lines_of(messages)) {
      std::smatch found;
      if (std::regex_match(line, found, report)) times.push_back(std::stod(found[1]));
    }
    return times;
  }
  /// Returns the error of a run that gave up, without the time that passed.
  static std::string error_of(const Outcome& outcome) {
    static const std::regex time("for [0-9.]+ s");
    const std::string text = std::regex_replace(outcome.err, time, "for N s");
    return text.substr(std::min(text.find("tenon-pipeline: error[no-progress]"), text.size()));
  }
  static std::string no_progress(const std::string& problem) {
    return "tenon-pipeline: error[no-progress] test.example/actor: the pipeline made no progress "
           "for N s\n   found   " +
           problem +
           "\n   needed  progress within 2.0 s\n   fix     repair the plugin, or raise \"stall\": "
           "{\"fail_after\": ...}; the next run resumes after the last position\n";
  }

  static constexpr const char* fails = R"("fail_after": "2s")";
};

TEST_F(StalledPipeline, NamesThePluginTheMethodAndTheRecord) {
  write_stalled("", R"("keep": "7")", R"("report_after": "50ms")");
  Child child = start();
  ASSERT_TRUE(eventually([&] { return reports_in(child.err()).size() >= 4; }));
  child.signal(SIGINT);
  child.signal(SIGTERM);
  const Outcome outcome = child.wait();
  double next = 0.05;
  for (const double time : reports_in(outcome.err)) {
    EXPECT_GE(time + 0.051, next) << outcome.err;  // it is rounded
    next *= 2;
  }
  EXPECT_EQ(position(), "6");
}

TEST_F(StalledPipeline, GivesUp) {
  write_stalled("", R"("keep": "7")", fails);
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(error_of(outcome),
            no_progress("next_acks has not acknowledged the record at position \"7\""));
  EXPECT_EQ(outcome.out, numbers(10, 10, 6));
  EXPECT_EQ(position(), "6");
  EXPECT_TRUE(world.read("journal").ends_with("destination: teardown\n"));

  write_stalled("", "", fails);
  EXPECT_EQ(run().exit, 0);
  EXPECT_EQ(position(), "10");
}

TEST_F(StalledPipeline, GivesUpOnMethodsThatNeverReturn) {
  const std::string deaf = R"("deaf": "true")";
  struct Case {
    std::string processor, destination, problem;
  };
  for (const Case& one :
       {Case{"", deaf, "write_batch has not returned, at the record at position \"1\""},
        Case{deaf, "", "process has not returned, at the record at position \"1\""}}) {
    write_stalled("", one.destination, fails, one.processor);
    const Outcome outcome = run();
    EXPECT_EQ(outcome.exit, 1) << outcome.err;
    const std::string method = one.problem.substr(0, one.problem.find(' '));
    EXPECT_EQ(error_of(outcome), no_progress(one.problem) + "tenon-pipeline: test.example/actor: " +
                                     method + " has not returned for N s\n");
    EXPECT_EQ(outcome.out, numbers(10, 0, 0));
  }
}

TEST_F(StalledPipeline, GivesUpOnAPluginThatHangsInConfigure) {
  write_stalled(R"("endless": "true")", "", fails);
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(error_of(outcome), no_progress("configure has not returned"));
}

/// The plugin hangs while the next attempt configures it.
TEST_F(StalledPipeline, GivesUpOnAPluginThatHangsWhileItResumes) {
  world.write("away", "");
  write_stalled(R"("endless_if": "hang")", R"("away": "true")", fails);
  Child child = start();
  ASSERT_TRUE(eventually([&] { return child.err().find("resumes in") != std::string::npos; }));
  world.write("hang", "");
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(error_of(outcome),
            no_progress("configure has not returned") +
                "tenon-pipeline: test.example/actor: configure has not returned for N s\n");
}

TEST_F(StalledPipeline, DoesNotStopOtherPipelines) {
  write_stalled("", R"("deaf": "true")", fails);
  std::string other = world.read("pipeline.json");
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"test\"", "\"other\""},
           {"state/", "other/"},
           {", \"deaf\": \"true\"", ""},
           {"\"journal\"}", "\"journal\", \"batch\": \"1\", \"delay\": \"100ms\"}"}}) {
    other.replace(other.find(from), from.size(), to);
  }
  world.write("other.json", other);
  const Outcome outcome = world.run({TENON_PIPELINE, "run", "pipeline.json", "other.json"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.out, "test: " + numbers(10, 0, 0) + "other: " + numbers(10, 10, 10));
}

TEST_F(StalledPipeline, IsNotASourceThatWaitsForRecords) {
  write_stalled(R"("count": "1", "delay": "2s")", "",
                R"("report_after": "20ms", "fail_after": "1500ms")");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.err.find("read_batch"), std::string::npos) << outcome.err;
}

TEST_F(StalledPipeline, ChecksItsLimits) {
  write_stalled("", "", R"("report_after": "soon", "fail_after": "0s", "fial_after": "1s")");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 2);
  for (const char* says : {"the duration 'report_after' is invalid",
                           "the duration 'fail_after' is invalid", "did you mean 'fail_after'"}) {
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  }
}

}}  // namespace tenon::tests
