// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline with files that other users may read or change. The other user is `nobody`.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "e2e/pipeline/pipeline.hpp"
#include "framework/umask.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

constexpr uid_t nobody = 65534;

class PrivateFiles : public Pipeline {
 protected:
  /// Writes a position at which the source has nothing left to read.
  void plant_position(mode_t mode) {
    write_private("state/position.json",
                  R"({"type":"tenon.dev/pipeline_position","version":1,"writer":"w",)"
                  R"("value":{"pipeline":"test","position":"MTA="}})");
    ASSERT_EQ(::chmod(world.path("state/position.json").c_str(), mode), 0);
  }
  mode_t mode_of(const std::string& file) {
    struct stat status {};
    EXPECT_EQ(::stat(world.path(file).c_str(), &status), 0) << file;
    return status.st_mode & 07777;
  }
  /// Runs the pipeline, which has to refuse a file.
  void expect_refused(const std::string& file, const std::string& found) {
    const Outcome outcome = run();
    EXPECT_EQ(outcome.exit, 3) << found;
    EXPECT_NE(outcome.err.find("error[untrusted-file] " + file), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("found   " + found), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("needed  a regular file of the user "), std::string::npos);
    EXPECT_EQ(written(), Lines{});
  }
};

TEST_F(PrivateFiles, RefuseThePositionOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  write_actors("");
  for (const mode_t mode : {0600, 0666}) {
    plant_position(mode);
    const fs::path path = world.path("state/position.json");
    ASSERT_EQ(::chown(path.c_str(), nobody, nobody), 0);
    const std::string before = world.read("state/position.json");
    expect_refused("state/position.json", "a file of the user 65534");
    EXPECT_EQ(world.read("state/position.json"), before);
    EXPECT_EQ(world.run({TENON_PIPELINE, "delete", "pipeline.json"}).exit, 3);
    EXPECT_TRUE(fs::exists(path));
  }
}

TEST_F(PrivateFiles, RefuseAPositionThatOthersMayUse) {
  write_actors("");
  for (const mode_t mode : {0644, 0666, 0660, 0602}) {
    plant_position(mode);
    expect_refused("state/position.json", "the mode 0" + std::to_string(mode / 64) +
                                              std::to_string(mode / 8 % 8) +
                                              std::to_string(mode % 8));
  }
  plant_position(0600);
  EXPECT_EQ(run().exit, 0);
}

TEST_F(PrivateFiles, RefuseAPositionThatIsNoFile) {
  write_actors("");
  const fs::path position = world.path("state/position.json");
  const auto refuse = [&](const std::string& found) {
    expect_refused("state/position.json", found);
    fs::remove(position);
  };
  ASSERT_EQ(::mkfifo(position.c_str(), 0600), 0);
  refuse("a FIFO");
  fs::create_directory(position);
  refuse("a directory");
  fs::create_symlink(world.write("theirs", "theirs"), position);
  refuse("a symbolic link");
  EXPECT_EQ(world.read("theirs"), "theirs");
  fs::create_symlink("dangling", position);
  refuse("a symbolic link");
  EXPECT_FALSE(fs::exists(world.root() / "state/dangling"));

  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(position.native().size(), sizeof address.sun_path);
  std::strcpy(address.sun_path, position.c_str());
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  refuse("a socket");
  ::close(listener);
}

TEST_F(PrivateFiles, RefuseAPlantedLock) {
  write_actors("");
  const fs::path lock = world.path("state/position.json.lock");
  ASSERT_EQ(::mkfifo(lock.c_str(), 0666), 0);
  expect_refused("state/position.json.lock", "a FIFO");
  fs::remove(lock);
  fs::create_symlink("elsewhere", lock);
  expect_refused("state/position.json.lock", "a symbolic link");
  EXPECT_FALSE(fs::exists(world.root() / "state/elsewhere"));
}

TEST_F(PrivateFiles, IgnoreAFifoInADirectoryOfPipelines) {
  world.write("all/one.json", R"({"name": "one", "source": )" + plugin("test.example/actor", "") +
                                  R"(, "destinations": [)" + plugin("test.example/actor", "") +
                                  R"(], "position": "one.position.json"})");
  ASSERT_EQ(::mkfifo(world.path("all/one.position.json").c_str(), 0600), 0);
  const Outcome outcome = world.run({TENON_PIPELINE, "run", "all"});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.err.find("error[untrusted-file] all/one.position.json"), std::string::npos)
      << outcome.err;
}

TEST_F(PrivateFiles, HaveNoRightsForOthersWhateverTheUmask) {
  for (const mode_t mask : {0, 022, 077}) {
    const Umask umask(mask);
    write_actors("");
    ASSERT_EQ(run().exit, 0);
    EXPECT_EQ(mode_of("state/position.json"), 0600u);
    EXPECT_EQ(mode_of("state/position.json.lock"), 0600u);
    fs::remove_all(world.root() / "state");
  }
}

// -- Dead letters -------------------------------------------------------------

