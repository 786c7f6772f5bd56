// SPDX-License-Identifier: BSL-1.0
//
// tenon-pipeline with the source and the destination, with a real server.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "databases.hpp"
#include "framework/world.hpp"
#include "server.hpp"

namespace tenon::tests { namespace {

/// Returns the entry of a plugin in a pipeline file. `members` are those of its config.
std::string plugin(std::string_view reference, std::string_view members) {
  return sdk::text("{\"plugin\": \"", reference, "\", \"config\": {", members, "}}");
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

class PostgresPipeline : public testing::Test {
 protected:
  /// Starts the server before the first test creates its world, so that the worlds are not nested.
  static void SetUpTestSuite() { Server::running(); }

  void SetUp() override {
    server_ = Server::running();
    if (server_ == nullptr) GTEST_SKIP() << "there is no PostgreSQL server installed";
    server_->clear();
    world_.place(MODULES "/postgres.so");
  }

  std::string table(std::string_view members) const {
    return plugin("tenon.dev/postgres",
                  sdk::text("\"url\": \"", server_->url(), "\", \"table\": \"people\"", members));
  }
  Child start(const std::string& source, const std::string& destination) const {
    world_.write("pipeline.json", R"({"name": "test", "position": "position.json", "source": )" +
                                      source + ", \"destinations\": [" + destination + "]}");
    return world_.start({TENON_PIPELINE, "run", "pipeline.json"});
  }

  /// Ends a run and deletes its pipeline. Expects that nothing of it stays on the server.
  void end_and_delete(Child& child) const {
    child.signal(SIGTERM);
    const Outcome run = child.wait();
    EXPECT_EQ(run.exit, 0) << run.err;
    const Outcome removed = world_.run({TENON_PIPELINE, "delete", "pipeline.json"});
    EXPECT_EQ(removed.exit, 0) << removed.err;
    EXPECT_EQ(server_->value("SELECT count(*) FROM pg_replication_slots"), "0");
    EXPECT_EQ(server_->value("SELECT count(*) FROM pg_publication"), "0");
  }

  World world_{"tenon"};
  Server* server_ = nullptr;
};

TEST_F(PostgresPipeline, CopiesLinesToATableAndBack) {
  std::string content;
  for (int i = 1; i <= 5000; ++i) {
    content += "{\"id\":" + std::to_string(i) + ",\"name\":\"name " + std::to_string(i) + "\"}\n";
  }
  world_.write("in.jsonl", content);
  Outcome run =
      start(plugin("tenon.dev/file", R"("path": "in.jsonl")"), table(R"(, "key": "id")")).wait();
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out, "records: read 5000, written 5000, acknowledged 5000\n");
  EXPECT_EQ(server_->value("SELECT count(*), sum(id) FROM people"), "5000|12502500");

  std::filesystem::remove(world_.root() / "position.json");
  run = start(table(""), plugin("tenon.dev/file", R"("path": "out.jsonl")")).wait();
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(world_.read("out.jsonl"), content);
}

TEST_F(PostgresPipeline, WritesEachRecordOnceIfTheServerIsKilled) {
  Child child = start(plugin("tenon.dev/generator", R"("count": "1000", "rate": "500")"),
                      table(R"(, "key": "id")"));
  ASSERT_TRUE(eventually([&] {
    return server_->value("SELECT to_regclass('people') IS NOT NULL") == "t" &&
           server_->value("SELECT count(*) > 100 FROM people") == "t";
  }));
  server_->kill();
  server_->start();
  const Outcome run = child.wait();
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(server_->value("SELECT count(*), min(id::int), max(id::int) FROM people"),
            "1000|1|1000");
}

TEST_F(PostgresPipeline, ReadsEachRowIfTheServerIsKilled) {
  server_->rows(
      "CREATE TABLE people (id int PRIMARY KEY); "
      "INSERT INTO people SELECT generate_series(1, 200000)");
  Child child = start(table(""), plugin("tenon.dev/file", R"("path": "out.jsonl")"));
  ASSERT_TRUE(eventually([&] { return lines_in(world_.read("out.jsonl")) > 500; }));
  server_->kill();
  server_->start();
  const Outcome run = child.wait();
  EXPECT_EQ(run.exit, 0) << run.err;
  std::set<std::string> rows;
  std::istringstream lines(world_.read("out.jsonl"));
  for (std::string line; std::getline(lines, line);) rows.insert(line);
  EXPECT_EQ(rows.size(), 200'000u);
}

TEST_F(PostgresPipeline, FollowsATableIfServerAndPipelineAreKilled) {
  server_->rows(
      "CREATE TABLE people (id int PRIMARY KEY, n int); CREATE TABLE copy (id int PRIMARY KEY, n "
      "int); INSERT INTO people SELECT i, 0 FROM generate_series(1, 20000) AS i");
  const std::string destination = plugin(
      "tenon.dev/postgres", sdk::text("\"url\": \"", server_->url(), "\", \"table\": \"copy\""));
  const auto change = [&](int round) {
    for (int i = 0; i < 50; ++i) {
      const std::string from = std::to_string(round * 3000 + i * 10);
      server_->rows("BEGIN; UPDATE people SET n = n + 1 WHERE id > " + from + " AND id < " + from +
                    " + 20; DELETE FROM people WHERE id = " + from +
                    "; UPDATE people SET id = id + 100000 WHERE id = 1 + " + from +
                    "; INSERT INTO people VALUES (200000 + " + from + ", 1); COMMIT");
    }
  };
  std::optional<Child> child(start(table(R"(, "mode": "replication")"), destination));
  ASSERT_TRUE(eventually([&] { return server_->value("SELECT count(*) > 500 FROM copy") == "t"; }));
  change(0);
  child->kill();
  change(1);
  child.emplace(start(table(R"(, "mode": "replication")"), destination));
  change(2);
  server_->kill();
  server_->start();
  change(3);
  const std::string sum = "SELECT count(*), sum(id::int8 * (n + 1)) FROM ";
  const std::string wanted = server_->value(sum + "people");
  EXPECT_TRUE(eventually([&] { return server_->value(sum + "copy") == wanted; }))
      << wanted << " " << server_->value(sum + "copy");
  end_and_delete(*child);
}

/// Kills the pipeline between two tables of the snapshot, while it reads the second one, and later.
TEST_F(PostgresPipeline, FollowsSeveralTablesIfItIsKilled) {
  server_->rows("CREATE SCHEMA target");
  for (const char* name : {"people", "orders"}) {
    server_->rows(sdk::text("CREATE TABLE ", name, " (id int PRIMARY KEY, n int); INSERT INTO ",
                            name, " SELECT i, 0 FROM generate_series(1, 8000) AS i; CREATE TABLE ",
                            "target.", name, " (id int PRIMARY KEY, n int)"));
  }
  const auto plugin_of = [&](std::string_view members) {
    return plugin("tenon.dev/postgres", sdk::text("\"url\": \"", server_->url(), "\", ", members));
  };
  const auto begin = [&] {
    return start(
        plugin_of(R"("tables": "people, orders", "mode": "replication", "truncate": "ignore")"),
        plugin_of(R"("table": "target.{metadata.opencdc.collection}")"));
  };
  const auto change = [&](int round) {
    const std::string from = std::to_string(round * 1000);
    for (const char* name : {"people", "orders"}) {
      server_->rows(sdk::text("UPDATE ", name, " SET n = n + 1 WHERE id > ", from, "; DELETE FROM ",
                              name, " WHERE id % 100 = 7 AND id > ", from, "; INSERT INTO ", name,
                              " VALUES (100000 + ", from, ", 1)"));
    }
  };
  const auto reaches = [&](std::string_view condition) {
    return eventually([&] { return server_->value(sdk::text("SELECT ", condition)) == "t"; });
  };
  std::optional<Child> child;
  {
    postgres::Connection lock = server_->connect();
    lock.run(limits(), "lock", "BEGIN; LOCK TABLE target.orders IN SHARE MODE");
    child.emplace(begin());
    ASSERT_TRUE(reaches("count(*) = 8000 FROM target.people")) << child->err();
    child->kill();
  }
  EXPECT_EQ(server_->value("SELECT count(*) FROM target.orders"), "0");
  change(0);
  child.emplace(begin());
  ASSERT_TRUE(reaches("count(*) > 500 FROM target.orders"));
  child->kill();
  change(1);
  child.emplace(begin());
  change(2);
  for (const std::string name : {"people", "orders"}) {
    const std::string sum = "SELECT count(*), sum(id::int8 * (n + 1)) FROM ";
    const std::string wanted = server_->value(sum + name);
    EXPECT_TRUE(eventually([&] { return server_->value(sum + "target." + name) == wanted; }))
        << name << ": " << wanted << " " << server_->value(sum + "target." + name);
  }
  end_and_delete(*child);
  server_->rows("DROP SCHEMA target CASCADE");
}

}}  // namespace tenon::tests
