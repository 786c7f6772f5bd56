// SPDX-License-Identifier: BSL-1.0
//
// The command `tenon verify`: processes, signals and terminals of POSIX.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "e2e/verify_command.hpp"
#include "framework/path_texts.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

const std::string right = WRONG "/pipeline-nothing.so";

// A pipe to a child that got the number of the closed stream would show its content there.
TEST_F(VerifyCommand, OpensNoFileInPlaceOfAClosedStream) {
  const Outcome run =
      world_.run({"sh", "-c", "'" TENON "' verify '" + right + "' --config numbers.json >&-"});
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.err, "tenon: cannot write to standard output\n");
}

TEST_F(VerifyCommand, RefusesAConfigurationWithoutEnd) {
  const Outcome run = verify({right, "--config", "/dev/zero"});
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.err, unreadable_text("/dev/zero", "more than 64 MB"));
}

/// Returns whether a process of that name runs.
bool runs(const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stream(entry.path() / "comm");
    std::string found;
    if (std::getline(stream, found) && found == name) return true;
  }
  return false;
}

TEST_F(VerifyCommand, EndsProcessesThatLeaveTheirSession) {
  const Outcome run = verify({WRONG "/pipeline-leaves-a-process.so"});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_FALSE(runs("tenon-left"));
}

TEST_F(VerifyCommand, GivesPluginsNeitherSecretsNorTheTerminal) {
  world_.set("WORLD_SECRET", "hunter2");
  const Outcome run = verify({WRONG "/pipeline-looks-around.so"});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  const std::string memory = SANITIZED != 0 ? "enough" : "none";
  EXPECT_NE(run.err.find("\\x1b[2Jsecret none, memory " + memory + "\n"), std::string::npos)
      << run.err;
  EXPECT_EQ(run.err.find('\x1b'), std::string::npos);
}

TEST_F(VerifyCommand, SurvivesSignalsOfPlugins) {
  const struct {
    const char* fault;
    const char* reason;
  } faults[] = {
      {"kill its group", "the plugin crashed: SIGKILL, in say with {\"text\":\"\"}"},
      {"ask itself to end", "the plugin crashed: SIGTERM, in say with {\"text\":\"\"}"},
      {"interrupt itself", "the plugin crashed: SIGINT, in say with {\"text\":\"\"}"},
      {"kill its parent",
       "the process that watches the plugin was ended by SIGKILL, in say with {\"text\":\"\"}"},
      {"stop its parent",
       "the process that watches the plugin was stopped, in say with {\"text\":\"\"}"},
      {"kill its grandparent", "the process that runs the cases was ended by SIGKILL"},
      {"stop its grandparent", "the process that runs the cases was stopped"},
  };
  for (const auto& one : faults) {
    // A plugin that is not stopped must not end this test.
    const Outcome run = world_.run({"setsid", "--wait", TENON, "verify", plant("say", one.fault),
                                    "--specs", specs_, "--timeout", "10m"});
    EXPECT_EQ(run.exit, 1) << one.fault;
    EXPECT_NE(run.out.find("failed: " + std::string(one.reason) + "\n"), std::string::npos)
        << one.fault << ": " << run.out << run.err;
    EXPECT_EQ(last_line(run.out), "4 passed, 1 failed, 1 not run\n") << one.fault;
  }
}

TEST_F(VerifyCommand, ContinuesWithTheOtherModulesIfAProcessIsKilled) {
  const std::string good = WRONG "/good.so";
  const Outcome run = verify_echo({plant("start", "kill its grandparent"), good});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_EQ(last_line(run.out), "6 passed, 1 failed, 5 not run\n") << run.out;
}

TEST_F(VerifyCommand, CallsMethodsWithoutNetwork) {
  const Outcome run = verify_echo({plant("say", "name the network")});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  const std::string own = std::filesystem::read_symlink("/proc/self/ns/net").string();
  EXPECT_NE(run.err.find("network net:["), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find(own) == std::string::npos,
            run.out.find(", without network\n") != std::string::npos)
      << run.out << run.err;
}

TEST_F(VerifyCommand, LoadsANameWithoutDirectoryInItsOwnProcess) {
  world_.place(WRONG "/good.so");
  const Outcome run = world_.run({"env", "-C", world_.plugins().string(), TENON, "verify",
                                  "good.so", "--in-process", "--specs", specs_});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_EQ(last_line(run.out), "6 passed, 0 failed, 0 not run\n");
}

