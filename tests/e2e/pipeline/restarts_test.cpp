// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline: kills, restarts of plugins, crashes and retries.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <thread>

#include "e2e/pipeline/pipeline.hpp"
#include "e2e/pipeline/query.hpp"

namespace tenon::tests { namespace {

// -- Kills --------------------------------------------------------------------

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
    for (int i = 0; i < 12; ++i) {
      Child child = start();
      std::this_thread::sleep_for(std::chrono::milliseconds(1 + random() % 150));
      child.kill();
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
    for (; lines < all.size(); ++lines) EXPECT_GT(std::stoi(all[lines]), acknowledged);
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

/// A number of records with which a pipeline runs until it is interrupted.
constexpr int endless = 100'000;

TEST_F(Pipeline, ContinuesWithTheNewVersionOfAPlugin) {
  std::string status;
  for (int i = 0; i < endless; ++i) {
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
  ASSERT_TRUE(eventually([&] {
    return world.read("state/position.json").find(R"("package_version":"2.0.0")") !=
           std::string::npos;
  }));
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "tenon-pipeline: restarted example.io/dpkg, now 2.0.0\n");
  const int all = static_cast<int>(rows());
  EXPECT_EQ(outcome.out, numbers(all, all, all));
}

TEST_F(Pipeline, LosesNothingDuringRepeatedRestarts) {
  write_actors("\"count\": \"" + std::to_string(endless) +
               "\", \"batch\": \"3\", \"delay\": \"1ms\"");
  Child child = start_watching();
  for (std::size_t i = 1; i <= 8; ++i) {
    ASSERT_TRUE(wrote(written().size() + 50));
    ASSERT_NO_FATAL_FAILURE(replace_actor(child, i));
  }
  ASSERT_TRUE(wrote(written().size() + 50));
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  const int last = std::stoi(position());
  EXPECT_EQ(outcome.out, numbers(last, last, last));
  // Unacknowledged records of a restarted destination arrive again, in order.
  Lines once;
  for (const std::string& line : written()) {
    const int next = static_cast<int>(once.size()) + 1;
    EXPECT_LE(std::stoi(line), next);
    if (std::stoi(line) == next) once.push_back(line);
  }
  EXPECT_EQ(once, positions(1, last));
}

TEST_F(Pipeline, RestartsADestinationThatDoesNotImplementOpen) {
  write_actors(
      "\"count\": \"" + std::to_string(endless) + "\", \"batch\": \"3\", \"delay\": \"1ms\"",
      "\"open_status\": \"" + std::to_string(TENON_UNIMPLEMENTED) + "\"");
  Child child = start();
  ASSERT_TRUE(wrote(50));
  world.place(ACTOR_2, "actor.so");
  child.signal(SIGHUP);
  ASSERT_TRUE(eventually([&] { return !child.err().empty(); }));
  ASSERT_TRUE(wrote(written().size() + 50));
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "tenon-pipeline: restarted test.example/actor, now 2.0.0\n");
}

TEST_F(Pipeline, ContinuesWithTheOldCodeIfTheNewIsBroken) {
  write_actors("\"count\": \"" + std::to_string(endless) +
               "\", \"batch\": \"1\", \"delay\": \"1ms\"");
  Child child = start();
  ASSERT_TRUE(wrote(10));
  world.place(world.write("broken", "no module"), "actor.so");
  child.signal(SIGHUP);
  ASSERT_TRUE(eventually([&] { return !child.err().empty(); }));
  ASSERT_TRUE(wrote(written().size() + 10));
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0);
  const int last = std::stoi(position());
  EXPECT_EQ(outcome.out, numbers(last, last, last));
  EXPECT_TRUE(outcome.err.starts_with("tenon-pipeline: not restarted: error[not-a-module]"))
      << outcome.err;
  EXPECT_EQ(written(), positions(1, last));
}

#if !SANITIZED  // a sanitizer reports the crash and ends the program
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
  for (int times = 1; times <= 2; ++times) {
    child.signal(SIGHUP);
    ASSERT_TRUE(eventually([&] {
      return lines_of(child.err()) == Lines(times, "tenon-pipeline: no module has changed");
    }));
  }
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 0);
}

}}  // namespace tenon::tests
