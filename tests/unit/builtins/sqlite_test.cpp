// SPDX-License-Identifier: BSL-1.0
//
// The builtin source and destination of SQLite: reading and writing of rows, locks, and recovery
// after a kill.
#include <tenon/builtins.hpp>
#include <tenon/call.hpp>
#include <tenon/host.hpp>
#include <tenon/source.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "builtin/sqlite_destination.hpp"
#include "builtin/sqlite_source.hpp"
#include "framework/world.hpp"
#include "unit/builtins/plugins.hpp"

namespace tenon::builtin { namespace {

using WritingSqlite = Writing<SqliteDestination>;

class SqliteTest : public Builtins {
 protected:
  TextMap table(const std::string& name) const {
    return {{"path", path("data.db")}, {"table", name}};
  }
  Texts rows(const std::string& name) const {
    return payloads(read_all<SqliteSource>(table(name)));
  }
  void run(const std::string& sql) const {
    Database(path("data.db"), Database::Mode::write).run(sql);
  }
  /// Returns the status of a body whose call is cancelled while it waits for a lock.
  template <class Body>
  static tenon_status status_if_cancelled(Call& call, Body body) {
    const auto before = open_files();
    std::thread cancelling([&] {
      // A call has no event handle before it waits.
      EXPECT_TRUE(tests::eventually([&] { return open_files() > before; }));
      call.cancel();
    });
    const tenon_status status = status_in(call, body);
    cancelling.join();
    return status;
  }
};

TEST_F(SqliteTest, ReadsATable) {
  run("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, weight REAL, data BLOB);"
      "INSERT INTO t VALUES (-3, 'a\"b', 1.5, x'00ff'), (7, NULL, 2, x''), (9, 'c', NULL, 'text')");
  TextMap config = table("t");
  const Records records = read_all<SqliteSource>(config);
  EXPECT_EQ(payloads(records), (Texts{R"({"id":-3,"name":"a\"b","weight":1.5,"data":"00ff"})",
                                      R"({"id":7,"name":null,"weight":2.0,"data":""})",
                                      R"({"id":9,"name":"c","weight":null,"data":"text"})"}));
  EXPECT_EQ(text(records[1].position).find("[7,5,"), 0u);
  EXPECT_EQ(text(*records[1].key), "7");
  expect_resumes<SqliteSource>({{"path", path("data.db")}, {"table", "t"}, {"key", "data"}});
}

TEST_F(SqliteTest, ReadsATableWithAColumnRowid) {
  run("CREATE TABLE t (RowId INTEGER, v); INSERT INTO t VALUES (5, 1), (5, 2), (4, 3)");
  EXPECT_EQ(rows("t"),
            (Texts{R"({"RowId":5,"v":1})", R"({"RowId":5,"v":2})", R"({"RowId":4,"v":3})"}));
  run("CREATE TABLE u (rowid, oid, _rowid_)");
  EXPECT_EQ(failure_of([&] { rows("u"); }, TENON_FAILED_PRECONDITION),
            path("data.db") +
                ": table \"u\" has columns rowid, _rowid_ and oid, which hide the row number; fix: "
                "rename one of them");
}

TEST_F(SqliteTest, RefusesPositionsThatAreNoRowNumbers) {
  run("CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)");
  for (const char* wrong :
       {"", "x", "1", "[1,2,3,\"t\"]", "[9223372036854775808,2,3,\"t\",\"data.db\"]",
        "[1,2,3,4,\"data.db\"]", "[1,2,3,4,5]", "[4,5]", "[1,2,3,\"t\",4,5]"}) {
    EXPECT_EQ(failure_of([&] { read_all<SqliteSource>(table("t"), to_bytes(wrong)); }),
              "the position \"" + std::string(wrong) + "\" is not a position of this plugin");
  }
}

TEST_F(SqliteTest, RefusesThePositionOfRowsThatAreGone) {
  const auto end_of = [&](const std::string& name) {
    return read_all<SqliteSource>(table(name)).back().position;
  };
  const auto failure = [&](const std::string& name, const Bytes& position) {
    return failure_of([&] { read_all<SqliteSource>(table(name), position); }, TENON_DATA_LOSS);
  };
  const auto told = [&](const std::string& name, const std::string& end) {
    return path("data.db") + ": table \"" + name + "\" " + end +
           ", but row 3 has been read, so rows were deleted or renumbered, and new rows may have "
           "numbers that have been read; fix: delete the pipeline, and run it again to read the "
           "whole table";
  };
  run("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)");
  const Bytes in_t = end_of("t");
  run("DELETE FROM t WHERE a = 1; VACUUM");
  EXPECT_EQ(failure("t", in_t), told("t", "ends with row 2"));
  run("CREATE TABLE u (id INTEGER PRIMARY KEY); INSERT INTO u VALUES (3)");
  const Bytes in_u = end_of("u");
  run("DELETE FROM u");
  EXPECT_EQ(failure("u", in_u), told("u", "is empty"));
  // SQLite does not reuse the numbers of such a table.
  run("CREATE TABLE v (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO v VALUES (3)");
  const Bytes in_v = end_of("v");
  run("DELETE FROM v");
  EXPECT_EQ(read_all<SqliteSource>(table("v"), in_v).size(), 0u);
  run("INSERT INTO v DEFAULT VALUES");
  EXPECT_EQ(payloads(read_all<SqliteSource>(table("v"), in_v)), Texts{R"({"id":4})"});
  run("DELETE FROM v; DELETE FROM sqlite_sequence");
  EXPECT_EQ(failure("v", in_v), told("v", "is empty"));
}

