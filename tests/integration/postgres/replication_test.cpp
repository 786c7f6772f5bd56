// SPDX-License-Identifier: BSL-1.0
//
// The source in replication mode, with a real server.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "changes.hpp"
#include "reading.hpp"
#include "slot.hpp"

namespace tenon::tests { namespace {

class PostgresReplication : public Reading {
 protected:
  void SetUp() override {
    Reading::SetUp();
    if (server_ != nullptr) remove_slots();
  }
  void TearDown() override {
    Reading::TearDown();
    if (server_ != nullptr) remove_slots();
  }

  /// The server releases a slot shortly after its connection was closed.
  void remove_slots() const {
    EXPECT_TRUE(eventually(
        [&] { return value("SELECT count(*) FROM pg_replication_slots WHERE active") == "0"; }));
    rows("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots");
    for (const std::string& name : rows("SELECT pubname FROM pg_publication")) {
      rows("DROP PUBLICATION \"" + name + "\"");
    }
  }

  /// Waits until the slot can be used again.
  std::string reopen(std::optional<std::string> position, TextMap config = {}) {
    close();
    remove_use();
    return follow(std::move(config), std::move(position));
  }
  void remove_use() const {
    EXPECT_TRUE(eventually(
        [&] { return value("SELECT count(*) FROM pg_replication_slots WHERE active") == "0"; }));
  }
  std::string follow(TextMap config = {}, std::optional<std::string> position = {}) {
    config.emplace("mode", "replication");
    return open(config, std::move(position));
  }
  /// Opens the source with one row and reads it. Further reads return changes.
  std::string follow_after(const std::string& insert, TextMap config = {}) {
    rows(insert);
    std::string failure = follow(std::move(config));
    if (failure.empty()) read();
    positions_.clear();
    return failure;
  }
  void acknowledge(const std::string& position) {
    const std::vector<Bytes> positions{to_bytes(position)};
    EXPECT_TRUE((*source_)->ack(positions));
  }
  std::string confirmed() const {
    return value("SELECT confirmed_flush_lsn FROM pg_replication_slots");
  }
};

TEST_F(PostgresReplication, FollowsChangesAfterTheSnapshot) {
  rows("CREATE TABLE people (id int PRIMARY KEY, a text); INSERT INTO people VALUES (1, 'x')");
  ASSERT_EQ(follow(), "");
  EXPECT_EQ(read(), Texts{R"(snapshot {"id":1} - {"id":1,"a":"x"})"});
  rows("INSERT INTO people VALUES (2, NULL)");
  rows("UPDATE people SET a = 'y' WHERE id = 1");
  rows("DELETE FROM people WHERE id = 2");
  EXPECT_EQ(read_all(3),
            (Texts{R"(create {"id":2} - {"id":2,"a":null})",
                   R"(update {"id":1} - {"id":1,"a":"y"})", R"(delete {"id":2} - -)"}));
  EXPECT_EQ(positions_[0], R"({"slot":"tenon_public_people","snapshot":{"id":1}})");
  EXPECT_TRUE(has(positions_[1], R"({"slot":"tenon_public_people","lsn":"0/)"));
  EXPECT_EQ(collections_, std::set<std::string>{"people"}) << "of rows and of changes";
}

TEST_F(PostgresReplication, ReturnsTheSameValuesAsTheSnapshot) {
  rows(
      "CREATE TYPE mood AS ENUM ('ok', 'so so'); CREATE TYPE pair AS (a int, b text); "
      "CREATE TABLE people (id int PRIMARY KEY, i2 int2, i8 int8, n numeric, n2 numeric(10,2), "
      "f4 float4, f8 float8, b bool, t text, v varchar(5), c char(5), j json, jb jsonb, a int[], "
      "at text[], d date, ts timestamp, tz timestamptz, iv interval, by bytea, u uuid, m mood, "
      "p pair, bits bit(3), \"Na\"\"me\" text, inet inet)");
  // Such values are ambiguous: IST is the abbreviation of several time zones.
  rows(
      "ALTER ROLE postgres SET datestyle = 'SQL'; ALTER ROLE postgres SET timezone = "
      "'Asia/Kolkata'");
  const std::string insert =
      "INSERT INTO people SELECT i, i, -9223372036854775808, 12345678901234567890.10, 1.5, 0.1, "
      "CASE i % 3 WHEN 0 THEN 'NaN' WHEN 1 THEN '-Infinity' ELSE '0.30000000000000004' "
      "END::float8, "
      "i % 2 = 0, E'\"\\\\ü{},\\n NULL', 'abc', 'ab', '{\"b\": 1,  \"a\":[null]}', '{\"b\":1}', "
      "'{{1,2},{NULL,4}}', ARRAY['a,\"', NULL, 'NULL', ''], '2024-02-29', '2024-01-02 03:04:05.6', "
      "'0044-03-15 01:02:03+05:30 BC', '1 mon -2 days 3.5 s', '\\x00ff', "
      "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'so so', ROW(1, 'x,\"y')::pair, B'101', '', "
      "'10.0.0.0/8' FROM generate_series(";
  rows(insert + "0, 2) AS i; INSERT INTO people (id) VALUES (3)");
  ASSERT_EQ(follow(), "");
  Texts snapshot = read_all(4);
  rows("DELETE FROM people");
  rows(insert + "0, 2) AS i; INSERT INTO people (id) VALUES (3)");
  Texts stream = read_all(8);
  rows("ALTER ROLE postgres RESET ALL");
  ASSERT_EQ(snapshot.size(), 4u);
  ASSERT_EQ(stream.size(), 8u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ("create" + snapshot[i].substr(8), stream[i + 4]);
  }
}

TEST_F(PostgresReplication, ResumesAfterAnyRecordOfATransaction) {
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  ASSERT_EQ(follow_after("INSERT INTO people VALUES (0)"), "");
  rows(
      "BEGIN; INSERT INTO people SELECT generate_series(1, 3); UPDATE people SET id = id + 10 "
      "WHERE id > 0; "
      "DELETE FROM people WHERE id = 11; COMMIT");
  rows("INSERT INTO people VALUES (99)");
  const Texts all = read_all(11);
  const Texts positions = positions_;
  ASSERT_EQ(all.size(), 11u);
  EXPECT_EQ(all[3], R"(delete {"id":1} - -)");
  EXPECT_EQ(all[4], R"(create {"id":11} - {"id":11})");
  for (std::size_t done = 1; done < all.size(); ++done) {
    ASSERT_EQ(reopen(positions[done - 1]), "");
    const Texts rest = read_all(all.size() - done);
    EXPECT_EQ(rest, Texts(all.begin() + static_cast<std::ptrdiff_t>(done), all.end())) << done;
  }
}

TEST_F(PostgresReplication, RepeatsUnacknowledgedChanges) {
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  ASSERT_EQ(follow_after("INSERT INTO people VALUES (0)"), "");
  const std::string created = confirmed();
  rows("INSERT INTO people VALUES (1)");
  rows("INSERT INTO people VALUES (2)");
  ASSERT_EQ(read_all(2).size(), 2u);
  close();
  remove_use();
  EXPECT_EQ(confirmed(), created);
  ASSERT_EQ(follow({}, R"({"slot":"tenon_public_people","lsn":"0/1","record":1})"), "");
  ASSERT_EQ(read_all(2).size(), 2u);
  acknowledge(positions_[2]);
  close();
  remove_use();
  EXPECT_TRUE(has(positions_[2], "\"lsn\":\"" + confirmed() + "\""));
  ASSERT_EQ(follow({}, positions_[2]), "");
  EXPECT_EQ(read(), Texts{R"(create {"id":2} - {"id":2})"});
}

TEST_F(PostgresReplication, ConfirmsTheLogBesideUnreadChanges) {
  rows("CREATE TABLE people (id int PRIMARY KEY, text text)");
  ASSERT_EQ(follow_after("INSERT INTO people VALUES (0)"), "");
  rows("INSERT INTO people VALUES (1); INSERT INTO people VALUES (2)");
  ASSERT_EQ(read_all(2).size(), 2u);
  rows("INSERT INTO people SELECT n, repeat('x', 1000) FROM generate_series(3, 10000) AS n");
  ASSERT_TRUE(eventually([&] {
    const auto waits =
        rows("SELECT wait_event FROM pg_stat_activity WHERE wait_event LIKE 'WalS%'");
    return waits == Texts{"WalSenderWriteData"};
  }));
  acknowledge(positions_[0]);
  close();
  remove_use();
  EXPECT_TRUE(has(positions_[0], "\"lsn\":\"" + confirmed() + "\""));
}

TEST_F(PostgresReplication, ConfirmsTheLogWithoutReads) {
  rows("CREATE TABLE people (id int PRIMARY KEY); CREATE TABLE other (id int)");
  ASSERT_EQ(follow_after("INSERT INTO people VALUES (0)", {{"timeout", "3s"}}), "");
  rows("INSERT INTO people VALUES (1)");
  ASSERT_EQ(read().size(), 1u);
  const std::string before = confirmed();
  acknowledge(positions_[0]);
  EXPECT_TRUE(eventually([&] { return confirmed() != before; }));
}

TEST_F(PostgresReplication, ConfirmsTheLogOfOtherTables) {
  rows("CREATE TABLE people (id int PRIMARY KEY); CREATE TABLE other (id int)");
  ASSERT_EQ(follow({{"timeout", "3s"}}), "");
  rows("INSERT INTO other SELECT generate_series(1, 1000)");
  const std::string now = value("SELECT pg_current_wal_lsn()");
  Call call;
  std::thread canceller([&] {
    EXPECT_TRUE(eventually([&] {
      return value("SELECT confirmed_flush_lsn >= '" + now + "' FROM pg_replication_slots") == "t";
    }));
    call.cancel();
  });
  EXPECT_EQ((*source_)->read_batch(call, 10, std::nullopt).error().code(), "cancelled");
  canceller.join();
}

TEST_F(PostgresReplication, KeepsLongValuesThatDidNotChange) {
  rows(
      "CREATE TABLE people (id int PRIMARY KEY, a int, big text); "
      "ALTER TABLE people ALTER big SET STORAGE EXTERNAL");
  ASSERT_EQ(follow_after("INSERT INTO people VALUES (0)"), "");
  rows("INSERT INTO people VALUES (1, 1, repeat('x', 100000))");
  rows("UPDATE people SET a = 2 WHERE id = 1");
  rows("ALTER TABLE people REPLICA IDENTITY FULL");
  rows("UPDATE people SET a = 3 WHERE id = 1");
  const Texts all = read_all(3);
  const std::string big = "\"big\":\"" + std::string(100000, 'x') + "\"}";
  EXPECT_EQ(all[1], "update {\"id\":1} - {\"id\":1,\"a\":2," + big);
  EXPECT_EQ(all[2], "update {\"id\":1} {\"id\":1,\"a\":2," + big + " {\"id\":1,\"a\":3," + big);
}

TEST_F(PostgresReplication, KeepsLongValuesIfAnotherColumnIsRemoved) {
  rows(
      "CREATE TABLE people (id int PRIMARY KEY, a text, z text, c int); "
      "ALTER TABLE people ALTER a SET STORAGE EXTERNAL, ALTER z SET STORAGE EXTERNAL");
  const std::string values = "repeat('a', 100000), repeat('z', 100000), 1)";
  ASSERT_EQ(follow_after("INSERT INTO people VALUES (1, " + values), "");
  rows("UPDATE people SET c = 2");
  rows("ALTER TABLE people DROP a");
  const std::string z = "\"z\":\"" + std::string(100000, 'z') + "\"";
  EXPECT_EQ(read(), Texts{"update {\"id\":1} - {\"id\":1,\"a\":null," + z + ",\"c\":2}"});
  rows("UPDATE people SET c = 3; ALTER TABLE people RENAME id TO number");
  EXPECT_TRUE(has(read().front(),
                  "failed-precondition: table public.people no longer has column \"id\" of the "
                  "key; fix: delete the pipeline, and run it again with another \"key\""));
}

TEST_F(PostgresReplication, KeepsLongValuesIfAConversionIsRepeated) {
  rows(
      "CREATE TABLE people (id int PRIMARY KEY, a text, z text, c int) PARTITION BY LIST (id); "
      "CREATE TABLE people_1 PARTITION OF people FOR VALUES IN (1); "
      "CREATE TABLE people_2 PARTITION OF people FOR VALUES IN (2); "
      "ALTER TABLE people_1 ALTER a SET STORAGE EXTERNAL, ALTER z SET STORAGE EXTERNAL; "
      "ALTER TABLE people_2 ALTER a SET STORAGE EXTERNAL; INSERT INTO people SELECT i, "
      "repeat('a', 1000000), repeat('z', 100000), 1 FROM generate_series(1, 2) AS i");
  postgres::Connection connection = server_->connect();
  const postgres::Slot slot{"repeated", "repeated"};
  const postgres::Table table = postgres::find_table(connection, limits(), "people");
  const postgres::KeyedTables tables{{table, {"id"}}};
  postgres::create_slot(connection, limits(), slot, tables);
  postgres::Progress progress("");
  const sdk::Logger log(nullptr);
  postgres::Changes changes(tables, postgres::OnTruncate::fail, {}, log, progress);
  std::deque<RecordV2> records;
  postgres::LogStream stream(server_->url(), limits(), slot, 0, progress);
  const auto fetch_after = [&](const std::string& sql) {
    rows(sql);
    const std::string now = value("SELECT pg_current_wal_lsn()");
    EXPECT_TRUE(eventually(
        [&] { return value("SELECT sent_lsn >= '" + now + "' FROM pg_stat_replication") == "t"; }));
    changes.fetch(stream);
  };
  fetch_after("UPDATE people SET c = 2");  // the server describes each partition once
  changes.convert(connection, limits(), records);
  records.clear();
  fetch_after("BEGIN; UPDATE people SET c = 3; UPDATE people SET z = NULL WHERE id = 1; COMMIT");
  {
    postgres::Connection lock = server_->connect();
    lock.run(limits(), "lock", "BEGIN; LOCK TABLE people_2");
    postgres::WaitLimits short_limits = limits();
    short_limits.timeout = std::chrono::milliseconds(100);
    EXPECT_THROW(changes.convert(connection, short_limits, records), postgres::ServerError);
    EXPECT_TRUE(records.empty());
  }
  connection = server_->connect();
  changes.convert(connection, limits(), records);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_TRUE(
      records[0].payload.after ==
      to_bytes("{\"id\":1,\"a\":\"" + std::string(1000000, 'a') + "\",\"z\":null,\"c\":3}"));
}

TEST_F(PostgresReplication, FollowsSchemaChanges) {
  rows("CREATE TABLE people (id int PRIMARY KEY, a int)");
  ASSERT_EQ(follow_after("INSERT INTO people VALUES (0)"), "");
  rows("INSERT INTO people VALUES (1, 1)");
  rows("ALTER TABLE people ADD b text; INSERT INTO people VALUES (2, 2, 'y')");
  rows("ALTER TABLE people DROP a; INSERT INTO people VALUES (3, 'z')");
  rows("ALTER TABLE people ALTER b TYPE int USING 7; INSERT INTO people VALUES (4, 8)");
  EXPECT_EQ(
      read_all(4),
      (Texts{R"(create {"id":1} - {"id":1,"a":1})", R"(create {"id":2} - {"id":2,"a":2,"b":"y"})",
             R"(create {"id":3} - {"id":3,"b":"z"})", R"(create {"id":4} - {"id":4,"b":8})"}));
  EXPECT_TRUE(
      has(log(), R"(the columns of table public.people changed from "id", "a" to "id", "a", "b")"));
  EXPECT_TRUE(has(log(), R"(changed from "id", "b" to "id", "b")")) << "the type of a column";
}

TEST_F(PostgresReplication, ReportsATruncatedTable) {
  rows("CREATE TABLE people (id int PRIMARY KEY, a int); CREATE TABLE other (id int PRIMARY KEY)");
  ASSERT_EQ(follow_after("INSERT INTO people VALUES (0, 0)"), "");
  rows("TRUNCATE other");
  rows(
      "BEGIN; INSERT INTO people VALUES (1, 1); TRUNCATE people; INSERT INTO people VALUES (2, 2); "
      "COMMIT");
  EXPECT_EQ(read(), Texts{R"(create {"id":1} - {"id":1,"a":1})"}) << "first what was before it";
  const std::string before = positions_[0];
  const std::string failure =
      "failed-precondition: table public.people was truncated, and its rows are still where they "
      "were written to; fix: remove them there, then delete the pipeline and run it again to read "
      "all rows, or set \"truncate\" to \"ignore\"";
  EXPECT_TRUE(has(read().front(), failure));
  EXPECT_TRUE(has(read().front(), failure)) << "again";
  ASSERT_EQ(reopen(before), "");
  EXPECT_TRUE(has(read().front(), failure)) << "after a restart";
  ASSERT_EQ(reopen(before, {{"truncate", "ignore"}}), "");
  EXPECT_EQ(read(), Texts{R"(create {"id":2} - {"id":2,"a":2})"});
  EXPECT_TRUE(
      has(log(), "table public.people was truncated; its rows stay where they were written"));
  const std::string after = positions_.back();
  ASSERT_EQ(reopen(after), "");
  rows("INSERT INTO people VALUES (3, 3)");
  EXPECT_EQ(read(), Texts{R"(create {"id":3} - {"id":3,"a":3})"})
      << "a record after it was read already";
}

TEST_F(PostgresReplication, KeepsChangesOfARenamedTable) {
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  ASSERT_EQ(follow_after("INSERT INTO people VALUES (0)"), "");
  rows("INSERT INTO people VALUES (1)");
  EXPECT_EQ(read(), Texts{R"(create {"id":1} - {"id":1})"});
  acknowledge(positions_[0]);
  rows("ALTER TABLE people RENAME TO people_old");
  rows("INSERT INTO people_old VALUES (2); DELETE FROM people_old WHERE id = 0");
  EXPECT_TRUE(has(read().front(),
                  "failed-precondition: table public.people was renamed, replaced or removed while "
                  "its changes were read; fix: rename it back, or delete the pipeline, "));
  rows("ALTER TABLE people_old RENAME TO people; INSERT INTO people VALUES (3)");
  ASSERT_EQ(reopen(positions_[0]), "");
  EXPECT_EQ(read_all(3), (Texts{R"(create {"id":2} - {"id":2})", R"(delete {"id":0} - -)",
                                R"(create {"id":3} - {"id":3})"}));
}

TEST_F(PostgresReplication, ReadsValuesOfChangedTypes) {
  rows(
      "CREATE TYPE mood AS ENUM ('ok', 'sad'); CREATE TYPE pair AS (a int, b int); "
      "CREATE TABLE people (id int PRIMARY KEY, m mood, ms mood[], p pair)");
  ASSERT_EQ(follow_after("INSERT INTO people VALUES (0)"), "");
  rows("INSERT INTO people VALUES (1, 'sad', '{sad,NULL}')");
  rows("ALTER TYPE mood RENAME VALUE 'sad' TO 'low'");
  EXPECT_EQ(read(), Texts{R"(create {"id":1} - {"id":1,"m":"sad","ms":["sad",null],"p":null})"});
  rows("INSERT INTO people (id, p) VALUES (2, '(1,2)'); ALTER TYPE pair ADD ATTRIBUTE c int");
  EXPECT_TRUE(has(read().front(),
                  "the type of a column of table public.people has changed since then; fix: "
                  "delete the pipeline, and run it again"));
}

TEST_F(PostgresReplication, FollowsTablesWithDomainsThatRefuseNull) {
  rows(
      "CREATE DOMAIN code AS numeric(5,1) NOT NULL; CREATE DOMAIN short AS code; "
      "CREATE TABLE people (id int PRIMARY KEY, a short, big text); "
      "ALTER TABLE people ALTER big SET STORAGE EXTERNAL");
  ASSERT_EQ(follow_after("INSERT INTO people VALUES (0, 1)"), "");
  rows("INSERT INTO people VALUES (1, 2, repeat('x', 100000)); UPDATE people SET a = 3");
  rows("DELETE FROM people WHERE id = 0; DELETE FROM people WHERE id = 1");
  const Texts all = read_all(5);
  ASSERT_EQ(all.size(), 5u) << all.back();
  EXPECT_EQ(all[1], R"(update {"id":0} - {"id":0,"a":3.0,"big":null})");
  EXPECT_TRUE(has(all[2], R"(update {"id":1} - {"id":1,"a":3.0,"big":)"));
  EXPECT_EQ(Texts(all.begin() + 3, all.end()),
            (Texts{R"(delete {"id":0} - -)", R"(delete {"id":1} - -)"}));
}

TEST_F(PostgresReplication, ReadsManyChangesOfOneTransaction) {
  rows("CREATE TABLE people (id int PRIMARY KEY, a text)");
  ASSERT_EQ(follow_after("INSERT INTO people VALUES (0)"), "");
  rows("INSERT INTO people SELECT i, repeat('x', i % 100) FROM generate_series(1, 10000) AS i");
  const Texts all = read_all(10000);
  ASSERT_EQ(all.size(), 10000u);
  EXPECT_TRUE(has(all.back(), R"(create {"id":10000} )"));
  EXPECT_TRUE(has(positions_.back(), R"(,"record":10000})"));
}

TEST_F(PostgresReplication, EndsWaitsIfCancelled) {
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  ASSERT_EQ(follow_after("INSERT INTO people VALUES (0)"), "");
  Call call;
  std::thread canceller([&] {
    EXPECT_TRUE(eventually(
        [&] { return value("SELECT count(*) FROM pg_replication_slots WHERE active") == "1"; }));
    call.cancel();
  });
  EXPECT_EQ((*source_)->read_batch(call, 10, std::nullopt).error().code(), "cancelled");
  canceller.join();
}

TEST_F(PostgresReplication, ContinuesAfterTheServerWasKilled) {
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  ASSERT_EQ(follow_after("INSERT INTO people VALUES (0)"), "");
  rows("INSERT INTO people SELECT generate_series(1, 5000)");
  std::size_t count = read(5).size();
  server_->kill();
  server_->start();
  rows("INSERT INTO people SELECT generate_series(5001, 6000)");
  std::size_t failures = 0;
  while (count < 6000) {
    const Texts some = read(700);
    const bool failed = has(some.front(), "read_batch: unavailable: ");
    failed ? failures++ : count += some.size();
    ASSERT_TRUE(failed || has(some.front(), "create ")) << some.front();
  }
  EXPECT_EQ(failures, 1u);
  EXPECT_EQ(count, 6000u);
  std::sort(positions_.begin(), positions_.end());
  EXPECT_EQ(std::unique(positions_.begin(), positions_.end()), positions_.end());
}

TEST_F(PostgresReplication, CreatesAndDropsTheSlot) {
  rows("CREATE SCHEMA \"My s\"; CREATE TABLE \"My s\".p (id int PRIMARY KEY)");
  const TextMap config = with({{"table", "\"My s\".p"}, {"mode", "replication"}});
  auto source = host_->create<Source>(postgres, config).value();
  ASSERT_TRUE(source->on_created(config));
  ASSERT_TRUE(source->on_created(config));
  const std::string name = value("SELECT slot_name FROM pg_replication_slots");
  EXPECT_TRUE(has(name, "tenon_my_s_p_") || has(name, "tenon__y_s_p_")) << name;
  EXPECT_EQ(value("SELECT pubname FROM pg_publication"), name);
  TextMap other = config;
  other["slot"] = "other";
  const auto updated = source->on_updated(other, config);
  EXPECT_TRUE(has(updated.error().to_string(), "cannot change with the mode \"replication\""));
  EXPECT_TRUE(source->teardown());
  auto deleter = host_->create<Source>(postgres, config).value();
  EXPECT_TRUE(deleter->on_deleted(config));
  EXPECT_TRUE(deleter->on_deleted(config));
  EXPECT_TRUE(deleter->teardown());
  EXPECT_EQ(value("SELECT count(*) FROM pg_replication_slots"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM pg_publication"), "0");
  rows("DROP SCHEMA \"My s\" CASCADE");
}

TEST_F(PostgresReplication, GivesEachTableItsOwnSlot) {
  rows("CREATE SCHEMA a; CREATE TABLE a.b_c (id int PRIMARY KEY)");
  rows("CREATE SCHEMA a_b; CREATE TABLE a_b.c (id int PRIMARY KEY)");
  for (const char* table : {"a.b_c", "a_b.c"}) {
    const TextMap config = with({{"table", table}, {"mode", "replication"}});
    auto source = host_->create<Source>(postgres, config).value();
    const auto created = source->on_created(config);
    EXPECT_TRUE(created) << created.error().to_string();
    EXPECT_TRUE(source->teardown());
  }
  const Texts names = rows("SELECT slot_name FROM pg_replication_slots ORDER BY slot_name");
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0], "tenon_a_b_c");
  EXPECT_TRUE(has(names[1], "tenon_a_b_c_")) << names[1];
  rows("DROP SCHEMA a CASCADE; DROP SCHEMA a_b CASCADE");
}

TEST_F(PostgresReplication, RefusesTheSlotOfAnotherTable) {
  rows("CREATE TABLE people (id int PRIMARY KEY); CREATE TABLE animals (id int PRIMARY KEY)");
  const TextMap config = with({{"mode", "replication"}, {"slot", "shared"}});
  auto source = host_->create<Source>(postgres, config).value();
  EXPECT_TRUE(source->on_created(config));
  const std::string refused = follow({{"table", "animals"}, {"slot", "shared"}});
  EXPECT_TRUE(
      has(refused,
          "failed-precondition: publication shared was created for another table and has no "
          "table public.animals; fix: name another slot in \"slot\""))
      << refused;
  EXPECT_TRUE(source->teardown());
}

TEST_F(PostgresReplication, DropsTheSlotOfARemovedTable) {
  rows("CREATE SCHEMA sales; CREATE TABLE sales.orders (id int PRIMARY KEY)");
  const TextMap config = with({{"url", server_->url() + " options='-c search_path=public,sales'"},
                               {"table", "orders"},
                               {"mode", "replication"}});
  auto source = host_->create<Source>(postgres, config).value();
  EXPECT_TRUE(source->on_created(config));
  EXPECT_EQ(value("SELECT slot_name FROM pg_replication_slots"), "tenon_sales_orders");
  rows("DROP SCHEMA sales CASCADE; CREATE SCHEMA sales");
  EXPECT_TRUE(source->on_deleted(config));
  EXPECT_TRUE(source->on_deleted(config));
  EXPECT_TRUE(source->teardown());
  EXPECT_EQ(value("SELECT count(*) FROM pg_replication_slots"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM pg_publication"), "0");
  rows("DROP SCHEMA sales");
}

// -- Several tables -----------------------------------------------------------

class PostgresTables : public PostgresReplication {
 protected:
  static constexpr const char* slot = "tenon_tables_8a8df0ad";

  void SetUp() override {
    PostgresReplication::SetUp();
    if (server_ == nullptr) return;
    rows(
        "CREATE TABLE people (id int PRIMARY KEY, a text); INSERT INTO people VALUES (1, 'x'), (2, "
        "'y'); CREATE TABLE orders (n int PRIMARY KEY); INSERT INTO orders VALUES (7), (8)");
  }
  static TextMap both(TextMap config = {}) {
    config.insert({{"table", ""}, {"tables", "people, orders"}, {"mode", "replication"}});
    return config;
  }
};

TEST_F(PostgresTables, AreReadAndThenFollowed) {
  ASSERT_EQ(open(both()), "");
  EXPECT_EQ(read_all(4), (Texts{R"(snapshot {"id":1} - {"id":1,"a":"x"})",
                                R"(snapshot {"id":2} - {"id":2,"a":"y"})",
                                R"(snapshot {"n":7} - {"n":7})", R"(snapshot {"n":8} - {"n":8})"}));
  const std::string begin = "{\"slot\":\"" + std::string(slot) + "\",";
  EXPECT_EQ(positions_[1], begin + R"("table":"public.people","snapshot":{"id":2}})");
  EXPECT_EQ(positions_[2], begin + R"("table":"public.orders","snapshot":{"n":7}})");
  collections_.clear();
  rows(
      "BEGIN; INSERT INTO orders VALUES (9); UPDATE people SET a = 'z' WHERE id = 1; "
      "DELETE FROM orders WHERE n = 7; COMMIT");
  EXPECT_EQ(read_all(3), (Texts{R"(create {"n":9} - {"n":9})",
                                R"(update {"id":1} - {"id":1,"a":"z"})", R"(delete {"n":7} - -)"}));
  EXPECT_EQ(collections_, (std::set<std::string>{"people", "orders"}));
  EXPECT_EQ(rows("SELECT tablename FROM pg_publication_tables WHERE pubname = '" +
                 std::string(slot) + "' ORDER BY 1"),
            (Texts{"orders", "people"}));
  close();
  remove_use();
  auto source = host_->create<Source>(postgres, with(both())).value();
  rows("DROP TABLE people");
  EXPECT_TRUE(source->on_deleted(with(both())));
  EXPECT_TRUE(source->teardown());
  EXPECT_EQ(value("SELECT count(*) FROM pg_replication_slots"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM pg_publication"), "0");
}

TEST_F(PostgresTables, ResumeAfterAnyRecord) {
  ASSERT_EQ(open(both()), "");
  Texts all = read_all(4);
  rows(
      "BEGIN; INSERT INTO orders VALUES (9); INSERT INTO people VALUES (3, ''); "
      "INSERT INTO orders VALUES (10); COMMIT; INSERT INTO people VALUES (4, '')");
  const Texts changes = read_all(4);
  all.insert(all.end(), changes.begin(), changes.end());
  ASSERT_EQ(all.size(), 8u);
  const Texts positions = positions_;
  for (std::size_t done = 1; done < all.size(); ++done) {
    ASSERT_EQ(reopen(positions[done - 1], both()), "") << positions[done - 1];
    Texts rest(all.begin() + static_cast<std::ptrdiff_t>(done), all.end());
    // Rows that were inserted before the rest of the snapshot is read are in both.
    if (done <= 2)
      rest.insert(
          rest.begin() + (2 - static_cast<std::ptrdiff_t>(done)),
          {R"(snapshot {"id":3} - {"id":3,"a":""})", R"(snapshot {"id":4} - {"id":4,"a":""})"});
    if (done <= 4)
      rest.insert(rest.end() - 4,
                  {R"(snapshot {"n":9} - {"n":9})", R"(snapshot {"n":10} - {"n":10})"});
    EXPECT_EQ(read_all(rest.size()), rest) << done;
  }
}

TEST_F(PostgresTables, AreTruncatedAndChangedOneByOne) {
  ASSERT_EQ(open(both({{"truncate", "ignore"}})), "");
  ASSERT_EQ(read_all(4).size(), 4u);
  rows("INSERT INTO people VALUES (3, ''); INSERT INTO orders VALUES (9)");
  ASSERT_EQ(read_all(2).size(), 2u);
  rows("ALTER TABLE orders ADD b int; INSERT INTO orders VALUES (10, 1)");
  rows("TRUNCATE orders; INSERT INTO people VALUES (4, '')");
  EXPECT_EQ(read_all(2),
            (Texts{R"(create {"n":10} - {"n":10,"b":1})", R"(create {"id":4} - {"id":4,"a":""})"}));
  EXPECT_TRUE(has(log(), R"(the columns of table public.orders changed from "n" to "n", "b")"));
  EXPECT_TRUE(has(log(), "table public.orders was truncated"));
  EXPECT_FALSE(has(log(), "table public.people was truncated"));
  ASSERT_EQ(reopen(positions_.back(), both()), "");
  rows("TRUNCATE people, orders");
  EXPECT_TRUE(has(read().front(), " was truncated, and its rows are still where"));
}

TEST_F(PostgresTables, CannotChangeDuringReplication) {
  ASSERT_EQ(open(both()), "");
  ASSERT_EQ(read_all(4).size(), 4u);
  rows("CREATE TABLE more (id int PRIMARY KEY)");
  const TextMap added = both({{"tables", "people,orders,more"}, {"slot", slot}});
  EXPECT_TRUE(has(reopen(positions_[2], added), "no longer has table public.more"));
  EXPECT_TRUE(has(reopen(positions_[2], {{"slot", slot}}), "table public.orders"));
  auto source = host_->create<Source>(postgres, with(added)).value();
  EXPECT_TRUE(has(source->on_updated(with(both({{"slot", slot}})), with(added)).error().to_string(),
                  "\"tables\", \"key\", \"slot\" and \"publication\" cannot change with the mode "
                  "\"replication\"; fix: delete the pipeline"));
  EXPECT_TRUE(source->on_updated(with(both({{"tables", "people , orders,more"}, {"slot", slot}})),
                                 with(added)))
      << "the list is the same";
  EXPECT_TRUE(source->teardown());
}

TEST_F(PostgresTables, MayHaveParts) {
  rows(
      "CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY RANGE (id); "
      "CREATE TABLE part_1 PARTITION OF parts FOR VALUES FROM (0) TO (10); "
      "CREATE TABLE heir (PRIMARY KEY (n)) INHERITS (orders)");
  ASSERT_EQ(open(both({{"tables", "orders, heir, parts"}})), "");
  ASSERT_EQ(read_all(2).size(), 2u);
  collections_.clear();
  rows("INSERT INTO parts VALUES (5)");
  EXPECT_EQ(read(), Texts{R"(create {"id":5} - {"id":5})"});
  EXPECT_EQ(collections_, std::set<std::string>{"parts"});
  collections_.clear();
  rows("INSERT INTO heir VALUES (9)");
  EXPECT_EQ(read(), Texts{R"(create {"n":9} - {"n":9})"});
  EXPECT_EQ(collections_, std::set<std::string>{"heir"}) << "it is in the list itself";
}

TEST_F(PostgresReplication, KeepsAPublicationOfOthersOnDeletion) {
  rows("CREATE TABLE people (id int PRIMARY KEY); CREATE PUBLICATION warehouse FOR ALL TABLES");
  const TextMap config = with({{"mode", "replication"}, {"publication", "warehouse"}});
  auto source = host_->create<Source>(postgres, config).value();
  EXPECT_TRUE(source->on_created(config));
  EXPECT_TRUE(source->on_deleted(config));
  EXPECT_TRUE(source->teardown());
  EXPECT_EQ(value("SELECT count(*) FROM pg_replication_slots"), "0");
  EXPECT_EQ(value("SELECT pubname FROM pg_publication"), "warehouse");
}

TEST_F(PostgresReplication, CreatesNothingIfItCannotFollow) {
  rows("CREATE TABLE people (id int PRIMARY KEY); CREATE PUBLICATION pub_other");
  const TextMap config = with({{"mode", "replication"}, {"publication", "pub_other"}});
  auto source = host_->create<Source>(postgres, config).value();
  const auto created = source->on_created(config);
  ASSERT_FALSE(created);
  EXPECT_TRUE(has(created.error().to_string(),
                  "failed-precondition: publication pub_other has no table public.people; fix: "
                  "ALTER PUBLICATION \"pub_other\" ADD TABLE public.people"));
  EXPECT_EQ(value("SELECT count(*) FROM pg_replication_slots"), "0");
  rows("ALTER PUBLICATION \"pub_other\" ADD TABLE public.people");
  EXPECT_TRUE(source->on_created(config));
  rows("ALTER PUBLICATION pub_other DROP TABLE people");
  EXPECT_TRUE(has(follow({{"publication", "pub_other"}},
                         R"({"slot":"tenon_public_people","lsn":"0/1","record":1})"),
                  "no longer has table public.people, and the changes since then are lost; fix: "
                  "delete the pipeline"));
}

TEST_F(PostgresReplication, ReportsAMissingSlot) {
  rows("CREATE TABLE people (id int PRIMARY KEY); INSERT INTO people VALUES (1)");
  ASSERT_EQ(follow(), "");
  ASSERT_EQ(read().size(), 1u);
  rows("SELECT pg_drop_replication_slot('tenon_public_people')");
  EXPECT_TRUE(
      has(read().front(), "data-loss: replication slot tenon_public_people no longer exists"));
  EXPECT_TRUE(has(follow({}, positions_[0]), "data-loss: replication slot tenon_public_people "));
  EXPECT_EQ(follow(), "");  // reads the whole table
}

TEST_F(PostgresReplication, RefusesForeignPositions) {
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  ASSERT_EQ(follow(), "");
  for (const std::string position :
       {"", "x", R"({"snapshot":{"id":1}})", R"({"poll":{"id":1}})",
        R"({"slot":"other","snapshot":{"id":1}})",
        R"({"slot":"tenon_public_people","snapshot":{"id":"x"}})",
        R"({"slot":"tenon_public_people","snapshot":)",
        R"({"slot":"tenon_public_people","lsn":"0/g","record":1})",
        R"({"slot":"tenon_public_people","lsn":"0/01","record":1})",
        R"({"slot":"tenon_public_people","lsn":"0/123456789","record":1})",
        R"({"slot":"tenon_public_people","lsn":"0/1","record":1}})",
        R"({"slot":"tenon_public_people","lsn":"0/1"})"}) {
    EXPECT_TRUE(has(follow({}, position), "invalid-argument: the position ")) << position;
  }
  EXPECT_TRUE(has(open({}, R"({"slot":"tenon_public_people","lsn":"0/1","record":1})"),
                  "invalid-argument: the position "));
  EXPECT_TRUE(has(open({{"slot", "a"}}), "only the mode \"replication\" uses"));
}

TEST_F(PostgresReplication, ExplainsWhyReplicationIsRefused) {
  rows("CREATE TABLE people (id int PRIMARY KEY); CREATE TABLE keyless (a int)");
  rows("GRANT SELECT ON people TO stranger");
  EXPECT_TRUE(has(follow({{"url", server_->url("stranger")}}), "permission-denied: "));
  EXPECT_TRUE(has(follow({{"table", "keyless"}, {"key", "a"}}),
                  "fix: ALTER TABLE public.keyless REPLICA IDENTITY FULL"));
  EXPECT_EQ(value("SELECT count(*) FROM pg_publication"), "0");
  rows(
      "SELECT pg_create_logical_replication_slot('s' || i, 'pgoutput') FROM "
      "generate_series(1, 10) AS i");
  EXPECT_TRUE(has(follow(), "max_replication_slots.; or set \"mode\" to \"poll\""));
  EXPECT_EQ(value("SELECT count(*) FROM pg_publication"), "0");
  remove_slots();
  server_->stop();
  server_->start("replica");
  EXPECT_TRUE(has(follow(), "found: wal_level = replica; needed: logical; fix: "));
  server_->stop();
  server_->start();
}

TEST_F(PostgresReplication, ReportsATableThatWasJustRemoved) {
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  postgres::Connection connection = server_->connect();
  const postgres::Table table = postgres::find_table(connection, limits(), "people");
  rows("DROP TABLE people");
  try {
    postgres::create_slot(connection, limits(), {"removed", "removed"}, {{table, {"id"}}});
    ADD_FAILURE() << "there is a slot";
  } catch (const sdk::Failure& failure) {
    EXPECT_TRUE(has(failure.what(), "table public.people no longer exists; fix: create it"));
  }
}

TEST_F(PostgresReplication, ReportsChangesWithoutAKey) {
  rows("CREATE TABLE people (id int PRIMARY KEY, a int NOT NULL UNIQUE)");
  rows("ALTER TABLE people REPLICA IDENTITY FULL");
  ASSERT_EQ(follow_after("INSERT INTO people VALUES (0, 0)", {{"key", "a"}}), "");
  rows("INSERT INTO people VALUES (1, 1); UPDATE people SET a = 2 WHERE id = 1");
  EXPECT_EQ(read_all(3).size(), 3u);
  rows("ALTER TABLE people REPLICA IDENTITY DEFAULT; UPDATE people SET a = 3 WHERE id = 1");
  EXPECT_TRUE(has(read().front(), "failed-precondition: a row of table public.people changed "));
}

}}  // namespace tenon::tests
