// SPDX-License-Identifier: BSL-1.0
//
// The command `tenon verify`: processes of Windows.
#include <gtest/gtest.h>
#include <windows.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <utility>

#include "e2e/verify_command.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

TEST_F(VerifyCommand, EndsProcessesThatAPluginLeavesBehind) {
  const Outcome run = verify({wrong("pipeline-leaves-a-process")});  // would not end otherwise
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
}

TEST_F(VerifyCommand, GivesPluginsNoSecrets) {
  world_.set("WORLD_SECRET", "hunter2");
  const Outcome run = verify({wrong("pipeline-looks-around")});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_NE(run.err.find("x1b[2Jsecret none, memory "), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find('\x1b'), std::string::npos);
}

TEST_F(VerifyCommand, FindsWhatAPluginLeaves) {
  for (const auto& [fault, text] : {std::pair("leaks-a-thread", "failed: leaked: thread "),
                                    std::pair("leaks-a-descriptor", "failed: leaked: handle ")}) {
    const Outcome run = verify(
        {wrong(std::string("pipeline-") + fault), "--config", "numbers.json", "--timeout", "4s"});
    EXPECT_EQ(run.exit, 1) << fault;
    EXPECT_NE(run.out.find(text), std::string::npos) << run.out << run.err;
  }
}

TEST_F(VerifyCommand, PrintsTheResultsSoFarWhenItIsInterrupted) {
  world_.set(temporary_variable, world_.path("temporary/").string());
  Child run = world_.start({TENON, "verify", module_file(plant("say", "wait for ever")), "--specs",
                            specs_, "--timeout", "10m"});
  ASSERT_TRUE(eventually([&] { return run.err().find("waiting ") != std::string::npos; }));
  ASSERT_TRUE(eventually([&] { return run.err().ends_with('\n'); })) << run.err();
  const std::string err = run.err();
  const auto number = std::stoul(err.substr(err.find("waiting ") + 8));
  const HANDLE plugin = OpenProcess(SYNCHRONIZE, FALSE, number);
  ASSERT_NE(plugin, nullptr);
  run.signal(SIGINT);
  const Outcome outcome = run.wait();
  EXPECT_EQ(outcome.exit, static_cast<int>(0xC000013A)) << outcome.err;
  EXPECT_NE(outcome.out.find("loads as declared in its manifest"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(last_line(outcome.out), "4 passed, 0 failed, 0 not run\n");
  EXPECT_NE(outcome.err.find("tenon verify: interrupted\n"), std::string::npos) << outcome.err;
  EXPECT_EQ(WaitForSingleObject(plugin, 0), WAIT_OBJECT_0) << "it still runs";
  CloseHandle(plugin);
  EXPECT_TRUE(std::filesystem::is_empty(world_.path("temporary/"))) << "directories are removed";
}

}}  // namespace tenon::tests
