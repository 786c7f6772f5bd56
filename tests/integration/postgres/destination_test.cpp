// SPDX-License-Identifier: BSL-1.0
//
// The destination with a real server.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "databases.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;
using Operation = RecordV2::Operation;

RecordV2 record(Operation operation, std::optional<std::string> key,
                std::optional<std::string> payload) {
  RecordV2 record;
  record.operation = operation;
  if (key) record.key = to_bytes(*key);
  if (payload) record.payload.after = to_bytes(*payload);
  return record;
}
RecordV2 create(std::string payload) {
  return record(Operation::Create, std::nullopt, std::move(payload));
}
RecordV2 update(std::string payload) {
  return record(Operation::Update, std::nullopt, std::move(payload));
}
RecordV2 removal(std::string key) {
  return record(Operation::Delete, std::move(key), std::nullopt);
}

class PostgresDestination : public Databases {
 protected:
  void TearDown() override { close(); }

  void close() {
    if (!destination_) return;
    EXPECT_TRUE((*destination_)->teardown());
    destination_.reset();
  }

  std::string failure(const Error& error) {
    was_retryable_ = error.retryable();
    return error.to_string();
  }

  /// Returns the failure of open.
  std::string open(const TextMap& config) {
    close();
    auto created = host_->create<Destination>(postgres, with(config));
    if (!created) return created.error().to_string();
    destination_.emplace(*std::move(created));
    const auto opened = (*destination_)->open();
    return opened ? "" : failure(opened.error());
  }

  /// Writes a batch, whose positions count from 1. Returns the failure.
  std::string write(std::vector<RecordV2> records) {
    for (RecordV2& record : records) record.position = to_bytes(std::to_string(++position_));
    const auto written = (*destination_)->write_batch(records);
    return written ? "" : failure(written.error());
  }

  /// Returns the next acknowledgements: positions, refused ones with the error.
  Texts next() {
    Call call;
    call.set_timeout(1min);
    const auto acks = (*destination_)->next_acks(call);
    if (!acks) return {acks.error().to_string()};
    Texts all;
    for (const auto ack : *acks) {
      std::string text(ack.position().text());
      if (const auto error = ack.error()) {
        text.append(" ").append(error->code()).append(": ").append(error->message());
      }
      all.push_back(text);
    }
    return all;
  }

  /// Writes a batch and returns the acknowledgements of all its records.
  Texts written(std::vector<RecordV2> records) {
    const std::size_t count = records.size();
    Texts all;
    if (std::string failure = write(std::move(records)); !failure.empty()) return {failure};
    while (all.size() < count) {
      for (std::string& ack : next()) all.push_back(std::move(ack));
    }
    return all;
  }
  /// Writes a record that is refused. Returns its code and message.
  std::string refusal(RecordV2 record) {
    const std::string ack = written({std::move(record)}).front();
    return ack.substr(ack.find(' ') + 1);
  }

  std::optional<Handle<Destination>> destination_;
  int position_ = 0;
  bool was_retryable_ = false;  // of the last failure
};

TEST_F(PostgresDestination, CreatesTheTableWithAColumnForEachField) {
  ASSERT_EQ(open({{"key", "id"}}), "");
  EXPECT_EQ(written({create(R"({"id":1,"name":"Ann","tags":["a"],"on":true,"x":null})"),
                     create(R"({"id":2,"name":"Bob","age":2.5,"in":{"b":[1]}})")}),
            (Texts{"1", "2"}));
  EXPECT_EQ(rows("SELECT id, name, tags, \"on\", age, \"in\" FROM people ORDER BY id"),
            (Texts{"1|Ann|[\"a\"]|t||", "2|Bob|||2.5|{\"b\": [1]}"}));
  EXPECT_EQ(written({create(R"({"id":3,"later":"x"})")}), Texts{"3"});
  EXPECT_EQ(value("SELECT later FROM people WHERE id = 3"), "x");
}