TEST_F(SqliteTest, RefusesThePositionOfOtherRows) {
  const auto failure = [&](const Bytes& position) {
    return failure_of([&] { read_all<SqliteSource>(table("t"), position); }, TENON_DATA_LOSS);
  };
  run("CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t (a) VALUES ('a1'), ('a2')");
  const Bytes position = read_all<SqliteSource>(table("t")).back().position;
  const std::string told = path("data.db") +
                           ": row 2 of table \"t\" does not contain what was read from it, so it "
                           "was truncated, replaced or changed, and records may be lost; fix: "
                           "delete the pipeline, and run it again to read everything";
  run("DELETE FROM t; INSERT INTO t (a) VALUES ('b1'), ('b2'), ('b3')");
  EXPECT_EQ(failure(position), told);
  run("DROP TABLE t; CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3)");
  EXPECT_EQ(failure(position), told);
  std::filesystem::remove(path("data.db"));
  run("CREATE TABLE t (id INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 'a1'), (2, 'a2')");
  EXPECT_EQ(failure(position), told);
}

TEST_F(SqliteTest, ResumesAfterRowsThatWereDeletedAndColumnsThatWereAdded) {
  run("CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t (a) VALUES ('a1'), ('a2')");
  const Records records = read_all<SqliteSource>(table("t"));
  run("ALTER TABLE t ADD COLUMN b DEFAULT 1; INSERT INTO t (a) VALUES ('a3')");
  const Texts added = {R"({"id":3,"a":"a3","b":1})"};
  EXPECT_EQ(payloads(read_all<SqliteSource>(table("t"), records.back().position)), added);
  run("DELETE FROM t WHERE id < 3");
  EXPECT_EQ(payloads(read_all<SqliteSource>(table("t"), records.back().position)), added);
}

TEST_F(SqliteTest, RefusesThePositionOfAnotherTable) {
  run("CREATE TABLE t (a); INSERT INTO t VALUES (1); CREATE TABLE u (a); INSERT INTO u VALUES (1)");
  const Bytes position = read_all<SqliteSource>(table("t")).back().position;
  EXPECT_EQ(
      failure_of([&] { read_all<SqliteSource>(table("u"), position); }, TENON_OUT_OF_RANGE),
      "the position is of another table of " + path("data.db") +
          ", but table \"u\" is configured; fix: restore the configuration, or delete the pipeline, and run it "
          "again to read everything");
  std::filesystem::copy(path("data.db"), path("other.db"));
  failure_of(
      [&] {
        read_all<SqliteSource>({{"path", path("other.db")}, {"table", "t"}}, position);
      },
      TENON_OUT_OF_RANGE);
}

TEST_F(SqliteTest, ResumesAfterThePositionOfAnOlderVersion) {
  run("CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)");
  std::string position = text(read_all<SqliteSource>(table("t")).at(0).position);
  const std::size_t mark = position.find(',', position.find(',', 3) + 1);
  position.replace(mark, std::string::npos, ",\"T\",\"" + path("data.db") + "\"]");
  EXPECT_EQ(payloads(read_all<SqliteSource>(table("t"), to_bytes(position))), Texts{R"({"id":2})"})
      << position;
}

/// Its path and table may come from a variable.
TEST_F(SqliteTest, HasPositionsWithoutConfiguredValues) {
  run("CREATE TABLE secret (id INTEGER PRIMARY KEY); INSERT INTO secret VALUES (1)");
  const std::string position = text(read_all<SqliteSource>(table("secret")).at(0).position);
  EXPECT_EQ(position.find_first_not_of("[]-,0123456789"), std::string::npos) << position;
  std::filesystem::create_symlink("data.db", path("link.db"));
  EXPECT_EQ(
      read_all<SqliteSource>({{"path", path("link.db")}, {"table", "Secret"}}, to_bytes(position))
          .size(),
      0u)
      << "the same file";
}

TEST_F(SqliteTest, ReadsSeveralTables) {
  run("CREATE TABLE a (id INTEGER PRIMARY KEY, n); INSERT INTO a (n) VALUES (1), (2), (3);"
      "CREATE TABLE b (id INTEGER PRIMARY KEY, m, k); INSERT INTO b (m) VALUES (4), (5);"
      "CREATE TABLE c (id INTEGER PRIMARY KEY)");
  const TextMap config = {{"path", path("data.db")}, {"tables", "a, b,c"}};
  const Records all = read_all<SqliteSource>(config);
  EXPECT_EQ(payloads(all), (Texts{R"({"id":1,"n":1})", R"({"id":2,"n":2})", R"({"id":3,"n":3})",
                                  R"({"id":1,"m":4,"k":null})", R"({"id":2,"m":5,"k":null})"}));
  EXPECT_EQ(all[2].metadata.at("opencdc.collection"), "a");
  EXPECT_EQ(all[3].metadata.at("opencdc.collection"), "b");
  expect_resumes<SqliteSource>(config);
  // A table that is added to the list is read from its begin.
  const Records of_b = read_all<SqliteSource>({{"path", path("data.db")}, {"tables", "b"}});
  run("INSERT INTO b (m) VALUES (6)");
  const auto rest = [&](const Bytes& position) {
    return payloads(read_all<SqliteSource>(config, position));
  };
  EXPECT_EQ(rest(of_b.back().position), (Texts{R"({"id":1,"n":1})", R"({"id":2,"n":2})",
                                               R"({"id":3,"n":3})", R"({"id":3,"m":6,"k":null})"}));
  EXPECT_EQ(rest(all.back().position), Texts{R"({"id":3,"m":6,"k":null})"});
  EXPECT_EQ(failure_of(
                [&] {
                  read_all<SqliteSource>({{"path", path("data.db")}, {"tables", "b,c"}},
                                         all.back().position);
                },
                TENON_OUT_OF_RANGE),
            "the position is of another table of " + path("data.db") +
                ", but table \"b\", \"c\" is configured; fix: restore the configuration, or delete "
                "the pipeline, and run it again to read everything");
  run("DELETE FROM a");
  EXPECT_NE(failure_of([&] { rest(all.back().position); }, TENON_DATA_LOSS)
                .find("table \"a\" is empty, but row 3 has been read"),
            std::string::npos);
}