class PrivateLetters : public PrivateFiles {
 protected:
  PrivateLetters() {
    world.write("pipeline.json",
                R"({"name": "test", "source": )" + plugin("test.example/actor", "") +
                    R"(, "destinations": [)" +
                    plugin("test.example/actor", R"("refuse_every": "3")") +
                    R"(], "dead_letters": {"plugin": "tenon.dev/file",)"
                    R"( "config": {"path": "refused.jsonl"}, "limit": {"refused": 0, "of": 0}},)"
                    R"( "position": "state/position.json"})");
  }
};

TEST_F(PrivateLetters, HaveNoRightsForOthersWhateverTheUmask) {
  const Umask umask(0);
  EXPECT_EQ(run().exit, 0);
  EXPECT_EQ(mode_of("refused.jsonl"), 0600u);
}

TEST_F(PrivateLetters, KeepTheModeOfAFileOfThisUser) {
  fs::permissions(world.write("refused.jsonl", ""), fs::perms(0640));
  EXPECT_EQ(run().exit, 0);
  EXPECT_EQ(mode_of("refused.jsonl"), 0640u);
  EXPECT_EQ(lines_of(world.read("refused.jsonl")).size(), 3u);
}

/// Half a line of an interrupted run is moved to a file with the same permissions.
TEST_F(PrivateLetters, MoveTheirLastLineToAPrivateFile) {
  const Umask umask(0);
  fs::permissions(world.write("refused.jsonl", "{\"half\""), fs::perms(0600));
  EXPECT_EQ(run().exit, 0);
  EXPECT_EQ(world.read("refused.jsonl.incomplete"), "{\"half\"\n");
  EXPECT_EQ(mode_of("refused.jsonl.incomplete"), 0600u);
}

TEST_F(PrivateLetters, RefuseAFileThatOthersMayChange) {
  const fs::path path = world.path("refused.jsonl");
  fs::permissions(world.write("refused.jsonl", ""), fs::perms(0666));
  expect_refused("refused.jsonl", "the mode 0666");
  fs::remove(path);
  fs::create_symlink("elsewhere", path);
  expect_refused("refused.jsonl", "a symbolic link");
  EXPECT_FALSE(fs::exists(world.root() / "elsewhere"));
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expect_refused("refused.jsonl", "a FIFO");
}

TEST_F(PrivateLetters, RefuseTheFileOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  fs::permissions(world.write("refused.jsonl", ""), fs::perms(0644));
  ASSERT_EQ(::chown(world.path("refused.jsonl").c_str(), nobody, nobody), 0);
  expect_refused("refused.jsonl", "a file of the user 65534");
  EXPECT_EQ(world.read("refused.jsonl"), "");
}

// -- Secrets in positions -----------------------------------------------------

class HashedSecrets : public PrivateFiles {
 protected:
  /// Runs a pipeline with `note` in its source, and returns what the plugin of the source got.
  Lines run_with(const std::string& note, const std::string& more = {}) {
    fs::remove(world.root() / "journal");
    write_pipeline(
        plugin("test.example/actor", R"("journal": "journal", "note": ")" + note + "\"" + more),
        plugin("test.example/actor", R"("written": "written")"));
    const Outcome outcome = run();
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_EQ(world.read("state/position.json").find("hunter"), std::string::npos);
    return told("source: created", "source: updated");
  }
  Lines told(const std::string& one, const std::string& other) {
    Lines lines;
    for (const std::string& line : journal()) {
      if (line.starts_with(one) || line.starts_with(other)) lines.push_back(line);
    }
    return lines;
  }
  static constexpr const char* first = "https://me:hunter2@host/";
  static constexpr const char* second = "https://me:hunter3@host/";
};

TEST_F(HashedSecrets, AreNoticedWhenTheyChange) {
  EXPECT_EQ(run_with(first), Lines{"source: created https://me:hunter2@host/"});
  EXPECT_NE(world.read("state/position.json").find("\"note\":\"${hash:"), std::string::npos);
  const std::string stored = world.read("state/position.json");
  EXPECT_EQ(run_with(first), Lines{});
  EXPECT_EQ(world.read("state/position.json"), stored) << "the hash keeps its key";
  EXPECT_EQ(run_with(second), Lines{"source: updated - https://me:hunter3@host/"});
  EXPECT_EQ(run_with(second, R"(, "delay": "1ms")"),
            Lines{"source: updated https://me:hunter3@host/ https://me:hunter3@host/"});
}

TEST_F(HashedSecrets, AreReadFromThePipelineFileByADeletion) {
  run_with(first);
  const std::string file = world.read("pipeline.json");
  world.write("pipeline.json", std::string(file).replace(file.find("hunter2"), 7, "hunter3"));
  const Outcome outcome = world.run({TENON_PIPELINE, "delete", "pipeline.json"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_NE(outcome.err.find("error[unknown-secret] the value of 'note' is a secret"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(told("source: deleted", "source: deleted"), Lines{});
  world.write("pipeline.json", file);
  EXPECT_EQ(world.run({TENON_PIPELINE, "delete", "pipeline.json"}).exit, 0);
  EXPECT_EQ(told("source: deleted", "source: deleted"),
            Lines{"source: deleted https://me:hunter2@host/"});
}

}}  // namespace tenon::tests
