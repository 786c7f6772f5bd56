// SPDX-License-Identifier: BSL-1.0
//
// What tenon-pipeline shows of a run to other programs: --control and --trace.
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "e2e/pipeline/pipeline.hpp"
#include "framework/control_socket.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

class VisiblePipeline : public Pipeline {
 protected:
  VisiblePipeline() {
    fs::permissions(world.root(), fs::perms::owner_all);
    world.set("XDG_RUNTIME_DIR", world.root().string());
  }
  Child start() const { return world.start({TENON_PIPELINE, "run", "--control", "pipeline.json"}); }
  json::value status() const {
    const fs::path directory = world.root() / "tenon";
    const auto names = ControlSocket::names_in(directory);
    if (names.empty()) return {};
    const std::string reply =
        ControlSocket(directory / names[0]).ask(R"({"control":1,"request":"status"})");
    return json::parse(reply).at("result");
  }
  /// Returns a figure; -1 if there is none.
  double figure(const std::string& part, const std::string& name, const std::string& unit) const {
    const json::value now = status();
    for (const json::value& one : now.at("figures").as_array()) {
      if (one.at("part").as_string() == part && one.at("name").as_string() == name &&
          one.at("unit").as_string() == unit) {
        return one.at("value").to_number<double>();
      }
    }
    return -1;
  }
};

TEST_F(VisiblePipeline, ReportsItsFigures) {
  write_actors(R"("count": "100000", "batch": "1", "delay": "1ms")");
  Child child = start();
  ASSERT_TRUE(wrote(5));
  EXPECT_TRUE(eventually([&] { return figure("test", "done", "records") >= 5; }));
  EXPECT_GE(figure("test", "read", "records"), 5);
  EXPECT_GT(figure("test", "read", "bytes"), 5);
  EXPECT_GT(figure("test/test.example/actor", "calls", "seconds"), 0);
  EXPECT_EQ(figure("test", "failed", "records"), 0);
  EXPECT_EQ(figure("test", "recoveries", ""), 0);
  EXPECT_EQ(json::serialize(status().at("health")),
            R"([{"part":"test","works":true,"problem":""}])");
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 0);
}

TEST_F(VisiblePipeline, CountsRefusedRecordsOnce) {
  world.write(
      "pipeline.json",
      "{\"name\": \"test\", \"source\": " +
          plugin("test.example/actor", R"("count": "100000", "batch": "1", "delay": "1ms")") +
          ", \"destinations\": [" +
          plugin("test.example/actor", R"("written": "written", "refuse": "3")") +
          R"(], "dead_letters": {"plugin": "tenon.dev/file",)"
          R"( "config": {"path": "refused.jsonl"}, "limit": {"refused": 1, "of": 3}},)"
          R"( "position": "state/position.json"})");
  Child child = start();
  ASSERT_TRUE(wrote(5));
  EXPECT_TRUE(eventually([&] { return figure("test", "done", "records") >= 5; }));
  EXPECT_EQ(figure("test", "failed", "records"), 1);
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 0);
}

TEST_F(VisiblePipeline, ReportsThatItWaitsForAnotherAttempt) {
  world.write("away", "");
  write_actors("", R"("away": "true")");
  Child child = start();
  ASSERT_TRUE(eventually([&] { return child.err().find("resumes in") != std::string::npos; }))
      << child.err();
  const json::value health = status().at("health");
  EXPECT_EQ(health.at(0).at("works"), false) << health;
  EXPECT_NE(health.at(0).at("problem"), "") << health;
  EXPECT_TRUE(eventually([&] { return figure("test", "recoveries", "") >= 1; }));
  fs::remove(world.root() / "away");
  EXPECT_EQ(child.wait().exit, 0);
}

TEST_F(VisiblePipeline, WritesATrace) {
  write_actors(R"("count": "3")");
  const Outcome outcome =
      world.run({TENON_PIPELINE, "run", "--trace", "trace.json", "pipeline.json"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  const json::value trace = json::parse(world.read("trace.json"));
  int loads = 0;
  int reads = 0;
  bool names_its_threads = false;
  for (const json::value& one : trace.as_array()) {
    if (one.at("name") == "loaded") ++loads;
    if (one.at("name") == "test.example/actor.read_batch") ++reads;
    const json::value* arguments = one.as_object().if_contains("args");
    if (one.at("name") == "thread_name" && arguments->at("name") == "read test") {
      names_its_threads = true;
    }
  }
  EXPECT_EQ(loads, 1);
  EXPECT_GE(reads, 1);
  EXPECT_TRUE(names_its_threads);
}

TEST_F(VisiblePipeline, ReportsATraceThatCannotBeWritten) {
  write_actors(R"("count": "1")");
  const Outcome outcome =
      world.run({TENON_PIPELINE, "run", "--trace", "no/where", "pipeline.json"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_NE(outcome.err.find("warning[cannot-write] no/where\n   found   creating the file: "),
            std::string::npos)
      << outcome.err;
}

TEST_F(Pipeline, ShowsProgressOnlyOnATerminal) {
  write_actors("\"count\": \"100\", \"batch\": \"1\", \"delay\": \"5ms\"");
  const Outcome outcome = world.start_on_terminal({TENON_PIPELINE, "run", "pipeline.json"}).wait();
  EXPECT_NE(outcome.out.find("\rrecords: read "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("/s)"), std::string::npos);
  EXPECT_TRUE(outcome.out.ends_with("records: read 100, written 100, acknowledged 100\r\n"));
}

}}  // namespace tenon::tests