TEST_F(SqliteTest, NeedsOneParameterWithTables) {
  SqliteSource source;
  const auto failure = [&](TextMap config) {
    config["path"] = path("data.db");
    return failure_of([&] { configure(source, config); });
  };
  EXPECT_EQ(failure({}), "parameter \"table\" or \"tables\" is required");
  EXPECT_EQ(failure({{"table", "a"}, {"tables", "b"}}),
            "parameters \"table\" and \"tables\" are both set");
  EXPECT_EQ(failure({{"tables", "a, b, A"}}), "parameter \"tables\" has \"A\" twice");
}

TEST_F(SqliteTest, WarnsOfRowNumbersThatAreNotPermanent) {
  run("CREATE TABLE a (n INTEGER PRIMARY KEY); CREATE TABLE b (n INT PRIMARY KEY);"
      "CREATE TABLE c (n); CREATE TABLE d (n INTEGER, m INTEGER, PRIMARY KEY (n, m))");
  Texts lines;
  Host host({.app = "", .builtins = {builtins()}, .log_sink = [&](const LogLine& line) {
               lines.push_back(line.to_string());
             }});
  for (const char* name : {"a", "b", "c", "d"}) {
    auto source = host.create<Source>("tenon.dev/sqlite", table(name)).value();
    source->open({}).value();
  }
  const auto warning = [&](const std::string& name) {
    return "tenon.dev/sqlite (tenon.dev/builtin): " + path("data.db") + ": table \"" + name +
           "\" has no INTEGER PRIMARY KEY, so VACUUM may renumber its rows; then their positions "
           "are no longer correct";
  };
  EXPECT_EQ(lines, (Texts{warning("b"), warning("c"), warning("d")}));
}

TEST_F(SqliteTest, ReadsTheSmallestRowNumber) {
  run("CREATE TABLE t (id INTEGER PRIMARY KEY);"
      "INSERT INTO t VALUES (-9223372036854775808), (9223372036854775807)");
  EXPECT_EQ(rows("t"), (Texts{R"({"id":-9223372036854775808})", R"({"id":9223372036854775807})"}));
  expect_resumes<SqliteSource>(table("t"));
}

TEST_F(SqliteTest, RefusesATableWithoutRowNumbers) {
  run("CREATE TABLE t (a PRIMARY KEY) WITHOUT ROWID");
  EXPECT_EQ(failure_of([&] { rows("t"); }, TENON_FAILED_PRECONDITION),
            path("data.db") +
                ": table \"t\" is declared WITHOUT ROWID, so it has no row numbers to use as "
                "positions; fix: copy it to a table with row numbers");
}

TEST_F(SqliteTest, ReadsAndWritesDatabasesInUtf16) {
  run("PRAGMA encoding = 'UTF-16'; CREATE TABLE t (key TEXT PRIMARY KEY, a)");
  WritingSqlite(table("t")).write({record("\xc3\xa4", R"({"a":"b","c":1.5})")});
  EXPECT_EQ(rows("t"), Texts{"{\"key\":\"\xc3\xa4\",\"a\":\"b\",\"c\":1.5}"});
}

TEST_F(SqliteTest, ReadsRealKeysWithAllDigits) {
  run("CREATE TABLE t (k REAL);"
      "INSERT INTO t VALUES (0.1), (0.1 + 0.2), (0.3), (1), (9e999)");
  TextMap config = table("t");
  config["key"] = "k";
  Texts keys;
  for (const RecordV2& record : read_all<SqliteSource>(config)) keys.push_back(text(*record.key));
  EXPECT_EQ(keys, (Texts{"0.1", "0.30000000000000004", "0.3", "1.0", "Inf"}));
}

TEST_F(SqliteTest, RefusesNullAsAKey) {
  run("CREATE TABLE t (name TEXT); INSERT INTO t VALUES ('a'), (NULL)");
  TextMap config = table("t");
  config["key"] = "name";
  EXPECT_EQ(failure_of([&] { read_all<SqliteSource>(config); }),
            path("data.db") + ": the key column \"name\" is null in row 2");
}

TEST_F(SqliteTest, ReportsTextsThatAreNotUtf8) {
  run("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);"
      "INSERT INTO t VALUES (1, 'good'), (2, cast(x'ff41' AS TEXT))");
  SqliteSource source;
  configure(source, table("t"));
  source.open({});
  EXPECT_EQ(payloads(read_batch(source, 10)), Texts{R"({"id":1,"name":"good"})"});
  EXPECT_EQ(failure_of([&] { read_batch(source, 10); }),
            path("data.db") +
                ": the text of column \"name\" in row 2 is not UTF-8; fix: correct it, or store "
                "it as a blob, which is read as hexadecimal digits");
}

TEST_F(SqliteTest, LocksNothingAfterAFailure) {
  run("CREATE TABLE t (name TEXT); INSERT INTO t VALUES (NULL)");
  TextMap config = table("t");
  config["key"] = "name";
  SqliteSource source;
  configure(source, config);
  source.open({});
  EXPECT_EQ(failure_of([&] { read_batch(source, 10); }),
            path("data.db") + ": the key column \"name\" is null in row 1");
  run("UPDATE t SET name = 'a'");
  EXPECT_EQ(rows("t"), Texts{R"({"name":"a"})"});
}

