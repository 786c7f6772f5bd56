// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline: delivery, and the order of the calls to plugins.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <string>

#include "e2e/pipeline/pipeline.hpp"
#include "e2e/pipeline/query.hpp"

namespace tenon::tests { namespace {

// -- Delivery -----------------------------------------------------------------

TEST_F(Pipeline, CopiesLinesBetweenFiles) {
  const std::string content = "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n";
  world.write("in.jsonl", content);
  write_pipeline(plugin("tenon.dev/file", "\"path\": \"in.jsonl\""),
                 plugin("tenon.dev/file", "\"path\": \"out.jsonl\""));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, numbers(3, 3, 3));
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(world.read("out.jsonl"), content);

  world.write("in.jsonl", content + "{\"a\":4}\n");
  EXPECT_EQ(run().out, numbers(1, 1, 1));
  EXPECT_EQ(world.read("out.jsonl"), content + "{\"a\":4}\n");
}

TEST_F(Pipeline, CopiesCsvRowsIntoSqlite) {
  world.write("in.csv", "id,name\n1,\"Ann, B.\"\n2,Bob\n3,Cy\n");
  write_pipeline(plugin("tenon.dev/file", "\"path\": \"in.csv\", \"key\": \"id\""),
                 plugin("tenon.dev/sqlite", "\"path\": \"out.db\", \"table\": \"people\""));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.out, numbers(3, 3, 3)) << outcome.err;
  EXPECT_EQ(query(world.root() / "out.db", "SELECT count(*) FROM people WHERE name = 'Ann, B.'"),
            1);
  EXPECT_EQ(query(world.root() / "out.db", "SELECT count(*) FROM people"), 3);
}

TEST_F(Pipeline, CopiesSeveralTablesOfSqlite) {
  const auto insert = [&](const std::string& sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(world.path("in.db").string().c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
  };
  insert(
      "CREATE TABLE a (id INTEGER PRIMARY KEY, n); INSERT INTO a (n) VALUES (1), (2);"
      "CREATE TABLE b (id INTEGER PRIMARY KEY, m); INSERT INTO b (m) VALUES (3)");
  world.set("WHERE", "in.db");
  world.set("WHAT", "a, b");
  write_pipeline(
      plugin("tenon.dev/sqlite", R"("path": "${WHERE}", "tables": "${WHAT}", "key": "id")"),
      plugin("tenon.dev/sqlite",
             R"("path": "out.db", "table": "of_{metadata.opencdc.collection}", "key": "at")"));
  Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, numbers(3, 3, 3));
  insert("INSERT INTO b (m) VALUES (4); INSERT INTO a (n) VALUES (5)");
  EXPECT_EQ(run().out, numbers(2, 2, 2));
  const auto out = world.root() / "out.db";
  EXPECT_EQ(query(out, "SELECT sum(n) FROM of_a"), 8);
  EXPECT_EQ(query(out, "SELECT sum(m) FROM of_b"), 7);
  EXPECT_EQ(position().find_first_not_of("[]-,0123456789"), std::string::npos)
      << "nothing of a variable";
}

TEST_F(Pipeline, DeliversEveryRecordToEveryDestination) {
  write_pipeline(plugin("test.example/actor", "\"count\": \"2500\""),
                 plugin("test.example/actor", "\"written\": \"written\"") + ", " +
                     plugin("tenon.dev/file", "\"path\": \"out.jsonl\""));
  EXPECT_EQ(run().out, numbers(2500, 2500, 2500));
  EXPECT_EQ(written(), positions(1, 2500));
  EXPECT_EQ(lines_of(world.read("out.jsonl")).size(), 2500u);
  EXPECT_EQ(position(), "2500");
}

TEST_F(Pipeline, DeliversRecordsWithAWindowOfOne) {
  world.write("pipeline.json",
              R"({"name": "test", "position": "state/position.json", "window": {"records": 1},)"
              R"( "source": )" +
                  plugin("test.example/actor", R"("count": "5", "journal": "journal")") +
                  R"(, "destinations": [)" +
                  plugin("test.example/actor", R"("written": "written")") + "]}");
  EXPECT_EQ(run().out, numbers(5, 5, 5));
  EXPECT_EQ(written(), positions(1, 5));
  const Lines calls = journal();
  for (int i = 1; i <= 5; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_EQ(std::count(calls.begin(), calls.end(), "source: ack " + number + " to " + number), 1);
  }
}

TEST_F(Pipeline, StopsADestinationThatHoldsItsLastRecords) {
  write_actors("\"count\": \"10\"", "\"hold\": \"true\"");
  EXPECT_EQ(run().out, numbers(10, 10, 10));
}

TEST_F(Pipeline, StopsADestinationThatHoldsRecordsAfterAFailedWrite) {
  const std::string error =
      "tenon-pipeline: test.example/actor: write_batch: internal: out of ink\n";
  const std::string source = "\"count\": \"100\", \"batch\": \"10\", \"delay\": \"1ms\"";
  write_actors(source, "\"hold\": \"true\", \"fail_at\": \"35\"");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err, error);
  EXPECT_EQ(position(), "30");
  const Lines calls = journal();
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "destination: stop 30"), 1);

  write_actors(source, R"("mute": "true", "fail_at": "65", "stop_status": "13")");
  const Outcome muted = run();
  EXPECT_EQ(muted.exit, 1);
  EXPECT_EQ(muted.err, error);
  EXPECT_EQ(position(), "30");
}

