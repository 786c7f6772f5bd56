// SPDX-License-Identifier: BSL-1.0
//
// Modules that hosts leave out after a crash or a quarantine, and `tenon release`. TENON is the
// command, HOST a host of the app photo, MODULE its plugin, which ends its host at a chosen point.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

constexpr const char* works = "it works\n";
constexpr int killed = 128 + SIGKILL;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class LeftOut : public testing::Test {
 protected:
  LeftOut() { world_.place(MODULE); }

  /// Sets what the module does, and where.
  void let(std::string_view point, std::string_view action) {
    world_.set("FRAGILE_IN", point);
    world_.set("FRAGILE_DOES", action);
  }
  Outcome host(std::vector<std::string> steps = {"say"}) {
    steps.insert(steps.begin(), HOST);
    return world_.run(steps);
  }
  Child start_host(std::vector<std::string> steps = {"say"}) {
    steps.insert(steps.begin(), HOST);
    return world_.start(steps);
  }
  Outcome tenon(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), TENON);
    return world_.run(arguments);
  }
  /// Returns whether a host that is started now leaves the module out.
  bool leaves_out() {
    let("", "");
    const Outcome run = host();
    EXPECT_EQ(run.exit, 0) << run.err;
    const bool left_out = contains(run.out, "module-left-out");
    EXPECT_EQ(run.out == works, !left_out) << run.out;
    return left_out;
  }
  void crash() {
    let("start", "kill");
    EXPECT_EQ(host().exit, killed);
  }
  fs::path records() const { return world_.root() / "home/.local/state/tenon/photo"; }
  std::size_t count_records() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(records()))
      count += entry.is_regular_file() && entry.path().filename() != "lock";
    return count;
  }

  World world_{"photo"};
};