TEST_F(SqliteTest, LimitsTheBytesOfABatch) {
  // Each record has 7 bytes of payload, 26 of metadata, and one digit as key.
  run("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)");
  const Records all = read_all<SqliteSource>(table("t"));
  const auto size_of = [&](std::size_t i) {
    return static_cast<std::int64_t>(all.at(i).position.size()) + 7 + 26 + 19 + 1;
  };
  SqliteSource source;
  configure(source, table("t"));
  source.open({});
  EXPECT_EQ(read_batch(source, 10, size_of(0)).size(), 1u);
  EXPECT_EQ(payloads(read_batch(source, 10, size_of(1) + 1)), (Texts{R"({"a":2})", R"({"a":3})"}));
}

TEST_F(SqliteTest, ReadsRowsInsertedWhileReading) {
  run("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
  SqliteSource source;
  configure(source, table("t"));
  source.open({});
  EXPECT_EQ(read_batch(source, 10).size(), 1u);
  run("INSERT INTO t VALUES (2)");
  EXPECT_EQ(payloads(read_batch(source, 10)), (Texts{R"({"a":2})"}));
  EXPECT_EQ(failure_of([&] { read_batch(source, 10); }, TENON_OUT_OF_RANGE), "no more records");
}

TEST_F(SqliteTest, ReportsMissingTablesAndColumns) {
  EXPECT_EQ(failure_of([&] { rows("t"); }, TENON_NOT_FOUND),
            path("data.db") + ": unable to open database file");
  run("CREATE TABLE other (a)");
  EXPECT_EQ(failure_of([&] { rows("t"); }, TENON_NOT_FOUND), path("data.db") + ": no table \"t\"");
  write("data.db",
        "this is no database, and it is longer than a header of one would be..........."
        "........................................................................");
  EXPECT_EQ(failure_of([&] { rows("t"); }, TENON_DATA_LOSS),
            path("data.db") + ": file is not a database");
}

TEST_F(SqliteTest, ReportsAKeyColumnThatIsGoneWhenItIsOpenedAgain) {
  run("CREATE TABLE t (a, k); INSERT INTO t VALUES (1, 2)");
  SqliteSource source;
  configure(source, {{"path", path("data.db")}, {"table", "t"}, {"key", "k"}});
  source.open({});
  source.teardown();
  run("ALTER TABLE t RENAME COLUMN k TO other");
  EXPECT_EQ(failure_of([&] { source.open({}); }),
            path("data.db") + ": table \"t\" has no column \"k\" for the key");
}

TEST_F(SqliteTest, UpsertsOneRowPerKey) {
  WritingSqlite destination(table("packages"));
  destination.write(
      {record("a", R"({"name":"a","size":1})"), record("b", R"({"name":"b","size":2})")});
  destination.write({record("a", R"({"name":"a","size":3})")});
  RecordV2 removed = record("b", "");
  removed.operation = RecordV2::Operation::Delete;
  removed.payload.after.reset();
  EXPECT_EQ(destination.write({removed}), (Texts{""}));
  EXPECT_EQ(rows("packages"), (Texts{R"({"key":"a","name":"a","size":3})"}));
}

TEST_F(SqliteTest, AddsColumnsForNewFields) {
  WritingSqlite(table("t"))
      .write({record("1", R"({"a":1})"), record("2", R"({"b":[1,{}],"a":true})")});
  WritingSqlite(table("t")).write({record("3", R"({"c":18446744073709551615})")});
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"1","a":1,"b":null,"c":null})",
                              R"({"key":"2","a":1,"b":"[1,{}]","c":null})",
                              R"({"key":"3","a":null,"b":null,"c":"18446744073709551615"})"}));
}

TEST_F(SqliteTest, AddsNoColumnsForARefusedRecord) {
  run("CREATE TABLE t (key TEXT PRIMARY KEY, a)");
  WritingSqlite destination(table("t"));
  std::string many = "{";
  for (int i = 0; i < 3000; ++i) many += "\"f" + std::to_string(i) + "\":1,";
  many.back() = '}';
  const auto told = [](const std::string& columns) {
    return "too-many-fields: the record has 3000 new fields, but table \"t\" has " + columns +
           " columns, and SQLite allows 2000";
  };
  EXPECT_EQ(
      destination.write({record("1", many), record("2", R"({"b":1,"c\u0000":2})")}),
      (Texts{told("2"), "record-refused: " + path("data.db") + ": unrecognized token: \"\"c\""}));
  EXPECT_EQ(destination.write({record("3", R"({"a":1})"), record("4", R"({"b":2,"b":3})")}),
            (Texts{"", ""}));
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"3","a":1,"b":null})", R"({"key":"4","a":null,"b":3})"}));
}

TEST_F(SqliteTest, WritesATableWithGeneratedColumns) {
  run("CREATE TABLE t (key TEXT PRIMARY KEY, a, twice AS (2 * a), same AS (a) STORED, b)");
  WritingSqlite destination(table("t"));
  EXPECT_EQ(destination.write({record("1", R"({"a":1,"b":2})"), record("2", R"({"twice":1})")}),
            (Texts{"", "record-refused: " + path("data.db") + ": duplicate column name: twice"}));
  EXPECT_EQ(rows("t"), Texts{R"({"key":"1","a":1,"twice":2,"same":1,"b":2})"});
}

