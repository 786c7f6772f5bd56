// SPDX-License-Identifier: BSL-1.0
//
// The source with a real server.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "reading.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

class PostgresSource : public Reading {};

TEST_F(PostgresSource, ReadsTheRowsOfATable) {
  rows(
      "CREATE TABLE people (id int PRIMARY KEY, name text, n numeric, a int[]); INSERT INTO people "
      "VALUES (2, NULL, 123456789012345678901234567890.10, NULL), (1, E'\"ü\\n', NULL, '{1,2}')");
  ASSERT_EQ(open({}), "");
  EXPECT_EQ(
      read_all(),
      (Texts{
          R"(snapshot {"id":1} - {"id":1,"name":"\"ü\n","n":null,"a":[1,2]})",
          R"(snapshot {"id":2} - {"id":2,"name":null,"n":123456789012345678901234567890.10,"a":null})"}));
  EXPECT_EQ(positions_, (Texts{R"({"table":"public.people","snapshot":{"id":1}})",
                               R"({"table":"public.people","snapshot":{"id":2}})"}));
  EXPECT_EQ(collections_, std::set<std::string>{"people"});
}

TEST_F(PostgresSource, EndsImmediatelyForAnEmptyTable) {
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  ASSERT_EQ(open({}), "");
  EXPECT_EQ(read(), Texts{end});
}

TEST_F(PostgresSource, ResumesAfterAnyRow) {
  rows(
      "CREATE TABLE people (a text, b float8, c timestamptz, PRIMARY KEY (a, b, c)); "
      "INSERT INTO people SELECT 'k' || i % 7, i / 3.0, now() + i * interval '1 us' FROM "
      "generate_series(1, 3000) AS i");
  ASSERT_EQ(open({}), "");
  const Texts all = read_all();
  ASSERT_EQ(all.size(), 3000u);
  const Texts positions = positions_;
  for (const std::size_t read_before : {1, 999, 1000, 1001, 2999, 3000}) {
    ASSERT_EQ(open({}, positions[read_before - 1]), "");
    EXPECT_EQ(read_all(), Texts(all.begin() + static_cast<std::ptrdiff_t>(read_before), all.end()));
  }
}

TEST_F(PostgresSource, ResumesInTablesWithDomainsThatRefuseNull) {
  rows(
      "CREATE DOMAIN code AS varchar(10) COLLATE \"C\" NOT NULL; CREATE DOMAIN short AS code; "
      "CREATE TABLE people (id short PRIMARY KEY, a code); "
      "INSERT INTO people SELECT 'k' || i, 'x' FROM generate_series(1, 1500) AS i");
  ASSERT_EQ(open({}), "");
  const Texts all = read_all();
  ASSERT_EQ(all.size(), 1500u);
  ASSERT_EQ(open({}, positions_[1300]), "");
  EXPECT_EQ(read_all(), Texts(all.begin() + 1301, all.end()));
  EXPECT_TRUE(has(open({}, R"({"table":"public.people","snapshot":{"id":null}})"),
                  "invalid-argument: the position "));
}

TEST_F(PostgresSource, UsesTheConfiguredKeyColumns) {
  rows(
      "CREATE TABLE people (a int, \"B \"\"b\" text); INSERT INTO people VALUES (1, 'y'), (2, "
      "'x'), "
      "(3, NULL)");
  EXPECT_NE(open({}).find("table public.people has no primary key; fix: set \"key\""),
            std::string::npos);
  ASSERT_EQ(open({{"key", "B \"b"}}), "");
  EXPECT_EQ(read_all(), (Texts{R"(snapshot {"B \"b":"x"} - {"a":2,"B \"b":"x"})",
                               R"(snapshot {"B \"b":"y"} - {"a":1,"B \"b":"y"})"}));
}