// The reader of a pipe would print its lines after the progress.
TEST_F(VerifyCommand, ShowsNoProgressIfItsResultsGoThroughAPipe) {
  const std::string good = WRONG "/good.so";
  const std::string command = "'" TENON "' verify '" + good + "' --specs '" + specs_ + "' | cat";
  const Outcome run = world_.start_on_terminal({"sh", "-c", command}).wait();
  EXPECT_EQ(run.out.find("of 6 cases"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("6 passed, 0 failed, 0 not run"), std::string::npos) << run.out;
}

TEST_F(VerifyCommand, ShowsItsProgressOnATerminal) {
  const std::string good = WRONG "/good.so";
  const Outcome run = world_.start_on_terminal({TENON, "verify", good, "--specs", specs_}).wait();
  EXPECT_EQ(run.exit, 0) << run.out;
  EXPECT_NE(run.out.find("\r0 of 1 module, 0 of 6 cases"), std::string::npos) << run.out;
}

TEST_F(VerifyCommand, PrintsTheResultsSoFarWhenItIsInterrupted) {
  world_.set("TMPDIR", world_.path("temporary/").string());
  const std::string hangs_in_say = plant("say", "wait for ever");
  for (const int number : {SIGINT, SIGTERM}) {
    // Shells start programs in the background with SIGINT ignored.
    Child run = world_.start({"env", "--default-signal=INT,TERM", TENON, "verify", hangs_in_say,
                              "--specs", specs_, "--timeout", "10m"});
    const std::string mark = "waiting ";
    ASSERT_TRUE(eventually([&] { return run.err().ends_with('\n'); })) << run.err();
    const std::string err = run.err();
    ASSERT_NE(err.find(mark), std::string::npos) << err;
    const pid_t plugin = std::stoi(err.substr(err.find(mark) + mark.size()));
    run.signal(number);
    const Outcome outcome = run.wait();
    EXPECT_EQ(outcome.exit, 128 + number) << outcome.err;
    EXPECT_NE(outcome.out.find("loads as declared in its manifest"), std::string::npos)
        << outcome.out;
    EXPECT_EQ(last_line(outcome.out), "4 passed, 0 failed, 0 not run\n");
    EXPECT_NE(outcome.err.find("tenon verify: interrupted\n"), std::string::npos) << outcome.err;
    EXPECT_EQ(state_of(plugin), 'X');
    EXPECT_TRUE(std::filesystem::is_empty(world_.path("temporary/"))) << "directories are removed";
  }
}

TEST_F(VerifyCommand, PrintsTheResultsOfAllModulesWhenItIsInterrupted) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "runs one module at a time";
  const std::string first = plant("start", "wait for ever");
  const std::string second = plant("say", "wait for ever");
  Child run = world_.start({"env", "--default-signal=INT,TERM", TENON, "verify", first, second,
                            "--specs", specs_, "--timeout", "10m"});
  const auto waits = [&](const std::string& module) {
    return eventually([&] { return run.err().find(module + ": waiting ") != std::string::npos; });
  };
  ASSERT_TRUE(waits(first) && waits(second)) << run.err();
  run.signal(SIGINT);
  const Outcome outcome = run.wait();
  EXPECT_EQ(outcome.exit, 128 + SIGINT) << outcome.err;
  EXPECT_EQ(outcome.out.find(second + "\nmodule"), 0U) << outcome.out;
  EXPECT_EQ(last_line(outcome.out), "4 passed, 0 failed, 0 not run\n");
}

TEST_F(VerifyCommand, IsInterruptedByTheTerminal) {
  Child run = world_.start_on_terminal({"env", "--default-signal=INT", TENON, "verify",
                                        plant("say", "wait for ever"), "--specs", specs_,
                                        "--timeout", "10m"});
  const std::string mark = "waiting ";
  ASSERT_TRUE(eventually([&] {
    const std::string out = run.out();
    const std::size_t at = out.find(mark);
    return at != std::string::npos && out.find('\n', at) != std::string::npos;
  })) << run.out();
  const std::string out = run.out();
  const pid_t plugin = std::stoi(out.substr(out.find(mark) + mark.size()));
  EXPECT_NE(::getpgid(plugin), ::getpgid(run.pid()));
  ::kill(-::getpgid(run.pid()), SIGINT);  // as the terminal does
  EXPECT_EQ(run.wait().exit, 128 + SIGINT);
  EXPECT_EQ(state_of(plugin), 'X');
}

}}  // namespace tenon::tests