TEST_F(SqliteTest, WritesDefaultsForMissingFields) {
  run("CREATE TABLE t (key TEXT PRIMARY KEY, a INT NOT NULL DEFAULT 7, b DEFAULT ('x' || 'y'), c)");
  WritingSqlite destination(table("t"));
  EXPECT_EQ(destination.write({record("1", R"({"a":1,"b":null})"), record("2", R"({"b":2})"),
                               record("3", R"({})"), record("4", R"({"c":4,"d":5})")}),
            (Texts{"", "", "", ""}));
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"1","a":1,"b":null,"c":null,"d":null})",
                              R"({"key":"2","a":7,"b":2,"c":null,"d":null})",
                              R"({"key":"3","a":7,"b":"xy","c":null,"d":null})",
                              R"({"key":"4","a":7,"b":"xy","c":4,"d":5})"}));
  // An update replaces the whole row.
  destination.write({record("1", R"({"c":1})")});
  EXPECT_EQ(rows("t")[0], R"({"key":"1","a":7,"b":"xy","c":1,"d":null})");
  TextMap config = table("t");
  config["columns"] = "A,c";
  WritingSqlite(config).write({record("2", R"({"A":8})"), record("2", R"({"c":3})")});
  EXPECT_EQ(rows("t")[1], R"({"key":"2","a":7,"b":2,"c":3,"d":null})");
}

TEST_F(SqliteTest, WritesNumbersWithoutChangingThem) {
  WritingSqlite(table("t"))
      .write({record(
          "1", R"({"a":0.12088995980580641,"b":12345678901234567890123,"c":1e400,"d":[1.50, 1],)"
               R"("e":9223372036854775807,"f":-0.5e-3})")});
  EXPECT_EQ(rows("t"), Texts{R"({"key":"1","a":0.12088995980580641,"b":"12345678901234567890123",)"
                             R"("c":"1e400","d":"[1.50, 1]","e":9223372036854775807,"f":-5e-04})"});
}

TEST_F(SqliteTest, WritesTheLastOfSeveralFieldsWithOneName) {
  WritingSqlite(table("t")).write({record("1", R"({"a":1,"a":2})")});
  WritingSqlite(table("t")).write({record("2", R"({"b":1,"b":2})")});
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"1","a":2,"b":null})", R"({"key":"2","a":null,"b":2})"}));
}

TEST_F(SqliteTest, FailsIfTheTableWasRemoved) {
  WritingSqlite destination(table("t"));
  destination.write({record("1", R"({"a":1})")});
  for (const char* payload : {R"({"a":2})", R"({"b":2})"}) {
    run("DROP TABLE t");
    EXPECT_EQ(
        failure_of([&] { destination.write({record("2", payload)}); }, TENON_FAILED_PRECONDITION),
        path("data.db") + ": no such table: t");
    EXPECT_EQ(destination.write({record("3", payload)}), Texts{""});
  }
}

TEST_F(SqliteTest, WritesOnlyTheConfiguredColumns) {
  TextMap config = table("t");
  config["columns"] = " a, b ,";
  config["key"] = "id";
  WritingSqlite(config).write({record("1", R"({"a":1,"c":2})")});
  EXPECT_EQ(rows("t"), (Texts{R"({"id":"1","a":1,"b":null})"}));
  config["columns"] = "a,id";
  EXPECT_EQ(failure_of([&] { WritingSqlite destination(config); }),
            "parameter \"columns\" has \"id\", which is the column of the key; choose its name "
            "with \"key\"");
}

TEST_F(SqliteTest, RefusesRecordsOneByOne) {
  WritingSqlite destination(table("odd \"name\""));
  const std::string key_is_taken =
      "reserved-field: the payload has a field \"key\", which is the column of the key; choose its "
      "name with \"key\"";
  EXPECT_EQ(destination.write({record("1", "7"), record("2", R"({"key":1})"),
                               record("3", R"({"name":1})"), record("4", R"({"a\u0000b":1})"),
                               record("5", R"({"name":2})")}),
            (Texts{"wrong-json: the payload is not a JSON object", key_is_taken, "",
                   "record-refused: " + path("data.db") + ": unrecognized token: \"\"a\"", ""}));
  EXPECT_EQ(rows("odd \"name\""), (Texts{R"({"key":"3","name":1})", R"({"key":"5","name":2})"}));
}

TEST_F(SqliteTest, HoldsRecordsAfterARefusalUntilItIsSettled) {
  const std::string refusal = "wrong-json: the payload is not a JSON object";
  const Texts one = {R"({"key":"1","a":1})"};
  const Texts all = {one[0], R"({"key":"3","a":3})", R"({"key":"5","a":5})",
                     R"({"key":"6","a":6})"};
  WritingSqlite destination(table("t"));
  Call call;
  destination.accept(call, {record("1", R"({"a":1})"), record("2", ""), record("3", R"({"a":3})")});
  destination.accept(call, {record("4", ""), record("5", R"({"a":5})")});
  EXPECT_EQ(rows("t"), one);
  Texts outcome;
  EXPECT_EQ(destination.next_acks(call, outcome), (Texts{"at 1", "at 2"}));
  destination.accept(call, {record("6", R"({"a":6})")});
  EXPECT_EQ(rows("t"), one);
  destination->stop({});
  EXPECT_EQ(destination.next_acks(call, outcome), (Texts{"at 3", "at 4"}));
  EXPECT_EQ(rows("t"), (Texts{all[0], all[1]}));
  // After the second refusal, fewer records are written at once.
  EXPECT_EQ(destination.next_acks(call, outcome), (Texts{"at 5"}));
  EXPECT_EQ(destination.next_acks(call, outcome), (Texts{"at 6"}));
  EXPECT_EQ(rows("t"), all);
  EXPECT_EQ(outcome, (Texts{"", refusal, "", refusal, "", ""}));
  EXPECT_EQ(failure_of([&] { destination.next_acks(call, outcome); }, TENON_OUT_OF_RANGE),
            "every record is acknowledged");
}