TEST_F(PostgresSource, PollsForNewRows) {
  rows("CREATE TABLE people (id int PRIMARY KEY, a text); INSERT INTO people VALUES (1, 'x')");
  const TextMap config{{"mode", "poll"}, {"interval", "5ms"}};
  ASSERT_EQ(open(config), "");
  EXPECT_EQ(read(), Texts{R"(snapshot {"id":1} - {"id":1,"a":"x"})"});
  std::thread writer([&] { rows("INSERT INTO people VALUES (2, 'y')"); });
  EXPECT_TRUE(has(read().front(), R"({"id":2} - {"id":2,"a":"y"})"));
  writer.join();
  rows("INSERT INTO people VALUES (3, 'z')");
  ASSERT_EQ(open(config, R"({"table":"public.people","poll":{"id":2}})"), "");
  EXPECT_EQ(read(), Texts{R"(create {"id":3} - {"id":3,"a":"z"})"});
}

TEST_F(PostgresSource, RefusesThePositionOfAnotherTable) {
  rows(
      "CREATE TABLE people (id int PRIMARY KEY); CREATE TABLE \"other \"\"people\" (id int PRIMARY "
      "KEY); INSERT INTO people VALUES (1), (2); INSERT INTO \"other \"\"people\" VALUES (1), (3)");
  ASSERT_EQ(open({}), "");
  read_all();
  EXPECT_TRUE(has(open({{"table", "\"other \"\"people\""}}, positions_.back()),
                  "out-of-range: the position is of table public.people, but table "
                  "public.\"other \"\"people\" is configured; fix: "));
  ASSERT_EQ(open({{"table", "\"other \"\"people\""}}), "");
  EXPECT_EQ(read_all().size(), 2u);
  ASSERT_EQ(open({{"table", "\"other \"\"people\""}}, positions_[2]), "");
  EXPECT_EQ(read_all().size(), 1u);
}

TEST_F(PostgresSource, PollsForChangesByAColumn) {
  rows(
      "CREATE TABLE people (id int PRIMARY KEY, changed int); "
      "INSERT INTO people VALUES (1, 10), (2, 10), (3, NULL)");
  const TextMap config{{"mode", "poll"}, {"interval", "5ms"}, {"column", "changed"}};
  ASSERT_EQ(open(config), "");
  EXPECT_EQ(read_all(2), (Texts{R"(snapshot {"id":1} - {"id":1,"changed":10})",
                                R"(snapshot {"id":2} - {"id":2,"changed":10})"}));
  rows("UPDATE people SET changed = 11 WHERE id <> 2");
  ASSERT_EQ(open(config, R"({"table":"public.people","poll":{"changed":10,"id":2}})"), "");
  EXPECT_EQ(read_all(2), (Texts{R"(update {"id":1} - {"id":1,"changed":11})",
                                R"(update {"id":3} - {"id":3,"changed":11})"}));
}

TEST_F(PostgresSource, KeepsAllDigitsOfNumbers) {
  rows("ALTER DATABASE postgres SET extra_float_digits = 0");
  rows(
      "CREATE TABLE people (id float8 PRIMARY KEY); INSERT INTO people VALUES (0.1::float8 + 0.2)");
  const TextMap config{{"mode", "poll"}, {"interval", "5ms"}};
  EXPECT_EQ(open(config), "");
  EXPECT_EQ(read(1), Texts{R"(snapshot {"id":0.30000000000000004} - {"id":0.30000000000000004})"});
  rows("INSERT INTO people VALUES (1)");
  EXPECT_EQ(read(1), Texts{R"(create {"id":1} - {"id":1})"});
  rows("ALTER DATABASE postgres RESET extra_float_digits");
}

TEST_F(PostgresSource, EndsWaitsIfCancelled) {
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  ASSERT_EQ(open({{"mode", "poll"}, {"interval", "1h"}}), "");
  Call call;
  std::thread canceller([&] { call.cancel(); });
  EXPECT_EQ((*source_)->read_batch(call, 10, std::nullopt).error().code(), "cancelled");
  canceller.join();
}

TEST_F(PostgresSource, ReadsLongRowsAndManyColumns) {
  std::string columns;
  for (int i = 0; i < 1000; ++i) columns += ", c" + std::to_string(i) + " int DEFAULT 1";
  rows("CREATE TABLE people (id int PRIMARY KEY, a text" + columns +
       ");"
       "INSERT INTO people SELECT i, repeat('x', 10485760) FROM generate_series(1, 3) AS i");
  ASSERT_EQ(open({}), "");
  std::size_t bytes = 0;
  for (const std::string& row : read_all()) bytes += row.size();
  EXPECT_GT(bytes, 3u * 10'485'760u);
}