TEST_F(PostgresDestination, WritesEachRecordToTheTableOfItsTemplate) {
  rows("CREATE SCHEMA shop; CREATE TABLE shop.b (code text PRIMARY KEY, n int)");
  ASSERT_EQ(open({{"table", "shop.{metadata.opencdc.collection}"}}), "");
  const auto in = [](const std::string& collection, RecordV2 record) {
    record.metadata["opencdc.collection"] = collection;
    return record;
  };
  EXPECT_EQ(written({in("My a", create(R"({"id":1})")), in("My a", create(R"({"id":2})")),
                     in("b", create(R"({"code":"x","n":1})")),
                     in("b", update(R"({"code":"x","n":2})")), in("My a", create(R"({"id":3})"))}),
            (Texts{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(rows("SELECT id FROM shop.\"My a\" ORDER BY id"), (Texts{"1", "2", "3"}));
  EXPECT_EQ(rows("SELECT * FROM shop.b"), Texts{"x|2"});
  // The index of a refused record is that in the batch.
  EXPECT_EQ(written({in("My a", create(R"({"id":4})")), in("b", create(R"({"code":"y","n":"z"})")),
                     create("{}"), in("b", removal(R"({"code":"x"})"))})
                .size(),
            4u);
  EXPECT_EQ(rows("SELECT count(*) FROM shop.\"My a\""), Texts{"4"});
  EXPECT_EQ(rows("SELECT * FROM shop.b"), Texts{});
  EXPECT_EQ(refusal(create("{}")),
            "no-table: the metadata of the record lacks the name in \"table\"");
  EXPECT_TRUE(has(open({{"table", "{key}"}}), "expected {metadata.NAME}; fix: write {{ for a "));
  ASSERT_EQ(open({{"table", "\"a{{b\""}}), "");
  EXPECT_EQ(written({create(R"({"id":1})")}).size(), 1u);
  EXPECT_EQ(rows("SELECT * FROM \"a{b\""), Texts{"1"});
}

TEST_F(PostgresDestination, AppendsRowsWithoutAKey) {
  ASSERT_EQ(open({}), "");
  EXPECT_EQ(written({create(R"({"a":1})"), create(R"({"a":1})"), create("{}")}),
            (Texts{"1", "2", "3"}));
  EXPECT_EQ(value("SELECT count(*), count(a) FROM people"), "3|2");
  EXPECT_TRUE(has(refusal(update(R"({"a":2})")), "no-key: table public.people has no primary key"));
  EXPECT_TRUE(has(refusal(removal("1")), "no-key: "));
}

TEST_F(PostgresDestination, KeepsOneRowForEachKey) {
  rows("CREATE TABLE people (id int PRIMARY KEY, name text)");
  ASSERT_EQ(open({}), "");  // by default the key is the primary key
  EXPECT_EQ(written({create(R"({"id":1,"name":"a"})"), create(R"({"id":2,"name":"b"})"),
                     update(R"({"id":1,"name":"c"})"), create(R"({"id":"2","name":"d"})"),
                     create(R"({"id":3,"name":"e"})"), removal(R"({"id":3})")}),
            (Texts{"1", "2", "3", "4", "5", "6"}));
  EXPECT_EQ(rows("SELECT * FROM people ORDER BY id"), (Texts{"1|c", "2|d"}));
  EXPECT_EQ(written({removal(R"({"id":1})"), update(R"({"id":2})"), removal(R"({"id":9})")}).size(),
            3u);
  EXPECT_EQ(rows("SELECT * FROM people ORDER BY id"), Texts{"2|"});
  RecordV2 gone = record(Operation::Delete, std::nullopt, std::nullopt);
  gone.payload.before = to_bytes(R"({"id":2,"other":1})");
  EXPECT_EQ(written({gone}).size(), 1u);
  EXPECT_EQ(rows("SELECT * FROM people"), Texts{});
}

TEST_F(PostgresDestination, AcceptsKeysOfSeveralColumns) {
  ASSERT_EQ(open({{"key", "a, b"}}), "");
  EXPECT_EQ(written({create(R"({"a":1,"b":"x","c":1})"), create(R"({"a":1,"b":"y","c":2})"),
                     update(R"({"a":1,"b":"x","c":3})"), removal(R"({"a":1,"b":"y"})")})
                .size(),
            4u);
  EXPECT_EQ(rows("SELECT a, b, c FROM people"), Texts{"1|x|3"});
  EXPECT_TRUE(
      has(refusal(removal(R"({"a":1})")), "no-key: the record has no values for \"a\", \"b\""));
}

TEST_F(PostgresDestination, UsesTheKeyOfTheRecordIfThePayloadHasNone) {
  ASSERT_EQ(open({{"key", "id"}}), "");
  EXPECT_EQ(written({record(Operation::Create, "k1", R"({"a":1})"),
                     record(Operation::Create, R"({"id":"k2"})", R"({"a":2})"),
                     record(Operation::Create, "k3", R"({"a":3})"), removal("k1")})
                .size(),
            4u);
  EXPECT_EQ(rows("SELECT id, a FROM people ORDER BY id"), (Texts{"k2|2", "k3|3"}));
  EXPECT_TRUE(has(refusal(create(R"({"a":1})")), "null value in column \"id\""));
}

TEST_F(PostgresDestination, IgnoresTheKeyOfTheRecordIfThePayloadHasOne) {
  ASSERT_EQ(open({{"key", "id"}}), "");
  EXPECT_EQ(written({record(Operation::Create, "{draft}", R"({"id":1})"),
                     record(Operation::Create, "\xff", R"({"id":2})")}),
            (Texts{"1", "2"}));
  EXPECT_EQ(rows("SELECT id FROM people ORDER BY id"), (Texts{"1", "2"}));
  EXPECT_TRUE(has(refusal(record(Operation::Create, "{draft}", R"({"a":1})")), "wrong-json: "));
}

TEST_F(PostgresDestination, DoesNotUseForeignKeysAsPrimaryKeys) {
  rows("CREATE TABLE people (id serial PRIMARY KEY, a int)");
  ASSERT_EQ(open({}), "");
  EXPECT_EQ(written({record(Operation::Create, "7", R"({"a":1})"),
                     record(Operation::Create, "8", R"({"a":2})")})
                .size(),
            2u);
  EXPECT_EQ(rows("SELECT * FROM people ORDER BY id"), (Texts{"1|1", "2|2"}));
  EXPECT_TRUE(has(refusal(removal("7")), "no-key: "));
  RecordV2 gone = removal("7");
  gone.payload.before = to_bytes(R"({"id":1,"a":"x"})");
  EXPECT_EQ(written({gone}).size(), 1u);
  EXPECT_EQ(rows("SELECT * FROM people"), Texts{"2|2"});
}

TEST_F(PostgresDestination, LeavesDefaultsToTheServer) {
  rows(
      "CREATE TABLE people (id int PRIMARY KEY, a int DEFAULT 5, b text NOT NULL DEFAULT 'x', "
      "c int GENERATED ALWAYS AS (id * 2) STORED)");
  ASSERT_EQ(open({}), "");
  EXPECT_EQ(written({create(R"({"id":1})"), create(R"({"id":2,"a":6})"),
                     create(R"({"id":3,"a":null,"b":"y","c":9})")})
                .size(),
            3u);
  EXPECT_EQ(rows("SELECT * FROM people ORDER BY id"), (Texts{"1|5|x|2", "2|6|x|4", "3||y|6"}));
  EXPECT_EQ(written({update(R"({"id":3})")}).size(), 1u);
  EXPECT_EQ(value("SELECT * FROM people WHERE id = 3"), "3||y|6");
}

TEST_F(PostgresDestination, WritesOneBatchLikeSeveral) {
  const auto table = [&] {
    rows(
        "DROP TABLE IF EXISTS people; CREATE TABLE people (id int PRIMARY KEY, name text, status "
        "text DEFAULT 'new', n int GENERATED ALWAYS AS IDENTITY); INSERT INTO people VALUES (7, "
        "'a', 'old'), (8, 'a', 'old'); ALTER TABLE people ALTER n RESTART WITH 100");
    return open({});
  };
  const std::vector<RecordV2> records{create(R"({"id":1,"name":"a","status":"paid","n":50})"),
                                      create(R"({"id":1,"name":"b"})"),
                                      create(R"({"id":2,"name":"a"})"),
                                      create(R"({"id":2,"status":null,"n":51})"),
                                      create(R"({"id":3,"status":"paid"})"),
                                      removal(R"({"id":3})"),
                                      create(R"({"id":3,"n":53})"),
                                      update(R"({"id":3,"name":"c","n":54})"),
                                      removal(R"({"id":7})"),
                                      create(R"({"id":7,"n":57})"),
                                      update(R"({"id":8,"n":58})"),
                                      update(R"({"id":8,"status":"sent"})"),
                                      create(R"({"id":9})"),
                                      removal(R"({"id":9})")};
  const std::string found = "SELECT id, name, status, least(n, 100) FROM people ORDER BY id";
  const Texts expected{"1|b|paid|50", "2|||100", "3|c|new|53", "7||new|57", "8||sent|2"};
  ASSERT_EQ(table(), "");
  EXPECT_EQ(written(records).size(), records.size());
  EXPECT_EQ(rows(found), expected);
  ASSERT_EQ(table(), "");
  for (const RecordV2& record : records) EXPECT_EQ(written({record}).size(), 1u);
  EXPECT_EQ(rows(found), expected);
}

TEST_F(PostgresDestination, WritesIdentityColumns) {
  rows("CREATE TABLE people (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a int)");
  ASSERT_EQ(open({}), "");
  EXPECT_EQ(written({create(R"({"id":10,"a":1})"), update(R"({"id":10,"a":2})")}).size(), 2u);
  EXPECT_EQ(rows("SELECT * FROM people"), Texts{"10|2"});
  rows(
      "CREATE TABLE others (id int PRIMARY KEY, n int GENERATED ALWAYS AS IDENTITY, a int); "
      "INSERT INTO others VALUES (1)");
  ASSERT_EQ(open({{"table", "others"}}), "");
  EXPECT_EQ(written({update(R"({"id":1,"n":5,"a":1})"), create(R"({"id":2,"n":7,"a":2})")}),
            (Texts{"3", "4"}));
  EXPECT_EQ(rows("SELECT * FROM others ORDER BY id"), (Texts{"1|1|1", "2|7|2"}));
}

TEST_F(PostgresDestination, WritesColumnsOfManyTypes) {
  rows(
      "CREATE TABLE people (id bigint PRIMARY KEY, n numeric, f float8, t timestamptz, d date, "
      "u uuid, a int[], j json, b bytea, e boolean)");
  ASSERT_EQ(open({}), "");
  EXPECT_EQ(written({create(R"({"id":9223372036854775807,"n":123456789012345678901234567890.12345,)"
                            R"("f":0.1,"t":"2026-01-02T03:04:05Z","d":"2026-01-02",)"
                            R"("u":"c0ffee00-0000-4000-8000-000000000000","a":[1,2],"j":{"x":[]},)"
                            R"("b":"\\x00ff","e":true})")}),
            Texts{"1"});
  EXPECT_EQ(value("SELECT id, n, f, t AT TIME ZONE 'UTC', d, u, a, j, b, e FROM people"),
            "9223372036854775807|123456789012345678901234567890.12345|0.1|2026-01-02 03:04:05|"
            "2026-01-02|c0ffee00-0000-4000-8000-000000000000|{1,2}|{\"x\": []}|\\x00ff|t");
}

TEST_F(PostgresDestination, WritesColumnsOfDomains) {
  rows(
      "CREATE DOMAIN code AS text NOT NULL CHECK (VALUE <> ''); CREATE DOMAIN short AS code; "
      "CREATE TABLE people (id short PRIMARY KEY, a code, b code DEFAULT 'd')");
  ASSERT_EQ(open({}), "");
  EXPECT_EQ(written({create(R"({"id":"1","a":"x"})"), create(R"({"id":"2","a":"x","b":"y"})"),
                     create(R"({"id":"3","a":"x"})"), removal(R"({"id":"1"})")}),
            (Texts{"1", "2", "3", "4"}));
  EXPECT_EQ(rows("SELECT * FROM people ORDER BY id"), (Texts{"2|x|y", "3|x|d"}));
  EXPECT_TRUE(has(refusal(create(R"({"id":"4"})")), "wrong-value: cannot write people: domain "));
  EXPECT_TRUE(has(refusal(create(R"({"id":"4","a":""})")), "wrong-value: "));
}

TEST_F(PostgresDestination, WritesBigNumbersExactly) {
  ASSERT_EQ(open({}), "");
  EXPECT_EQ(written({create(R"({"n":123456789012345678901234567890.123450})")}), Texts{"1"});
  EXPECT_EQ(value("SELECT n FROM people"), "123456789012345678901234567890.123450");
}

TEST_F(PostgresDestination, RefusesOnlyInvalidRecords) {
  rows("CREATE TABLE people (id int PRIMARY KEY, n int CHECK (n < 100), m text UNIQUE)");
  ASSERT_EQ(open({}), "");
  const Texts acks =
      written({create(R"({"id":1,"m":"a"})"), create(R"({"id":2,"n":"many"})"),
               create(R"({"id":3,"n":100})"), create(R"({"id":4,"m":"a"})"), create("[1]"),
               create("{broken"), create("5"), create(""), create(R"({"id":5,"m":"\u0000"})"),
               create("{\"id\":\"\xff\"}"), record(Operation::Create, std::nullopt, std::nullopt),
               create(R"({"id":6,"m":"b"})")});
  const Texts expected = {
      "1",
      "2 wrong-value: cannot write people: invalid input syntax for type integer: \"many\"",
      "3 wrong-value: cannot write people: new row for relation \"people\" violates",
      "4 wrong-value: cannot write people: duplicate key value violates unique constraint",
      "5 wrong-json: the payload is not a JSON object",
      "6 wrong-json: cannot write people: invalid input syntax for type json",
      "7 wrong-json: the payload is not a JSON object",
      "8 wrong-json: cannot write people: invalid input syntax for type json",
      "9 wrong-json: cannot write people: unsupported Unicode escape sequence: \\u0000",
      "10 wrong-json: cannot write people: invalid byte sequence for encoding",
      "11 no-payload: the record has no payload",
      "12"};
  ASSERT_EQ(acks.size(), expected.size());
  for (std::size_t i = 0; i < acks.size(); ++i)
    EXPECT_EQ(acks[i].substr(0, expected[i].size()), expected[i]);
  EXPECT_TRUE(has(acks[3], "\"people_m_key\": Key (m)=(a) already exists."));
  EXPECT_EQ(rows("SELECT id FROM people ORDER BY id"), (Texts{"1", "6"}));
}

TEST_F(PostgresDestination, CommitsNothingPastAnUnsettledRefusal) {
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  ASSERT_EQ(open({}), "");
  ASSERT_EQ(write({create(R"({"id":1})"), create(R"({"id":"x"})"), create(R"({"id":2})")}), "");
  ASSERT_EQ(write({create(R"({"id":3})")}), "");
  EXPECT_EQ(rows("SELECT id FROM people"), Texts{"1"});
  EXPECT_EQ(next().size(), 2u);
  EXPECT_EQ(rows("SELECT id FROM people"), Texts{"1"});
  Texts rest = next();
  while (rest.size() < 2) rest.push_back(next().front());
  EXPECT_EQ(rest, (Texts{"3", "4"}));
  EXPECT_EQ(value("SELECT count(*) FROM people"), "3");
}

TEST_F(PostgresDestination, ReportsEachRefusedRecordOfALargeBatch) {
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  ASSERT_EQ(open({}), "");
  std::vector<RecordV2> records;
  for (int i = 0; i < 10'000; ++i) {
    records.push_back(
        create(i % 500 == 7 ? "{\"id\":\"x\"}" : "{\"id\":" + std::to_string(i) + "}"));
  }
  const Texts acks = written(std::move(records));
  ASSERT_EQ(acks.size(), 10'000u);
  for (std::size_t i = 0; i < acks.size(); ++i) {
    EXPECT_EQ(acks[i].find(' ') != std::string::npos, i % 500 == 7) << acks[i];
  }
  EXPECT_EQ(value("SELECT count(*) FROM people"), "9980");
}

TEST_F(PostgresDestination, RefusesFieldsThatCannotBeColumns) {
  ASSERT_EQ(open({}), "");
  std::string many = "{\"f0\":1";
  for (int i = 1; i < 10'000; ++i) many += ",\"f" + std::to_string(i) + "\":1";
  EXPECT_EQ(refusal(create(many + "}")),
            "wrong-field: cannot write people: tables can have at most 1600 columns");
  EXPECT_TRUE(has(refusal(create(R"({"":1})")), "wrong-field: "));
  EXPECT_TRUE(has(refusal(create(R"({"ctid":1})")), "wrong-field: "));
  const std::string name(64, 'x');
  EXPECT_TRUE(has(refusal(create("{\"" + name + "\":1}")), "wrong-field: "));
  EXPECT_EQ(value("SELECT to_regclass('people') IS NULL"), "t");
  EXPECT_EQ(written({create(R"({"a":1})")}).size(), 1u);
}

TEST_F(PostgresDestination, AcceptsUnusualNames) {
  rows("CREATE SCHEMA \"Sales\"\"; x\"");
  for (const std::string table :
       {R"("My ""People"" ü.€")", R"("Sales""; x".people)", "tenon_rows"}) {
    ASSERT_EQ(open({{"table", table}, {"key", "Ke\"y'\\"}}), "") << table;
    EXPECT_EQ(written({create(R"({"Ke\"y'\\":1,"A":1,"a":2,"ü'\";--":3})"),
                       update(R"({"Ke\"y'\\":1,"A":3,"a":4,"ü'\";--":5})")})
                  .size(),
              2u)
        << table;
    EXPECT_EQ(value("SELECT \"A\", a, \"ü'\"\";--\", \"Ke\"\"y'\\\" FROM " + table), "3|4|5|1");
  }
  rows("DROP SCHEMA \"Sales\"\"; x\" CASCADE");
}

TEST_F(PostgresDestination, WritesLongValues) {
  ASSERT_EQ(open({{"key", "id"}}), "");
  const std::string text(10 << 20, 'x');
  EXPECT_EQ(written({create("{\"id\":1,\"a\":\"" + text + "\"}"),
                     create("{\"id\":2,\"a\":\"" + text + "\"}")}),
            (Texts{"1", "2"}));
  EXPECT_EQ(value("SELECT sum(length(a)) FROM people"), std::to_string(2 * text.size()));
}

TEST_F(PostgresDestination, ChecksDeferredConstraintsAtOnce) {
  rows(
      "CREATE TABLE people (id int PRIMARY KEY, boss int REFERENCES people DEFERRABLE INITIALLY "
      "DEFERRED)");
  ASSERT_EQ(open({}), "");
  const Texts acks = written(
      {create(R"({"id":1})"), create(R"({"id":2,"boss":9})"), create(R"({"id":3,"boss":1})")});
  EXPECT_EQ(acks.size(), 3u);
  EXPECT_TRUE(has(acks[1], "2 wrong-value: "));
  EXPECT_EQ(value("SELECT count(*) FROM people"), "2");
}

TEST_F(PostgresDestination, ReportsWrongSettingsInOpen) {
  EXPECT_TRUE(has(open({{"table", "nowhere.people"}}), "not-found: "));
  EXPECT_TRUE(has(open({{"table", "a b"}}), "invalid-argument: "));
  EXPECT_TRUE(
      has(open({{"table", "a.b.c"}}), "cannot find table a.b.c: cross-database references"));
  rows("CREATE TABLE people (id int PRIMARY KEY, a int)");
  EXPECT_TRUE(has(open({{"key", "b"}}), "column \"b\""));
  EXPECT_TRUE(has(open({{"key", "a"}}),
                  "table public.people has no unique constraint on exactly the columns of \"key\", "
                  "\"a\"; fix: create a unique index on them"));
  rows("CREATE UNIQUE INDEX ON people (a)");
  EXPECT_EQ(open({{"key", "a"}}), "");
  const std::string denied = "; fix: grant the permission to the user in \"url\"";
  EXPECT_TRUE(has(open({{"url", server_->url("stranger")}}), denied));
  rows("REVOKE CREATE ON SCHEMA public FROM public");
  EXPECT_TRUE(has(open({{"url", server_->url("stranger")}, {"table", "other"}}), denied));
}

/// Holds a lock on the table, so that writes wait.
class Lock {
 public:
  explicit Lock(const Server& server) : connection_(server.connect()) {
    connection_.run(limits(), "lock", "BEGIN; LOCK TABLE people");
  }

 private:
  postgres::Connection connection_;
};

TEST_F(PostgresDestination, EndsWaitsIfCancelled) {
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  ASSERT_EQ(open({}), "");
  const Lock lock(*server_);
  const std::string waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  std::vector<RecordV2> records{create(R"({"id":1})")};
  records[0].position = to_bytes("1");
  Call call;
  std::thread canceller([&] {
    EXPECT_TRUE(eventually([&] { return value(waiting) == "1"; }));
    call.cancel();
  });
  EXPECT_EQ((*destination_)->write_batch(call, records).error().code(), "cancelled");
  canceller.join();
  EXPECT_TRUE(eventually([&] { return value(waiting) == "0"; })) << "the server still serves";
}

TEST_F(PostgresDestination, DoesNotWaitForASilentServer) {
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  ASSERT_EQ(open({{"timeout", "100ms"}}), "");
  std::optional<Lock> lock(*server_);
  EXPECT_TRUE(has(write({create(R"({"id":1})")}),
                  "cannot write people: the server has sent nothing for 100 ms; fix: raise "
                  "\"timeout\", or look for locks and missing indexes (pg_stat_activity)"));
  EXPECT_TRUE(was_retryable_);
  lock.reset();
  EXPECT_EQ(written({create(R"({"id":1})")}).size(), 1u);
}

TEST_F(PostgresDestination, ReconnectsAfterAServerRestart) {
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  ASSERT_EQ(open({}), "");
  server_->stop();
  EXPECT_TRUE(has(write({create(R"({"id":1})")}), "unavailable: cannot write people: "));
  EXPECT_TRUE(was_retryable_);
  EXPECT_TRUE(has(write({create(R"({"id":1})")}), "unavailable: cannot connect to the server: "));
  EXPECT_TRUE(was_retryable_);
  server_->start();
  EXPECT_EQ(written({create(R"({"id":1})")}).size(), 1u);
  EXPECT_EQ(value("SELECT count(*) FROM people"), "1");
}

TEST_F(PostgresDestination, ReportsTooManyConnectionsAsRetryable) {
  rows(
      "CREATE TABLE people (id int PRIMARY KEY, a int); GRANT ALL ON people TO stranger; "
      "ALTER ROLE stranger CONNECTION LIMIT 0");
  EXPECT_TRUE(has(open({{"url", server_->url("stranger")}}),
                  "resource-exhausted: cannot connect to the server: too many connections"));
  EXPECT_TRUE(was_retryable_);
  rows("ALTER ROLE stranger CONNECTION LIMIT -1");
}

/// A server on a system that cannot report closed connections, such as Windows. It accepts one
/// connection, and refuses client_connection_check_interval.
class UncheckingServer {
 public:
  UncheckingServer() : listening_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    auto* const raw = reinterpret_cast<sockaddr*>(&address_);
    const bool listens = bind(listening_, raw, size) == 0 && listen(listening_, 1) == 0 &&
                         getsockname(listening_, raw, &size) == 0;
    EXPECT_TRUE(listens);
    thread_ = std::thread([this] { serve(); });
  }
  ~UncheckingServer() {
    shutdown(listening_, SHUT_RDWR);  // ends accept
    thread_.join();
    ::close(listening_);
  }
  UncheckingServer(const UncheckingServer&) = delete;
  UncheckingServer& operator=(const UncheckingServer&) = delete;

  std::string url() const {
    return "host=127.0.0.1 user=a sslmode=disable gssencmode=disable port=" +
           std::to_string(ntohs(address_.sin_port));
  }

 private:
  static std::string number(std::size_t number) {
    return {'\0', '\0', static_cast<char>(number >> 8), static_cast<char>(number)};
  }
  static std::string message(char type, const std::string& body) {
    return type + number(body.size() + 4) + body;
  }
  /// Reads a message with its length, but without its type.
  static std::string read(int connection) {
    std::uint8_t size[4] = {};
    if (recv(connection, size, 4, MSG_WAITALL) != 4) return "";
    std::string body(std::size_t{size[2]} * 256 + size[3] - 4, ' ');
    return recv(connection, body.data(), body.size(), MSG_WAITALL) > 0 ? body : "";
  }
  void serve() const {
    using namespace std::string_literals;
    const int connection = accept(listening_, nullptr, nullptr);
    read(connection);
    std::string reply = message('R', number(0)) + message('S', "server_version\00015.1\0"s);
    const std::string ready = message('Z', "I");
    char type = 'Q';
    while (type == 'Q') {
      reply += ready;
      EXPECT_EQ(send(connection, reply.data(), reply.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(reply.size()));
      if (recv(connection, &type, 1, 0) != 1) break;
      const bool refuses = read(connection).find("check_interval") != std::string::npos;
      reply = refuses ? message('E', "SERROR\0C22023\0Mmust be set to 0 on this platform\0\0"s)
                      : message('C', "SET\0"s);
    }
    ::close(connection);
  }

  int listening_;
  sockaddr_in address_{};
  std::thread thread_;
};

TEST_F(PostgresDestination, ConnectsToServersThatCannotCheckConnections) {
  const UncheckingServer server;
  EXPECT_NO_THROW(postgres::Connection(server.url(), limits()));
}

TEST_F(PostgresDestination, ReportsWrongUrls) {
  const std::string wrong = open({{"url", "very-secret"}});
  EXPECT_TRUE(has(wrong, "parameter \"url\" is (hidden), expected a connection string such as"));
  EXPECT_FALSE(has(wrong, "very-secret"));
  EXPECT_TRUE(has(open({{"url", ""}}), "parameter \"url\" is required"));
  EXPECT_EQ(open({{"url", server_->url("guarded") + " password=wrong"}}),
            "tenon.dev/postgres: open: unauthenticated: cannot connect to the server: password "
            "authentication failed for user \"guarded\"; fix: set the right user and password in "
            "\"url\"");
  EXPECT_TRUE(has(open({{"url", server_->url("guarded")}}), "the server requires a password"));
  EXPECT_TRUE(has(open({{"url", server_->url("postgres", "nowhere")}}),
                  "not-found: cannot connect to the server: database \"nowhere\" does not exist; "
                  "fix: create the database or name another one in \"url\""));
  EXPECT_TRUE(has(open({{"url", "host=/nowhere"}}), "unavailable: "));
}

}}  // namespace tenon::tests