TEST_F(SqliteTest, WritesImmediatelyAfterARefusalIsSettled) {
  WritingSqlite destination(table("t"));
  destination.write({record("1", "")});
  Call late;
  late.set_timeout(std::chrono::milliseconds(1));
  Texts outcome;
  EXPECT_EQ(status_in(late, [&] { destination.next_acks(late, outcome); }),
            TENON_DEADLINE_EXCEEDED);
  Call call;
  destination.accept(call, {record("2", R"({"a":2})")});
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"2","a":2})"}));
}

TEST_F(SqliteTest, WritesHeldRecordsAfterACancelledCall) {
  WritingSqlite destination(table("t"));
  Call call;
  const Records records = {record("1", ""), record("2", R"({"a":2})")};
  destination.accept(call, records);
  Texts outcome;
  destination.next_acks(call, outcome);
  {
    Database other(path("data.db"), Database::Mode::write);
    Transaction lock(other);
    Call late;
    EXPECT_EQ(status_if_cancelled(late, [&] { destination.next_acks(late, outcome); }),
              TENON_UNAVAILABLE | TENON_RETRYABLE);
  }
  Call early;
  early.cancel();
  EXPECT_EQ(status_in(early, [&] { destination.next_acks(early, outcome); }), TENON_CANCELLED);
  EXPECT_FALSE(Database(path("data.db"), Database::Mode::write).has_table("t"));
  EXPECT_EQ(destination.next_acks(call, outcome), (Texts{"at 2"}));
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"2","a":2})"}));
}

TEST_F(SqliteTest, DiscardsHeldRecordsAtTheEnd) {
  WritingSqlite destination(table("t"));
  Call call;
  Texts outcome;
  destination.accept(call, {record("1", ""), record("2", R"({"a":2})")});
  destination.next_acks(call, outcome);
  destination->teardown();
  destination->open();
  EXPECT_EQ(destination.write({record("3", R"({"a":3})")}), (Texts{""}));
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"3","a":3})"}));
}

TEST_F(SqliteTest, RefusesManyRecords) {
  WritingSqlite destination(table("t"));
  Records records(3000, record("1", ""));
  records.push_back(record("1", R"({"a":1})"));
  Texts expected(3000, "wrong-json: the payload is not a JSON object");
  expected.emplace_back();
  EXPECT_EQ(destination.write(records), expected);
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"1","a":1})"}));
}

TEST_F(SqliteTest, WritesEveryRecordOnceWhileRefusalsAreSettled) {
  constexpr std::size_t batches = 50;
  WritingSqlite destination(table("t"));
  std::thread writing([&] {
    Call call;
    for (std::size_t i = 0; i < batches; ++i) {
      const std::string number = std::to_string(i);
      destination.accept(call, {record(number, R"({"a":)" + number + "}"), record("x", "")});
    }
  });
  Call call;
  Texts outcome;
  Texts positions;
  while (positions.size() < 2 * batches) {
    for (std::string& position : destination.next_acks(call, outcome)) {
      positions.push_back(std::move(position));
    }
  }
  writing.join();
  for (std::size_t i = 0; i < batches; ++i) {
    EXPECT_EQ(positions[2 * i], "at " + std::to_string(i));
    EXPECT_EQ(outcome[2 * i], "");
    EXPECT_NE(outcome[2 * i + 1], "");
  }
  EXPECT_EQ(rows("t").size(), std::size_t{batches});
}

TEST_F(SqliteTest, SeparatesFieldsThatDifferOnlyByCase) {
  WritingSqlite(table("t"))
      .write({record("1", R"j({"Name":1,"name":2,"name (2)":3})j"),
              record("2", R"({"NAME":4,"Key":5})")});
  const Texts first = {
      R"j({"key":"1","Name":1,"name (2)":2,"name (2) (2)":3,"NAME (3)":null,"Key (2)":null})j",
      R"j({"key":"2","Name":null,"name (2)":null,"name (2) (2)":null,"NAME (3)":4,"Key (2)":5})j"};
  EXPECT_EQ(rows("t"), first);
  WritingSqlite(table("t")).write({record("1", R"({"name":6,"NAME":7,"Key":8})")});
  const std::string again =
      R"j({"key":"1","Name":null,"name (2)":6,"name (2) (2)":null,"NAME (3)":7,"Key (2)":8})j";
  EXPECT_EQ(rows("t"), (Texts{again, first[1]}));
  TextMap config = table("u");
  config["columns"] = "a,A,b (2)";
  WritingSqlite(config).write({record("1", R"j({"A":1,"a":2,"b (2)":3,"b":4})j")});
  EXPECT_EQ(rows("u"), (Texts{R"j({"key":"1","a":2,"A (2)":1,"b (2)":3})j"}));
}

TEST_F(SqliteTest, FindsTablesAndKeysIgnoringCase) {
  run("CREATE TABLE People (KEY TEXT PRIMARY KEY, name)");
  TextMap config = table("people");
  WritingSqlite(config).write({record("1", R"({"name":"a"})")});
  config["key"] = "key";
  const Records records = read_all<SqliteSource>(config);
  EXPECT_EQ(payloads(records), (Texts{R"({"KEY":"1","name":"a"})"}));
  EXPECT_EQ(text(*records[0].key), "1");
}

/// Returns a record of a collection.
RecordV2 record_of(const std::string& collection, const std::string& key,
                   const std::string& payload) {
  RecordV2 made = record(key, payload);
  if (!collection.empty()) made.metadata["opencdc.collection"] = collection;
  return made;
}