TEST_F(PostgresSource, ContinuesAfterAServerRestart) {
  rows(
      "CREATE TABLE people (id int PRIMARY KEY); INSERT INTO people SELECT generate_series(1, "
      "20000)");
  ASSERT_EQ(open({}), "");
  EXPECT_EQ(read(5).size(), 5u);
  server_->kill();
  std::string last;
  while (last.find("read_batch: ") == std::string::npos) last = read(100).front();
  EXPECT_TRUE(has(last, "unavailable: "));
  server_->start();
  const std::size_t before = positions_.size();
  EXPECT_EQ(before + read_all().size(), 20000u);
}

TEST_F(PostgresSource, ReportsWrongSettingsInOpen) {
  EXPECT_TRUE(has(open({}), "not-found: table public.people does not exist; fix: create it"));
  EXPECT_TRUE(has(open({{"mode", "fast"}}), "parameter \"mode\" is \"fast\", expected snapshot"));
  EXPECT_TRUE(has(open({{"column", "a"}}), "\"column\" is set, which only the mode \"poll\" uses"));
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  for (const std::string position : {"", "x", "{\"table\":\"public.people\",\"snapshot\":}",
                                     R"({"table":"public.people","snapshot":{"id":"x"}})",
                                     R"({"table":"public.people","snapshot":{"other":1}})",
                                     R"({"table":"public.people","snapshot":[]})"}) {
    EXPECT_TRUE(has(open({}, position), "invalid-argument: the position ")) << position;
  }
}

TEST_F(PostgresSource, DescribesItsParameters) {
  auto specifier = host_->create<Specifier>(postgres).value();
  const Specification all = specifier->specify().value();
  EXPECT_EQ(all.name, postgres);
  EXPECT_TRUE(all.source_parameters.at("url").sensitive);
  EXPECT_TRUE(all.destination_parameters.at("url").sensitive);
  EXPECT_EQ(all.source_parameters.at("mode").default_value, "snapshot");
  EXPECT_EQ(all.source_parameters.size(), 11u);
  EXPECT_EQ(all.destination_parameters.size(), 4u);
}

TEST_F(PostgresSource, ReportsWrongColumns) {
  rows("CREATE TABLE people (id int PRIMARY KEY)");
  EXPECT_TRUE(has(open({{"key", "other"}}), "not-found: "));
  EXPECT_TRUE(has(open({{"mode", "poll"}, {"column", "other"}}), "not-found: "));
  EXPECT_TRUE(has(open({{"url", server_->url("stranger")}}), "permission-denied: "));
}

// -- Several tables -----------------------------------------------------------

class PostgresTableList : public Reading {
 protected:
  static TextMap list(const std::string& tables, TextMap config = {}) {
    config.insert({{"table", ""}, {"tables", tables}});
    return config;
  }
};

TEST_F(PostgresTableList, IsReadInItsOrder) {
  rows(
      "CREATE TABLE people (id int PRIMARY KEY); INSERT INTO people VALUES (1), (2); CREATE TABLE "
      "\"My, Orders\" (n int PRIMARY KEY); INSERT INTO \"My, Orders\" VALUES (7); CREATE TABLE "
      "empty (id int PRIMARY KEY)");
  ASSERT_EQ(open(list("people, empty ,\"My, Orders\"")), "");
  EXPECT_EQ(read_all(), (Texts{R"(snapshot {"id":1} - {"id":1})", R"(snapshot {"id":2} - {"id":2})",
                               R"(snapshot {"n":7} - {"n":7})"}));
  EXPECT_EQ(
      positions_[2],
      R"([{"table":"public.\"My, Orders\"","snapshot":{"n":7}},{"table":"public.people","snapshot":{"id":2}}])");
  EXPECT_EQ(collections_, (std::set<std::string>{"people", "My, Orders"}));
}