TEST_F(Pipeline, RetriesAReadAfterARetryableFailure) {
  write_actors("\"retry_at\": \"4\"");
  EXPECT_EQ(run().out, numbers(10, 10, 10));
  EXPECT_EQ(written(), positions(1, 10));
}

// -- Batches that wait for a busy destination ---------------------------------

/// A source of batches of two records, and a destination that is busy with the first one until all
/// are read.
class JoinedWrites : public Pipeline {
 protected:
  /// Runs the pipeline. `destination` are further members of its config, `more` of the pipeline.
  Outcome run_joined(const std::string& destination, const std::string& more = {}) {
    const std::string source = R"("batch": "2", "wait_at": "3", "journal": "source")";
    const std::string always =
        R"("journal": "journal", "batches": "true", "written": "written", "busy_until": "free")";
    world.write("pipeline.json", R"({"name": "test", "position": "state/position.json", )" + more +
                                     R"("source": )" + plugin("test.example/actor", source) +
                                     R"(, "destinations": [)" +
                                     plugin("test.example/actor", always + destination) + "]}");
    Child child = start();
    EXPECT_TRUE(eventually([&] { return batches() == Lines{"2"}; }));
    world.write("go", "");
    EXPECT_TRUE(eventually([&] { return world.read("source").ends_with("source: stop\n"); }));
    world.write("free", "");
    return child.wait();
  }
  /// Returns the sizes of the writes.
  Lines batches() {
    const std::string prefix = "destination: write ";
    Lines sizes;
    for (const std::string& line : journal()) {
      if (line.starts_with(prefix)) sizes.push_back(line.substr(prefix.size()));
    }
    return sizes;
  }
};

TEST_F(JoinedWrites, TakeAllBatchesThatWait) {
  const Outcome outcome = run_joined("");
  EXPECT_EQ(outcome.out, numbers(10, 10, 10)) << outcome.err;
  EXPECT_EQ(batches(), (Lines{"2", "8"}));
  EXPECT_EQ(written(), positions(1, 10));
  EXPECT_EQ(position(), "10");
}

TEST_F(JoinedWrites, RefuseSingleRecords) {
  const Outcome outcome = run_joined(
      R"(, "refuse": "5")",
      R"("dead_letters": {"plugin": "tenon.dev/file", "config": {"path": "letters.jsonl"},)"
      R"( "limit": {"refused": 1, "of": 0}}, )");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "records: read 10, written 10, acknowledged 10, refused 1\n");
  EXPECT_EQ(batches(), (Lines{"2", "8"}));
  EXPECT_EQ(written(), (Lines{"1", "2", "3", "4", "6", "7", "8", "9", "10"}));
  EXPECT_EQ(lines_of(world.read("letters.jsonl")).size(), 1u);
  EXPECT_EQ(position(), "10");
}

/// The batches before the one that fails are delivered.
TEST_F(JoinedWrites, AreWrittenOneByOneAfterAFailure) {
  const Outcome outcome = run_joined(R"(, "fail_at": "7")");
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err, "tenon-pipeline: test.example/actor: write_batch: internal: out of ink\n");
  EXPECT_EQ(batches(), (Lines{"2", "8", "2", "2", "2"}));
  EXPECT_EQ(written(), positions(1, 6));
  EXPECT_EQ(position(), "6");
}

// -- The order of calls -------------------------------------------------------

TEST_F(Pipeline, CallsPluginsInTheOrderOfTheirKinds) {
  write_actors("\"note\": \"a\"");
  ASSERT_EQ(run().exit, 0);
  Lines calls = journal();
  // Its place among the other calls is not fixed.
  const auto ack = std::find(calls.begin(), calls.end(), "source: ack 1 to 10");
  ASSERT_GT(ack - calls.begin(), 5);
  ASSERT_LT(ack, std::find(calls.begin(), calls.end(), "source: teardown"));
  calls.erase(ack);
  EXPECT_EQ(calls,
            (Lines{"source: configure", "destination: configure", "source: created a",
                   "source: open -", "destination: created -", "destination: open", "source: stop",
                   "destination: stop 10", "source: teardown", "destination: teardown"}));
}

TEST_F(Pipeline, CallsOnUpdatedIfTheConfigChanged) {
  write_actors("\"note\": \"a\"");
  ASSERT_EQ(run().exit, 0);
  world.write("journal", "");
  write_actors("\"note\": \"b\"");
  ASSERT_EQ(run().exit, 0);
  ASSERT_EQ(run().exit, 0);
  const Lines once = {"source: configure",   "destination: configure", "source: updated a b",
                      "source: open 10",     "destination: open",      "source: stop",
                      "destination: stop -", "source: teardown",       "destination: teardown"};
  Lines expected = once;
  for (const std::string& line : once) {
    if (line != "source: updated a b") expected.push_back(line);
  }
  EXPECT_EQ(journal(), expected);
}

TEST_F(Pipeline, TearsDownPluginsIfOpenFails) {
  write_actors("\"broken\": \"true\"");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.out, numbers(0, 0, 0));
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: test.example/actor: open: unavailable: nobody is at home\n");
  EXPECT_EQ(journal(), (Lines{"source: configure", "destination: configure", "source: created -",
                              "source: open -", "source: teardown", "destination: teardown"}));
}

}}  // namespace tenon::tests
