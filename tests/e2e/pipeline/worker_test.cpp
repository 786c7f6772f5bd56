// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline with plugins that end the process, and with signals for its two processes.
#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>

#include "e2e/pipeline/pipeline.hpp"

namespace tenon::tests { namespace {

const std::string ended_early =
    "tenon-pipeline: a plugin, or a library that it uses, ended the process with status 0 before "
    "its work was completed\n";

std::string ending(const std::string& how, const std::string& method) {
  return R"("ends": ")" + how + R"(", "ends_in": ")" + method + "\"";
}

/// Returns whether the message names the plugin. "thread" stands for a thread of the plugin.
bool is_named(const std::string& how) {
  return how == "exit" || how == "quick_exit";
}

std::string called(const std::string& function) {
  return "tenon: test.example/actor called " + function + "(); the process ends with status 1\n";
}

TEST_F(Pipeline, FailsIfAPluginEndsTheProcessWithSuccess) {
  for (const char* how : {"exit", "_Exit", "quick_exit", "thread"}) {
    for (const char* method : {"configure", "open", "read_batch", "ack", "teardown"}) {
      std::filesystem::remove_all(world.root() / "state");
      write_actors(ending(how, method));
      const Outcome outcome = run();
      EXPECT_EQ(outcome.exit, 1) << how << " in " << method;
      EXPECT_EQ(outcome.err, is_named(how) ? called(how) : ended_early) << how << " in " << method;
      EXPECT_EQ(outcome.out, "") << how << " in " << method;
    }
  }
  write_actors("");
  EXPECT_EQ(run().exit, 0) << "the next run is not affected";
}

TEST_F(Pipeline, IsNotValidIfAPluginEndsTheProcess) {
  write_actors(ending("_Exit", "configure"));
  const Outcome outcome = world.run({TENON_PIPELINE, "validate", "pipeline.json"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err, ended_early);
  EXPECT_EQ(outcome.out, "");
}

/// A run that lasts until it is stopped.
class EndlessPipeline : public Pipeline {
 protected:
  EndlessPipeline() {
    write_actors("\"count\": \"1000000\", \"batch\": \"1\", \"delay\": \"1ms\"");
  }
  void expect_interrupted(const Outcome& outcome) {
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    const int carried = static_cast<int>(written().size());
    EXPECT_EQ(outcome.out, numbers(carried, carried, carried));
    EXPECT_EQ(position(), std::to_string(carried));
  }
};

TEST_F(EndlessPipeline, CountsASignalOfTheTerminalOnce) {
  Child child = start();
  ASSERT_TRUE(wrote(10));
  // A terminal sends SIGINT to all processes of the job.
  const pid_t worker = child.worker();
  child.signal(SIGINT);
  ::kill(worker, SIGINT);
  expect_interrupted(child.wait());
}

TEST_F(EndlessPipeline, EndsWithTheProcessThatWasStarted) {
  Child child = start();
  ASSERT_TRUE(wrote(10));
  const pid_t worker = child.worker();
  child.signal(SIGKILL);
  EXPECT_EQ(child.wait().exit, 128 + SIGKILL);
  EXPECT_TRUE(has_ended(worker));
  EXPECT_GE(written().size(), 10u);
}

TEST_F(EndlessPipeline, RunsAgainRightAfterAKill) {
  for (std::size_t i = 1; i <= 5; ++i) {
    Child child = start();
    ASSERT_TRUE(wrote(written().size() + 10)) << child.err();
    child.signal(SIGKILL);
    child.wait();
  }
}

TEST_F(EndlessPipeline, EndsByTheSignalThatEndedItsWorker) {
  for (const int signal : {SIGKILL, SIGABRT}) {
    Child child = start();
    ASSERT_TRUE(wrote(written().size() + 10));
    ::kill(child.worker(), signal);
    const Outcome outcome = child.wait();
    EXPECT_EQ(outcome.exit, 128 + signal);
    EXPECT_EQ(outcome.err, "");
  }
}

TEST_F(EndlessPipeline, PassesOnOtherSignals) {
  Child child = start();
  ASSERT_TRUE(wrote(10));
  child.signal(SIGUSR1);
  EXPECT_EQ(child.wait().exit, 128 + SIGUSR1);
}

TEST_F(EndlessPipeline, StopsAndContinuesAsAJob) {
  Child child = world.start_on_terminal({TENON_PIPELINE, "run", "pipeline.json"});
  ASSERT_TRUE(wrote(10));
  const pid_t worker = child.worker();
  const auto both_are = [&](bool stopped) {
    return eventually([&] {
      return (state_of(child.pid()) == 'T') == stopped && (state_of(worker) == 'T') == stopped;
    });
  };
  // Ctrl-Z signals the whole job, `kill -TSTP` only the process that was started.
  for (const pid_t target : {-child.pid(), child.pid()}) {
    ::kill(target, SIGTSTP);
    ASSERT_TRUE(both_are(true));
    const std::size_t before = written().size();
    ::kill(-child.pid(), SIGCONT);
    EXPECT_TRUE(both_are(false));
    ASSERT_TRUE(wrote(before + 10));
  }
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait().exit, 0);
}

TEST_F(Pipeline, EndsAtTheThirdSignal) {
  write_actors("\"deaf\": \"true\"");
  Child child = start();
  ASSERT_TRUE(eventually([&] { return world.read("journal").ends_with("source: deaf\n"); }));
  const pid_t worker = child.worker();
  // The same signal at once would be part of the same request.
  for (const int signal : {SIGINT, SIGTERM}) {
    child.signal(signal);
    ASSERT_TRUE(eventually([&] { return has_taken_signals(child); }));
  }
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 128 + SIGINT);
  EXPECT_EQ(state_of(worker), 'X');
}

}}  // namespace tenon::tests
