// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline: signals, also while a plugin or a file hangs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "e2e/pipeline/pipeline.hpp"

namespace tenon::tests { namespace {

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

/// `timeout -s INT` sends a signal to the process and to its group. The parent has taken the first
/// one before the second arrives, as both would otherwise be one.
TEST_F(Pipeline, CountsASignalThatIsSentTwiceOnce) {
  write_actors("\"count\": \"100000\", \"batch\": \"1\", \"delay\": \"1ms\"");
  Outcome outcome;
  // On a busy machine the second one may arrive too late.
  for (int attempt = 0; attempt < 10; ++attempt) {
    const std::size_t before = written().size();
    Child child = start();
    ASSERT_TRUE(wrote(before + 20));
    child.signal(SIGINT);
    ASSERT_TRUE(eventually([&] { return has_taken_signals(child); }));
    child.signal(SIGINT);
    outcome = child.wait();
    if (outcome.exit != 0) continue;
    const int carried = static_cast<int>(written().size() - before);
    EXPECT_EQ(outcome.out, numbers(carried, carried, carried));
    return;
  }
  FAIL() << "exit status " << outcome.exit << ": " << outcome.err;
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

/// After a second signal the run does not wait until all records are delivered. It reports errors
/// from before the signal.
TEST_F(Pipeline, EndsAtTheSecondSignalWithRecordsPending) {
  write_actors("\"count\": \"20\", \"fail_at\": \"11\"", "\"mute\": \"true\"");
  Child child = start();
  ASSERT_TRUE(wrote(10));
  child.signal(SIGINT);
  ASSERT_TRUE(eventually(
      [&] { return world.read("journal").find("destination: stop 10\n") != std::string::npos; }));
  child.signal(SIGTERM);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 128 + SIGTERM);
  EXPECT_NE(outcome.err.find("tenon-pipeline: test.example/actor: read_batch: data-loss: record 11 "
                             "is illegible\n"),
            std::string::npos)
      << outcome.err;
  EXPECT_TRUE(world.read("journal").ends_with("source: teardown\ndestination: teardown\n"))
      << world.read("journal");
}

TEST_F(Pipeline, CancelsAnAcknowledgementAtTheSecondSignal) {
  write_actors("\"ack_waits\": \"true\"");
  Child child = start();
  ASSERT_TRUE(
      eventually([&] { return world.read("journal").find("source: ack ") != std::string::npos; }));
  child.signal(SIGINT);
  ASSERT_TRUE(eventually(
      [&] { return world.read("journal").find("destination: stop 10\n") != std::string::npos; }));
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait().exit, 128 + SIGTERM);
  EXPECT_TRUE(world.read("journal").ends_with("source: teardown\ndestination: teardown\n"))
      << world.read("journal");
}

TEST_F(Pipeline, NamesItsThreads) {
  write_actors("\"count\": \"100000\", \"batch\": \"1\", \"delay\": \"1ms\"");
  Child child = start();
  ASSERT_TRUE(wrote(1));
  // Each thread sets its own name, so a new one still has that of the program.
  const auto names = [&] {
    std::multiset<std::string> found;
    for (const auto& task :
         std::filesystem::directory_iterator("/proc/" + std::to_string(child.worker()) + "/task")) {
      std::string name;
      std::getline(std::ifstream(task.path() / "comm"), name);
      found.insert(name);
    }
    return found;
  };
  for (const char* name : {"read test", "write 1 test", "ack 1 test", "commit test"}) {
    EXPECT_TRUE(eventually([&] { return names().count(name) == 1; })) << name;
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
  const auto fifo = world.path("pipeline.json");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  Child child = start();
  // Succeeds only after the program has opened the FIFO for reading.
  const int writer = ::open(fifo.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(writer, 0);
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  ::close(writer);
  EXPECT_EQ(outcome.exit, 128 + SIGINT);
  EXPECT_EQ(outcome.err, "");
}

}}  // namespace tenon::tests