TEST_F(PostgresTableList, ResumesAfterAnyRow) {
  rows(
      "CREATE TABLE a (k text PRIMARY KEY); INSERT INTO a SELECT E'\"}{\\\\' || i FROM "
      "generate_series(1, 1500) AS i; CREATE TABLE b (id int PRIMARY KEY); INSERT INTO b SELECT "
      "generate_series(1, 1000)");
  ASSERT_EQ(open(list("a,b")), "");
  const Texts all = read_all();
  ASSERT_EQ(all.size(), 2500u);
  const Texts positions = positions_;
  for (const std::size_t done : {1, 1000, 1499, 1500, 1501, 2499, 2500}) {
    ASSERT_EQ(open(list("a,b"), positions[done - 1]), "") << positions[done - 1];
    EXPECT_EQ(read_all(), Texts(all.begin() + static_cast<std::ptrdiff_t>(done), all.end()));
  }
}

TEST_F(PostgresTableList, MayGetMoreTables) {
  rows(
      "CREATE TABLE people (id int PRIMARY KEY); INSERT INTO people VALUES (1); "
      "CREATE TABLE orders (n int PRIMARY KEY); INSERT INTO orders VALUES (7)");
  ASSERT_EQ(open({}), "");
  ASSERT_EQ(read_all().size(), 1u);
  ASSERT_EQ(open(list("orders,people"), positions_.back()), "");
  EXPECT_EQ(read_all(), Texts{R"(snapshot {"n":7} - {"n":7})"});
  const std::string removed = open(list("orders"), positions_.back());
  EXPECT_TRUE(has(removed, "out-of-range: ")) << removed;
  EXPECT_TRUE(has(removed, "table public.people")) << removed;
}

TEST_F(PostgresTableList, IsPolled) {
  rows("CREATE TABLE people (id int PRIMARY KEY); CREATE TABLE orders (n int PRIMARY KEY)");
  const TextMap config = list("people,orders", {{"mode", "poll"}, {"interval", "5ms"}});
  rows("INSERT INTO people VALUES (1); INSERT INTO orders VALUES (1)");
  ASSERT_EQ(open(config), "");
  ASSERT_EQ(read_all(2).size(), 2u);
  std::thread writer([&] {
    std::this_thread::sleep_for(50ms);  // so that the first pass ends
    rows("INSERT INTO orders VALUES (2)");
  });
  EXPECT_EQ(read_all(1), Texts{R"(create {"n":2} - {"n":2})"});
  writer.join();
  rows("INSERT INTO people VALUES (2); INSERT INTO orders VALUES (3)");
  ASSERT_EQ(open(config, positions_.back()), "");
  EXPECT_EQ(read_all(2), (Texts{R"(create {"id":2} - {"id":2})", R"(create {"n":3} - {"n":3})"}));
}

TEST_F(PostgresTableList, MustBeUnambiguous) {
  rows(
      "CREATE TABLE people (id int PRIMARY KEY); CREATE SCHEMA s; CREATE TABLE s.people (id int "
      "PRIMARY KEY)");
  EXPECT_TRUE(has(open({{"tables", "people"}}), "\"table\" and \"tables\" are both set"));
  EXPECT_TRUE(has(open(list(" , ")), "invalid-argument: "));
  EXPECT_TRUE(has(open({{"table", ""}}), "\"table\" or \"tables\" is required"));
  EXPECT_TRUE(has(open(list("people,public.people")), "has two tables people: public.people and "));
  EXPECT_TRUE(has(open(list("people,s.people")),
                  "has two tables people: public.people and s.people; the metadata"));
  EXPECT_TRUE(has(open(list("people,missing")),
                  "table public.missing does not exist; fix: create it or name another one in "
                  "\"tables\""));
  rows("DROP SCHEMA s CASCADE");
}

TEST_F(PostgresTableList, RefusesForeignPositions) {
  rows("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY)");
  for (const char* position : {"[", "[]", R"([{"table":"public.a","snapshot":{"id":1}})",
                               R"([{"table":"public.a","snapshot":{"id":1}},])",
                               R"([{"table":"public.a","snapshot":{"id":1}}x])",
                               R"([{"table":"public.a","snapshot":{"id":"x"}}])",
                               R"([{"slot":"s","table":"public.a","snapshot":{"id":1}}])"}) {
    EXPECT_TRUE(has(open(list("a,b"), position), "invalid-argument: the position ")) << position;
  }
}

}}  // namespace tenon::tests