TEST_F(SqliteTest, WritesEachRecordToTheTableOfItsTemplate) {
  WritingSqlite destination(table("{metadata.opencdc.collection}_{/of}"));
  destination.write({record_of("a", "1", R"({"of":"x","n":1})"),
                     record_of("b", "1", R"({"of":"x","m":2})"),
                     record_of("A", "2", R"({"of":"X","k":3})")});
  RecordV2 removed = record_of("b", "1", R"({"of":"x"})");
  removed.operation = RecordV2::Operation::Delete;
  RecordV2 nowhere = removed;
  nowhere.metadata["opencdc.collection"] = "c";
  destination.write({removed, nowhere});
  EXPECT_EQ(rows("a_x"), (Texts{R"({"key":"1","of":"x","n":1,"k":null})",
                                R"({"key":"2","of":"X","n":null,"k":3})"}))
      << "SQLite ignores the case of names";
  EXPECT_EQ(rows("b_x"), Texts{});
  EXPECT_EQ(failure_of([&] { rows("c_x"); }, TENON_NOT_FOUND),
            path("data.db") + ": no table \"c_x\"");
}

TEST_F(SqliteTest, CreatesTablesOfATemplateWithTheGivenColumns) {
  TextMap config = table("{metadata.opencdc.collection}");
  config["columns"] = "a, b";
  WritingSqlite destination(config);
  destination.write({record_of("t", "1", R"({"a":1,"c":2})")});
  EXPECT_EQ(rows("t"), Texts{R"({"key":"1","a":1,"b":null})"});
}

/// A table that another record of the transaction created is gone after the rollback.
TEST_F(SqliteTest, RefusesRecordsWithoutATable) {
  WritingSqlite destination(table("{metadata.opencdc.collection}"));
  const auto refused = [&](const RecordV2& made) { return destination.write({made}).at(0); };
  EXPECT_EQ(refused(record_of("", "1", R"({"a":1})")),
            "no-table: the parameter \"table\" is empty for this record");
  EXPECT_EQ(
      refused(record_of("sqlite_own", "1", R"({"a":1})")),
      "record-refused: " + path("data.db") + ": object name reserved for internal use: sqlite_own");
  EXPECT_EQ(refused(record_of("t", "1", R"({"a":1})")), "");
  EXPECT_EQ(rows("t"), Texts{R"({"key":"1","a":1})"});
}

TEST_F(SqliteTest, ReadsTheTemplateOfATable) {
  EXPECT_EQ(failure_of([&] { WritingSqlite destination(table("{collection}")); }),
            "parameter \"table\" has the part \"{collection}\", expected a path such as "
            "{/user/name}, or {payload}, {operation}, {key} or {metadata.NAME}");
  WritingSqlite(table("a{{b")).write({record("1", R"({"a":1})")});
  EXPECT_EQ(rows("a{b"), Texts{R"({"key":"1","a":1})"});
}

TEST_F(SqliteTest, RefusesInvalidConfigs) {
  SqliteDestination destination;
  SqliteSource source;
  const auto refusal = [&](auto& plugin, const std::string& key, const std::string& value) {
    TextMap config = table("t");
    config[key] = value;
    return failure_of([&] { configure(plugin, config); });
  };
  EXPECT_EQ(refusal(destination, "table", "sqlite_own"),
            "parameter \"table\" is \"sqlite_own\": SQLite: object name reserved for internal use: "
            "sqlite_own");
  EXPECT_EQ(refusal(destination, "table", " "), "parameter \"table\" is required");
  EXPECT_EQ(refusal(destination, "key", std::string("a\0b", 3)),
            "parameters \"key\" and \"columns\": SQLite: unrecognized token: \"\"a\"");
  const std::string directory = std::filesystem::path(path("data.db")).parent_path();
  const std::string nul("a\0b", 3);
  for (const std::string& value : {std::string(), directory, nul}) {
    const std::string expected = refusal(source, "path", value);
    EXPECT_EQ(expected.rfind("parameter \"path\" ", 0), 0u) << expected;
    EXPECT_EQ(refusal(destination, "path", value), expected);
  }
  EXPECT_FALSE(std::filesystem::exists(path("data.db")));
}

TEST_F(SqliteTest, TreatsEveryPathAsAFile) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(std::filesystem::path(path("data.db")).parent_path());
  for (const char* name : {":memory:", "file:own.db?mode=memory"}) {
    WritingSqlite({{"path", name}, {"table", "t"}}).write({record("1", R"({"a":1})")});
    EXPECT_EQ(payloads(read_all<SqliteSource>({{"path", path(name)}, {"table", "t"}})),
              (Texts{R"({"key":"1","a":1})"}));
  }
  std::filesystem::current_path(before);
}

TEST_F(SqliteTest, RefusesATableNameThatIsTaken) {
  run("CREATE TABLE t (key PRIMARY KEY); CREATE VIEW v AS SELECT * FROM t;"
      "CREATE INDEX i ON t (key)");
  EXPECT_EQ(failure_of([&] { WritingSqlite destination(table("V")); }, TENON_FAILED_PRECONDITION),
            path("data.db") + ": \"V\" is not a table but of type view");
  EXPECT_EQ(failure_of([&] { rows("i"); }, TENON_FAILED_PRECONDITION),
            path("data.db") + ": \"i\" is not a table but of type index");
}

TEST_F(SqliteTest, IdentifiesRecordsWithoutAKeyByPosition) {
  RecordV2 nameless = record("1", R"({"a":1})");
  nameless.key.reset();
  WritingSqlite destination(table("t"));
  destination.write({nameless});
  destination.write({nameless});
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"at 1","a":1})"}));
}

