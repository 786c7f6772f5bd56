// SPDX-License-Identifier: BSL-1.0
//
// Runs several pipelines in one process.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "e2e/pipeline/pipeline.hpp"

namespace tenon::tests { namespace {

class SeveralPipelines : public Pipeline {
 protected:
  /// Writes a pipeline to the directory "all". Its destination writes to a file of the same name.
  void write_one(const std::string& name, const std::string& source,
                 const std::string& destination = {}) {
    world.write(
        "all/" + name + ".json",
        R"({"name": ")" + name + R"(", "source": )" + plugin("test.example/actor", source) +
            R"(, "destinations": [)" +
            plugin("test.example/actor", "\"written\": \"" + name + "\"" +
                                             (destination.empty() ? "" : ", ") + destination) +
            R"(], "position": "../state/)" + name + ".position\"}");
  }
};

TEST_F(SeveralPipelines, RunInOneProcess) {
  write_one("one", "\"count\": \"2000\"");
  write_one("two", "\"count\": \"3000\"");
  const Outcome outcome = world.run_portably({TENON_PIPELINE, "run", "all"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "one: " + numbers(2000, 2000, 2000) + "two: " + numbers(3000, 3000, 3000));
  EXPECT_EQ(lines_of(world.read("one")), positions(1, 2000));
  EXPECT_EQ(lines_of(world.read("two")), positions(1, 3000));
  // In the order in which they are given.
  EXPECT_EQ(world.run_portably({TENON_PIPELINE, "run", "all/two.json", "all/one.json"}).out,
            "two: " + numbers(0, 0, 0) + "one: " + numbers(0, 0, 0));
}

TEST_F(SeveralPipelines, MayStorePositionsInTheirDirectory) {
  world.write("all/one.json",
              R"({"name": "one", "source": )" + plugin("test.example/actor", "\"count\": \"5\"") +
                  R"(, "destinations": [)" + plugin("test.example/actor", "\"written\": \"one\"") +
                  R"(], "position": "one.position.json"})");
  EXPECT_EQ(world.run_portably({TENON_PIPELINE, "run", "all"}).out, numbers(5, 5, 5));
  const Outcome again = world.run_portably({TENON_PIPELINE, "run", "all"});
  EXPECT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(again.out, numbers(0, 0, 0));
}

TEST_F(SeveralPipelines, DoNotTakePositionsInTheirDirectoryForPipelines) {
  const std::string pipeline =
      R"({"name": "one", "source": )" + plugin("test.example/actor", "\"count\": \"5\"") +
      R"(, "destinations": [)" + plugin("test.example/actor", "\"written\": \"one\"") +
      R"(], "position": "one.position.json"})";
  world.write("all/one.json", pipeline);
  const std::string newer =
      R"({"type": "tenon.dev/pipeline_position", "version": 9, "writer": "w", "value": {}})";
  for (const std::string& position :
       {newer, newer.substr(0, 40), std::string(), std::string("{}")}) {
    write_private("all/one.position.json", position);
    const Outcome outcome = world.run_portably({TENON_PIPELINE, "run", "all"});
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_EQ(outcome.err.find("all/one.position.json:"), 0u) << outcome.err;
    EXPECT_EQ(outcome.err.find("error["), outcome.err.rfind("error[")) << outcome.err;
    EXPECT_NE(outcome.err.find("the position cannot be read"), std::string::npos) << outcome.err;
    EXPECT_EQ(world.run_portably({TENON_PIPELINE, "validate", "all"}).err, "");
  }
  // Nor is the newer position of a pipeline elsewhere.
  world.write("all/one.position.json", newer);
  std::filesystem::rename(world.root() / "all/one.position.json", world.root() / "all/two.json");
  EXPECT_EQ(world.run_portably({TENON_PIPELINE, "run", "all"}).out, numbers(5, 5, 5));
  // A pipeline file is run, or reported, although another one takes it for its position.
  world.write("all/other.json", R"({"name": "other", "position": "one.json"})");
  const Outcome outcome = world.run_portably({TENON_PIPELINE, "validate", "all"});
  EXPECT_NE(outcome.err.find("all/other.json:1:1: error[missing-key]"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(outcome.err.find("all/one.json"), std::string::npos) << outcome.err;
}

TEST_F(SeveralPipelines, ContinueWithoutOneThatFails) {
  write_one("bad", "\"count\": \"10\", \"fail_at\": \"5\"");
  write_one("good", "\"count\": \"100\", \"batch\": \"1\", \"delay\": \"1ms\"");
  const Outcome outcome = world.run_portably({TENON_PIPELINE, "run", "all"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: bad: test.example/actor: read_batch: data-loss: record 5 is "
            "illegible\n");
  EXPECT_EQ(outcome.out, "bad: " + numbers(4, 4, 4) + "good: " + numbers(100, 100, 100));
}

TEST_F(SeveralPipelines, EndTogetherAtASignal) {
  for (const char* name : {"one", "two"}) {
    write_one(name, "\"count\": \"100000\", \"batch\": \"1\", \"delay\": \"1ms\"");
  }
  Child child = world.start({TENON_PIPELINE, "run", "all"});
  ASSERT_TRUE(eventually([&] { return !world.read("one").empty() && !world.read("two").empty(); }));
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 0);
}

TEST_F(SeveralPipelines, AreAllCheckedBeforeAnyRuns) {
  write_one("one", "");
  write_one("two", "\"count\": \"many\"");
  world.write("all/three.json", "{");
  const Outcome outcome = world.run_portably({TENON_PIPELINE, "run", "all"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("all/three.json:1:1: error[not-json]"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("all/two.json:1:"), std::string::npos) << outcome.err;
  EXPECT_EQ(world.read("one"), "");
  EXPECT_EQ(world.run_portably({TENON_PIPELINE, "validate", "all"}).err, outcome.err);
}

TEST_F(SeveralPipelines, NeedDistinctNames) {
  write_one("one", "");
  std::filesystem::copy_file(world.root() / "all/one.json", world.root() / "all/other.json");
  const Outcome outcome = world.run_portably({TENON_PIPELINE, "run", "all"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.err,
            "all/other.json: error[duplicate-name]: another pipeline has the name 'one'\n"
            "   found   all/one.json\n"
            "   needed  a name that is unique among the pipelines of a process\n"
            "   fix     change the name of one of them\n");
}

TEST_F(SeveralPipelines, NeedAFileInTheirDirectory) {
  std::filesystem::create_directory(world.root() / "all");
  world.write("all/notes.txt", "");
  const Outcome outcome = world.run_portably({TENON_PIPELINE, "run", "all"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.err.find("all: error[no-pipeline]: the directory contains no pipeline file\n"),
            0u)
      << outcome.err;
}

}}  // namespace tenon::tests