TEST_F(LeftOut, NobodyWhileAllGoesWell) {
  EXPECT_EQ(host({"say", "say"}).out, std::string(works) + works);
  EXPECT_FALSE(leaves_out());
  EXPECT_TRUE(fs::is_empty(records())) << "a host removes its directory";
  struct stat status;
  ASSERT_EQ(stat(records().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
}

struct Death {
  const char* point;
  const char* action;
  int exit;
};

class LeftOutAfter : public LeftOut, public testing::WithParamInterface<Death> {};

TEST_P(LeftOutAfter, TheDeathOfItsHost) {
  let(GetParam().point, GetParam().action);
  EXPECT_EQ(host().exit, GetParam().exit);
  EXPECT_TRUE(leaves_out());
  EXPECT_TRUE(leaves_out()) << "until it is released";
  EXPECT_EQ(tenon({"release", "photo", "test.example/fragile"}).exit, 0);
  EXPECT_FALSE(leaves_out());
}

INSTANTIATE_TEST_SUITE_P(
    Points, LeftOutAfter,
    testing::Values(Death{"constructor", "kill", killed}, Death{"start", "kill", killed},
                    Death{"create", "kill", killed}, Death{"constructor", "exit", 0},
                    Death{"start", "exit", 0}, Death{"create", "exit", 0}),
    [](const auto& name) { return std::string(name.param.point) + "_" + name.param.action; });

TEST_F(LeftOut, NotAfterACrashInACall) {
  let("say", "kill");
  EXPECT_EQ(host().exit, killed);
  EXPECT_FALSE(leaves_out());
}

TEST_F(LeftOut, NotAfterAFailure) {
  for (const char* point : {"start", "create"}) {
    let(point, "fail");
    Child waiting = start_host({"say", "wait"});
    ASSERT_TRUE(eventually([&] { return contains(waiting.out(), "waits"); })) << point;
    waiting.kill();
    EXPECT_FALSE(leaves_out()) << point;
  }
}

TEST_F(LeftOut, SaysWhichFileWhenAndHowToRelease) {
  crash();
  let("", "");
  const Outcome run = host();
  const std::string file = (world_.plugins() / fs::path(MODULE).filename()).string();
  for (const std::string& part :
       {"error[module-left-out] " + file,
        std::string("found   test.example/fragile 1.2.0: the "
                    "process that loaded it ended on 20"),
        std::string("fix     replace the file, or run tenon release photo test.example/fragile")}) {
    EXPECT_TRUE(contains(run.out, part)) << part << "\n" << run.out;
  }
  EXPECT_TRUE(contains(run.err, "module-left-out")) << "in the log: " << run.err;
}

TEST_F(LeftOut, UntilItsFileIsReplaced) {
  crash();
  world_.place(MODULE);
  EXPECT_FALSE(leaves_out());
  EXPECT_EQ(count_records(), 0u);
}

TEST_F(LeftOut, NotWhileTheLoadIsInProgress) {
  let("start", "hang");
  Child loading = start_host();
  ASSERT_TRUE(eventually([&] { return loading.out() == "hangs\n"; }));
  EXPECT_FALSE(leaves_out());
  EXPECT_EQ(loading.kill().exit, killed);
  EXPECT_TRUE(leaves_out());
}

TEST_F(LeftOut, NotWhenTheHostIsKilledLater) {
  Child waiting = start_host({"say", "wait"});
  ASSERT_TRUE(eventually([&] { return contains(waiting.out(), "waits"); }));
  waiting.kill();
  EXPECT_FALSE(leaves_out());
  EXPECT_TRUE(fs::is_empty(records())) << "the directory of the killed host is removed";
}

TEST_F(LeftOut, NotWhenAnotherThreadEndsTheProcess) {
  let("start", "hang");
  EXPECT_EQ(host({"exit"}).exit, 0);
  EXPECT_FALSE(leaves_out());
}

TEST_F(LeftOut, QuarantineOutlivesTheProcess) {
  let("say", "fail");
  EXPECT_TRUE(contains(host({"say", "say"}).out, "module-quarantined"));
  let("", "");
  const Outcome run = host();
  EXPECT_TRUE(contains(run.out, "quarantined on 20")) << run.out;
  EXPECT_TRUE(contains(run.out, "it is broken")) << run.out;
  EXPECT_EQ(tenon({"release", "photo", "test.example/fragile"}).exit, 0);
  EXPECT_FALSE(leaves_out());
}

TEST_F(LeftOut, RestartEndsARecordedQuarantine) {
  let("say", "fail");
  EXPECT_TRUE(contains(host({"say", "restart"}).out, "restarted"));
  EXPECT_FALSE(leaves_out());
}

TEST_F(LeftOut, DamagedRecordsAreIgnored) {
  crash();
  for (const auto& entry : fs::recursive_directory_iterator(records())) {
    if (!entry.is_regular_file() || entry.path().filename() == "lock") continue;
    const std::string content = read_file(entry.path());
    for (std::size_t size = 1; size < content.size(); size += 7) {
      fs::resize_file(entry.path(), size);
      let("", "");
      const Outcome run = host();
      EXPECT_TRUE(contains(run.out, "warning[broken-crash-record] " + entry.path().string()))
          << run.out;
      EXPECT_TRUE(contains(run.out, works)) << run.out;
      world_.write(fs::relative(entry.path(), world_.root()).string(), content);
    }
  }
  EXPECT_TRUE(leaves_out()) << "complete again";
}

TEST_F(LeftOut, ForeignDirectoriesAreNotUsed) {
  crash();
  fs::permissions(records(), fs::perms::others_read, fs::perm_options::add);
  let("", "");
  const Outcome run = host();
  EXPECT_TRUE(contains(run.out, "warning[untrusted-owner] " + records().string())) << run.out;
  EXPECT_TRUE(contains(run.out, "chmod 700 ")) << run.out;
  EXPECT_TRUE(contains(run.out, works)) << run.out;
  EXPECT_TRUE(contains(run.err, "untrusted-owner")) << "nothing is written: " << run.err;
  const Outcome release = tenon({"release", "photo", "test.example/fragile"});
  EXPECT_EQ(release.exit, 3);
  EXPECT_TRUE(contains(release.err, "untrusted-owner")) << release.err;
}

TEST_F(LeftOut, HostsWorkWithoutADirectory) {
  world_.set("XDG_STATE_HOME", world_.write("file", "").string());
  Outcome run = host({"say", "say"});
  EXPECT_EQ(run.out, std::string(works) + works);
  const auto first = run.err.find("cannot-write");
  EXPECT_NE(first, std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("cannot-write", first + 1), std::string::npos) << "once: " << run.err;
  world_.set("XDG_STATE_HOME", "");
  world_.set("HOME", "");
  run = host();
  EXPECT_TRUE(contains(run.out, "warning[cannot-write] HostOptions::remember_crashes")) << run.out;
  EXPECT_TRUE(contains(run.out, works)) << run.out;
}

TEST_F(LeftOut, StateHomeIsUsed) {
  world_.set("XDG_STATE_HOME", (world_.root() / "state").string());
  crash();
  EXPECT_TRUE(fs::exists(world_.root() / "state/tenon/photo"));
  EXPECT_FALSE(fs::exists(records()));
  EXPECT_TRUE(leaves_out());
}

TEST_F(LeftOut, ListShowsAndReleaseEndsIt) {
  EXPECT_EQ(tenon({"list", "-a", "photo"}).exit, 0);
  crash();
  let("", "");
  const Outcome list = tenon({"list", "-a", "photo", "--why"});
  EXPECT_EQ(list.exit, 1);
  EXPECT_TRUE(contains(list.out, "module-left-out")) << list.out;
  EXPECT_TRUE(contains(list.out, "the process that loaded it ended on")) << list.out;
  EXPECT_TRUE(contains(list.out, "Next: tenon release photo test.example/fragile")) << list.out;
  EXPECT_FALSE(contains(list.err, "module-left-out")) << list.err;

  const Outcome wrong = tenon({"release", "photo", "test.example/fragil"});
  EXPECT_EQ(wrong.exit, 1);
  EXPECT_TRUE(contains(wrong.err, "did you mean 'test.example/fragile'?")) << wrong.err;
  EXPECT_TRUE(leaves_out());

  const Outcome release = tenon({"release", "photo", "test.example/fragile"});
  EXPECT_EQ(release.exit, 0) << release.err;
  EXPECT_EQ(release.out, "test.example/fragile 1.2.0 is used again: " +
                             (world_.plugins() / fs::path(MODULE).filename()).string() + "\n");
  EXPECT_EQ(tenon({"list", "-a", "photo"}).exit, 0);
  EXPECT_EQ(tenon({"release", "photo", "test.example/fragile"}).exit, 1) << "nothing is left";
}

TEST_F(LeftOut, ReleasePrintsJson) {
  crash();
  const Outcome run = tenon({"release", "photo", "test.example/fragile", "--json"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_TRUE(contains(run.out, R"("package": "test.example/fragile")")) << run.out;
  EXPECT_TRUE(contains(run.out, R"("error": null)")) << run.out;
}

}}  // namespace tenon::tests