TEST_F(SqliteTest, IgnoresDeletesFromAMissingTable) {
  RecordV2 removed = record("1", "");
  removed.operation = RecordV2::Operation::Delete;
  removed.payload.after.reset();
  WritingSqlite destination(table("t"));
  EXPECT_EQ(destination.write({removed, record("2", R"({"a":2})")}), (Texts{"", ""}));
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"2","a":2})"}));
}

TEST_F(SqliteTest, RollsBackABatchThatFails) {
  WritingSqlite destination(table("t"));
  destination.write({record("1", R"({"a":1})")});
  {
    Database other(path("data.db"), Database::Mode::write);
    Transaction lock(other);
    EXPECT_EQ(failure_of([&] { destination.write({record("2", R"({"b":2})")}); },
                         TENON_UNAVAILABLE | TENON_RETRYABLE),
              path("data.db") + ": database is locked");
  }
  destination.write({record("3", R"({"c":3})")});
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"1","a":1,"c":null})", R"({"key":"3","a":null,"c":3})"}));
}

TEST_F(SqliteTest, WaitsForALockUntilItIsReleased) {
  WritingSqlite destination(table("t"));
  destination.write({record("1", R"({"a":1})")});
  Database other(path("data.db"), Database::Mode::write);
  std::optional<Transaction> lock(std::in_place, other);
  const auto before = open_files();
  std::thread releasing([&] {
    // A call has no event handle before it waits.
    EXPECT_TRUE(tests::eventually([&] { return open_files() > before; }));
    lock.reset();
  });
  Call call;
  call.set_timeout(std::chrono::minutes(5));
  EXPECT_EQ(status_in(call, [&] { destination.write({record("2", R"({"a":2})")}); }), TENON_OK);
  releasing.join();
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"1","a":1})", R"({"key":"2","a":2})"}));
}

TEST_F(SqliteTest, StopsWaitingForALockIfCancelled) {
  run("CREATE TABLE t (key PRIMARY KEY)");
  WritingSqlite destination(table("t"));
  SqliteSource source;
  configure(source, table("t"));
  source.open({});
  Database other(path("data.db"), Database::Mode::write);
  other.run("BEGIN EXCLUSIVE");
  Call writing;
  EXPECT_EQ(status_if_cancelled(writing, [&] { destination.write({record("2", "{}")}); }),
            TENON_UNAVAILABLE | TENON_RETRYABLE);
  Call reading;
  EXPECT_EQ(status_if_cancelled(reading, [&] { read_batch(source, 1); }),
            TENON_UNAVAILABLE | TENON_RETRYABLE);
  EXPECT_EQ(status_in(reading, [&] { read_batch(source, 1); }), TENON_CANCELLED);
}

TEST_F(SqliteTest, ClosesItsFiles) {
  const auto before = open_files();
  WritingSqlite destination(table("t"));
  destination.write({record("1", R"({"a":1})")});
  destination->teardown();
  EXPECT_EQ(open_files(), before);
  SqliteSource source;
  configure(source, table("t"));
  source.open({});
  read_batch(source, 1);
  source.teardown();
  EXPECT_EQ(open_files(), before);
}

TEST_F(SqliteTest, ReportsTheStatusOfEachCause) {
  Database database(path("data.db"), Database::Mode::write);
  database.run("CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1)");
  const auto failure = [](Database& where, const std::string& sql, tenon_status status) {
    return failure_of([&] { where.run(sql); }, status);
  };
  const std::string in = path("data.db") + ": ";
  EXPECT_EQ(failure(database, "INSERT INTO t VALUES (1, 2)", TENON_INVALID_ARGUMENT),
            in + "UNIQUE constraint failed: t.id");
  EXPECT_EQ(failure(database, "INSERT INTO t VALUES ('x', 2)", TENON_INVALID_ARGUMENT),
            in + "datatype mismatch");
  EXPECT_EQ(failure(database, "SELECT zeroblob(2000000000)", TENON_INVALID_ARGUMENT),
            in + "string or blob too big");
  EXPECT_EQ(failure(database, "no SQL", TENON_FAILED_PRECONDITION),
            in + "near \"no\": syntax error");
  database.run("PRAGMA max_page_count = 2");
  EXPECT_EQ(
      failure(database, "INSERT INTO t VALUES (2, zeroblob(100000))", TENON_RESOURCE_EXHAUSTED),
      in + "database or disk is full");
  Database reading(path("data.db"), Database::Mode::read);
  EXPECT_EQ(failure(reading, "DELETE FROM t", TENON_PERMISSION_DENIED),
            in + "attempt to write a readonly database");
}

TEST_F(SqliteTest, RefusesTablesThatCannotStoreKeyAndPayload) {
  run("CREATE TABLE t (a, b)");
  EXPECT_EQ(failure_of([&] { WritingSqlite destination(table("t")); }, TENON_FAILED_PRECONDITION),
            path("data.db") + ": table \"t\" has no column \"key\" for the key");
  TextMap config = table("t");
  config["key"] = "c";
  EXPECT_EQ(failure_of([&] { read_all<SqliteSource>(config); }),
            path("data.db") + ": table \"t\" has no column \"c\" for the key");
  RecordV2 removed = record("1", "");
  removed.payload.after.reset();
  EXPECT_EQ(WritingSqlite(table("u")).write({removed}),
            (Texts{"no-payload: the record has no payload"}));
}

TEST_F(SqliteTest, LosesAndDuplicatesNothingIfKilled) {
  expect_nothing_is_lost<SqliteSource, SqliteDestination>(table("t"));
  const Records all = read_all<SqliteSource>(table("t"));
  std::set<std::string> keys;
  for (const RecordV2& record : all) {
    keys.insert(boost::json::serialize(boost::json::parse(payload(record)).at("key")));
  }
  EXPECT_EQ(keys.size(), all.size());
}

}}  // namespace tenon::builtin
