// SPDX-License-Identifier: BSL-1.0
//
// tenon-pipeline on Windows, with builtin plugins and with DLLs that are replaced.
#include "e2e/pipeline/pipeline.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>

#include "e2e/pipeline/query.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

class WindowsPipeline : public Pipeline {
 protected:
  /// Writes a pipeline of example.io/dpkg 1.0.0 into the table `t` of out.db.
  void write_packages(int count) {
    std::string status;
    for (int i = 1; i <= count; ++i) {
      status += "Package: p" + std::to_string(i) +
                "\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n\n";
    }
    world.write("status", status);
    world.place(DPKG_1, "dpkg.dll");
    write_pipeline(plugin("example.io/dpkg", R"("path": "status", "delay": "2ms")"),
                   plugin("tenon.dev/sqlite", R"("path": "out.db", "table": "t")"));
  }
  std::int64_t rows(const std::string& what = "count(*)") {
    return query(world.root() / "out.db", "SELECT " + what + " FROM t");
  }
  bool has_rows(std::int64_t count) {
    return eventually([&] { return rows() >= count; });
  }
};

TEST_F(WindowsPipeline, CopiesAFileIntoSqlite) {
  std::string content;
  for (int i = 1; i <= 1000; ++i) content += "{\"n\":" + std::to_string(i) + "}\n";
  world.write("in.jsonl", content);
  write_pipeline(plugin("tenon.dev/file", R"("path": "in.jsonl")"),
                 plugin("tenon.dev/sqlite", R"("path": "out.db", "table": "t")"));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, numbers(1000, 1000, 1000));
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(rows(), 1000);
  EXPECT_EQ(rows("sum(n)"), 500'500);
  EXPECT_EQ(run().out, numbers(0, 0, 0));
}

TEST_F(WindowsPipeline, UsesNamesInUtf8) {
  const std::string name = "\u0434\u0430\u043d\u043d\u044b\u0435-\u00e9\u6f22\U0001f600";
  const fs::path directory = world.root() / fs::path(std::u8string(name.begin(), name.end()));
  fs::create_directories(directory);
  world.write("in.jsonl", "{\"a\":1}\n{\"a\":2}\n");
  fs::rename(world.path("in.jsonl"), directory / "in.jsonl");
  world.write("pipeline.json",
              R"({"name": ")" + name + R"(", "source": )" +
                  plugin("tenon.dev/file", R"("path": ")" + name + R"(/in.jsonl")") +
                  R"(, "destinations": [)" +
                  plugin("tenon.dev/file", R"("path": ")" + name + R"(\\out.jsonl")") +
                  R"(], "position": "state.json"})");
  fs::rename(world.path("pipeline.json"), directory / "pipeline.json");
  const Outcome outcome = world.run({TENON_PIPELINE, "run", name});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, numbers(2, 2, 2));
  EXPECT_EQ(read_file(directory / "out.jsonl"), "{\"a\":1}\n{\"a\":2}\n");
  EXPECT_TRUE(fs::exists(directory / "state.json"));
}

TEST_F(WindowsPipeline, ContinuesWithAReplacedDll) {
  constexpr int count = 2000;
  write_packages(count);
  Child child = start_watching();
  ASSERT_TRUE(has_rows(50)) << child.err();
  world.place(DPKG_2, "dpkg.dll");
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_TRUE(outcome.err.starts_with("tenon-pipeline: restarted example.io/dpkg, now 2.0.0\n"))
      << outcome.err;
  EXPECT_EQ(outcome.out, numbers(count, count, count));
  EXPECT_EQ(rows(), count);
  EXPECT_EQ(rows("count(DISTINCT package)"), count);
  EXPECT_NE(world.read("state/position.json").find(R"("package_version":"2.0.0")"),
            std::string::npos);
}

TEST_F(WindowsPipeline, ResumesAfterAKill) {
  constexpr int count = 500;
  write_packages(count);
  for (int i = 1; i <= 3; ++i) {
    Child child = start();
    ASSERT_TRUE(has_rows(i * 50)) << child.err();
    child.kill();
  }
  EXPECT_EQ(run().exit, 0);
  EXPECT_EQ(rows(), count);
  EXPECT_EQ(rows("count(DISTINCT package)"), count);
}

TEST_F(WindowsPipeline, RunsOnlyOnce) {
  write_packages(100'000);
  Child child = start();
  ASSERT_TRUE(has_rows(1)) << child.err();
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.err.find("error[in-use] state/position.json"), std::string::npos)
      << outcome.err;
  child.kill();
}

TEST_F(WindowsPipeline, RefusesAPositionThatIsNoFile) {
  write_actors("");
  fs::create_directories(world.path("state/position.json"));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.err.find("error[untrusted-file] state/position.json"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("found   a directory"), std::string::npos) << outcome.err;
}

TEST_F(WindowsPipeline, ReportsBadFiles) {
  world.write("pipeline.json", "{\"name\": \"test\",}\n");
  const Outcome invalid = run();
  EXPECT_EQ(invalid.exit, 2);
  EXPECT_TRUE(invalid.err.starts_with("pipeline.json:1:17: error[not-json]")) << invalid.err;
  write_pipeline(plugin("tenon.dev/fiel", R"("path": "in.jsonl")"), plugin("tenon.dev/log", ""));
  const Outcome unknown = run();
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_NE(unknown.err.find("did you mean 'tenon.dev/file'?"), std::string::npos) << unknown.err;
  const Outcome missing = world.run({TENON_PIPELINE, "run", "nowhere.json"});
  EXPECT_EQ(missing.exit, 3);
  EXPECT_TRUE(missing.err.starts_with("error[cannot-read] nowhere.json")) << missing.err;
}

TEST_F(WindowsPipeline, ReportsAFileThatIsUsedTwice) {
  world.write("in.jsonl", "{}\n");
  fs::create_hard_link(world.path("in.jsonl"), world.path("same.jsonl"));
  write_pipeline(plugin("tenon.dev/file", R"("path": "in.jsonl")"),
                 plugin("tenon.dev/file", R"("path": "same.jsonl")"));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("error[same-file]"), std::string::npos) << outcome.err;
}

TEST_F(WindowsPipeline, FailsIfAPluginEndsTheProcess) {
  for (const std::string how : {"exit", "thread"}) {
    fs::remove_all(world.root() / "state");
    write_actors(R"("ends": ")" + how + R"(", "ends_in": "open")");
    const Outcome outcome = run();
    EXPECT_EQ(outcome.exit, 1) << how;
    EXPECT_EQ(outcome.out, "") << how;
    const std::string text =
        how == "exit"
            ? "tenon: test.example/actor called exit(); the process ends with status 1\n"
            : "tenon-pipeline: a plugin, or a library that it uses, ended the process before its "
              "work was completed\n";
    EXPECT_EQ(outcome.err, text) << how;
  }
}

TEST_F(WindowsPipeline, StopsAtControlC) {
  write_actors(R"("count": "1000000", "batch": "1", "delay": "1ms")");
  for (int i = 0; i < 2; ++i) {
    const std::size_t before = written().size();
    Child child = start();
    ASSERT_TRUE(wrote(before + 5)) << child.err();
    child.signal(SIGINT);
    const Outcome outcome = child.wait();
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    const int carried = static_cast<int>(written().size() - before);
    EXPECT_EQ(outcome.out, numbers(carried, carried, carried));
    EXPECT_EQ(position(), std::to_string(written().size()));
  }
}

/// Wine may deliver several at once as one.
TEST_F(WindowsPipeline, EndsAtTheSecondControlC) {
  write_actors(R"("deaf": "true")");
  Child child = start();
  ASSERT_TRUE(eventually([&] { return world.read("journal").ends_with("source: deaf\n"); }));
  child.signal(SIGINT);
  ASSERT_TRUE(eventually([&] { return !child.err().empty(); })) << "the call is reported";
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 128 + SIGINT);
}

}}  // namespace tenon::tests
