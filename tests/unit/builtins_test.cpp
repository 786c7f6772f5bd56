// SPDX-License-Identifier: BSL-1.0
//
// The builtin sources and destinations with real files and databases: what they read and write,
// where they go on, and what a kill in the middle leaves.
#include "builtin/file_destination.hpp"
#include "builtin/file_source.hpp"
#include "builtin/generator.hpp"
#include "builtin/log_destination.hpp"
#include "builtin/records.hpp"
#include "builtin/specifiers.hpp"
#include "builtin/sqlite_destination.hpp"
#include "builtin/sqlite_source.hpp"
#include "framework/world.hpp"

#include <tenon/builtins.hpp>
#include <tenon/call.hpp>

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tenon::builtin {
namespace {

using Records = std::vector<RecordV2>;
using Texts = std::vector<std::string>;

class Builtins : public testing::Test {
 protected:
  std::string path(std::string_view name) const { return world_.path(name).string(); }
  void write(std::string_view name, std::string_view content) const { world_.write(name, content); }
  std::string content(std::string_view name) const { return world_.read(name); }

 private:
  tests::World world_;
};

template <class P>
void configure(P& plugin, const TextMap& config) {
  Call call;
  const tenon_map raw = Value<TextMap>::raw<Copy::deep>(call.raw(), config);
  plugin.configure(sdk::Config(MapView<std::string>(raw)));
}

std::string text(const Bytes& bytes) {
  return std::string(BytesView(bytes).text());
}
std::string payload(const RecordV2& record) {
  return text(*record.payload.after);
}

/// Everything behind a position, in batches of two.
template <class Source>
Records read_all(const TextMap& config, const std::optional<Bytes>& position = {}) {
  Source source;
  configure(source, config);
  source.open(position ? std::optional<BytesView>(*position) : std::nullopt);
  Records all;
  try {
    for (;;) {
      for (RecordV2& record : source.read_batch(2)) all.push_back(std::move(record));
    }
  } catch (const sdk::Failure& failure) {
    if (failure.status() != TENON_OUT_OF_RANGE) throw;
  }
  source.teardown();
  return all;
}

Texts payloads(const Records& records) {
  Texts all;
  for (const RecordV2& record : records) all.push_back(payload(record));
  return all;
}

/// The message of the failure that `body` ends with, which has this status.
template <class Body>
std::string failure_of(Body&& body, tenon_status status = TENON_INVALID_ARGUMENT) {
  try {
    body();
  } catch (const sdk::Failure& failure) {
    EXPECT_EQ(failure.status(), status) << failure.message();
    return failure.message();
  }
  return "no failure";
}

/// The status of a method that runs in this call.
template <class Body>
tenon_status status_in(Call& call, Body&& body) {
  return sdk::detail::guarded({call.raw(), nullptr}, [&] {
    body();
    return TENON_OK;
  });
}

std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

/// Reading again from the position of each record gives exactly those behind it.
template <class Source>
void expect_resumes(const TextMap& config) {
  const Records all = read_all<Source>(config);
  for (std::size_t i = 0; i < all.size(); i++) {
    const Records rest = read_all<Source>(config, all[i].position);
    EXPECT_EQ(rest, Records(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end())) << i;
  }
}

RecordV2 record(const std::string& key, const std::string& payload) {
  return json_record("at " + key, key, payload);
}

/// A destination that is open.
template <class D>
class Writing {
 public:
  explicit Writing(const TextMap& config) {
    configure(destination_, config);
    destination_.open();
  }

  /// What became of each record: "" or why it was refused.
  Texts write(const Records& records) {
    Call call;
    const tenon_list raw = Value<Records>::raw<Copy::deep>(call.raw(), records);
    destination_.write_batch(ListView<RecordV2>(raw));
    tenon_destination_v2_next_acks_request in{sizeof in};
    const tenon_destination_v2_next_acks_response* out = nullptr;
    EXPECT_EQ(destination_.raw_next_acks(call.raw(), &in, &out), TENON_OK);
    Texts outcome;
    EXPECT_EQ(out->acks.count, records.size());
    for (std::size_t i = 0; i < out->acks.count; i++) {
      const auto& ack = TENON_AT(tenon_destination_v2_ack, out->acks, i);
      EXPECT_EQ(Value<Bytes>::own(ack.position), records[i].position);
      outcome.push_back(Value<std::string>::own(ack.error));
    }
    return outcome;
  }

  D& operator*() { return destination_; }
  D* operator->() { return &destination_; }

 private:
  D destination_;
};

using WritingFile = Writing<FileDestination>;
using WritingSqlite = Writing<SqliteDestination>;

// -- file: JSON lines ---------------------------------------------------------

using FileTest = Builtins;

TEST_F(FileTest, ReadsJsonLines) {
  write("a.jsonl", "{\"a\":1}\n\n[2, \"x\"]\r\n{\"b\":\"\xc3\xa4\"}");
  const TextMap config = {{"path", path("a.jsonl")}};
  const Records records = read_all<FileSource>(config);
  EXPECT_EQ(payloads(records), (Texts{"{\"a\":1}", "[2, \"x\"]", "{\"b\":\"\xc3\xa4\"}"}));
  EXPECT_EQ(text(records[0].position), "8 1");
  EXPECT_EQ(text(*records[1].key), "3");
  EXPECT_EQ(records[0].metadata.at("opencdc.payload.format"), "json");
  expect_resumes<FileSource>(config);
}

TEST_F(FileTest, TakesAFieldForTheKey) {
  write("a.jsonl", "{\"id\":\"x\"}\n{\"id\":7}\n{\"name\":1}\n");
  const TextMap config = {{"path", path("a.jsonl")}, {"key", "id"}};
  FileSource source;
  configure(source, config);
  source.open({});
  const Records records = source.read_batch(10);  // what is right comes before the failure
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(text(*records[0].key), "x");
  EXPECT_EQ(text(*records[1].key), "7");
  EXPECT_EQ(failure_of([&] { source.read_batch(10); }),
            path("a.jsonl") + ":3: no field \"id\" to be the key");
}

TEST_F(FileTest, ForgetsAFailureWhenItIsOpenedAgain) {
  write("a.jsonl", "{}\nno JSON\n");
  FileSource source;
  configure(source, {{"path", path("a.jsonl")}});
  for (int times = 0; times < 2; times++) {
    source.open({});
    EXPECT_EQ(source.read_batch(10).size(), 1u);
  }
}

TEST_F(FileTest, SaysWhichLineIsNoJson) {
  write("a.jsonl", "{}\n{\"a\":\n");
  EXPECT_EQ(failure_of([&] {
              read_all<FileSource>({{"path", path("a.jsonl")}});
            }).substr(0, path("a.jsonl").size() + 12),
            path("a.jsonl") + ":2: not JSON");
}

TEST_F(FileTest, RefusesWhatItCannotRead) {
  EXPECT_EQ(failure_of(
                [&] {
                  read_all<FileSource>({{"path", path("none.csv")}});
                },
                TENON_NOT_FOUND),
            "cannot open " + path("none.csv") + ": No such file or directory");
  EXPECT_EQ(failure_of([&] {
              read_all<FileSource>({{"path", "data"}});
            }),
            "parameter \"format\" is required: the name \"data\" does not tell whether it is "
            "json-lines or csv");
  EXPECT_EQ(failure_of([&] {
              read_all<FileSource>({{"path", "a.csv"}, {"format", "xml"}});
            }),
            "parameter \"format\" is \"xml\", expected json-lines or csv");
  EXPECT_EQ(failure_of([&] { read_all<FileSource>({}); }), "parameter \"path\" is required");
  write("a.jsonl", "{}\n");
  for (const char* wrong : {"", "x", "-1 0", "0 -1", "3", "3 x", "3 1 1"}) {
    EXPECT_EQ(failure_of([&] {
                read_all<FileSource>({{"path", path("a.jsonl")}}, to_bytes(wrong));
              }),
              "the position \"" + std::string(wrong) + "\" is none of this plugin");
  }
}

TEST_F(FileTest, KnowsFormatsByTheirExtensions) {
  write("a", "{}\n");
  for (const char* name : {"a.jsonl", "a.ndjson", "a.json", "a.b/a.json"}) {
    write(name, "{}\n");
    EXPECT_EQ(payloads(read_all<FileSource>({{"path", path(name)}})), Texts{"{}"}) << name;
  }
  for (const char* name : {"a", "a.csv/a", "a.csv.txt", "csv"}) {
    const std::string here = path(name);
    EXPECT_EQ(failure_of([&] {
                read_all<FileSource>({{"path", here}});
              }),
              "parameter \"format\" is required: the name \"" + here +
                  "\" does not tell whether it is json-lines or csv");
  }
  write("a.txt", "a\n1\n");
  EXPECT_EQ(payloads(read_all<FileSource>({{"path", path("a.txt")}, {"format", "csv"}})),
            Texts{R"({"a":"1"})"});
  EXPECT_EQ(failure_of([&] {
              read_all<FileSource>({{"path", path("a.txt")}, {"format", "json-lines"}});
            }).substr(0, path("a.txt").size() + 12),
            path("a.txt") + ":1: not JSON");
}

TEST_F(FileTest, ACancelledCallReadsNothing) {
  write("a.jsonl", "{}\n{}\n");
  FileSource source;
  configure(source, {{"path", path("a.jsonl")}});
  source.open({});
  Call call;
  call.cancel();
  EXPECT_EQ(status_in(call, [&] { source.read_batch(1); }), TENON_CANCELLED);
  EXPECT_EQ(source.read_batch(10).size(), 2u);
}

TEST_F(FileTest, AppendsLinesAndRefusesWhatIsNone) {
  const TextMap config = {{"path", path("out.jsonl")}};
  RecordV2 removed = record("3", "");
  removed.payload.after.reset();
  EXPECT_EQ(
      WritingFile(config).write(
          {record("1", "{\"a\":1}"), record("2", "[1]"), removed, record("4", "{\n\"b\": 2}")}),
      (Texts{"", "the payload is no JSON object", "a file takes no record without a payload", ""}));
  EXPECT_EQ(WritingFile(config).write({record("5", "{}")}), (Texts{""}));
  EXPECT_EQ(content("out.jsonl"), "{\"a\":1}\n{\"b\":2}\n{}\n");
}

TEST_F(FileTest, TakesOutWhatARunWasCutOffIn) {
  const TextMap config = {{"path", path("out.jsonl")}};
  write("out.jsonl", "{\"a\":1}\n{\"a\":");
  WritingFile(config).write({record("2", "{\"a\":2}")});
  EXPECT_EQ(content("out.jsonl"), "{\"a\":1}\n{\"a\":2}\n");
  write("out.jsonl", "{\"a\":1}\n12");  // no object, so nobody knows where it ends
  WritingFile(config).write({record("2", "{\"a\":2}")});
  EXPECT_EQ(content("out.jsonl"), "{\"a\":1}\n{\"a\":2}\n");
  write("out.jsonl", "{\"a\":1}\n{\"a\":3}");  // complete but for its end
  WritingFile(config).write({record("4", "{\"a\":4}")});
  EXPECT_EQ(content("out.jsonl"), "{\"a\":1}\n{\"a\":3}\n{\"a\":4}\n");
}

/// On a full disk, as a limit makes one for a process.
class FullDisk {
 public:
  explicit FullDisk(rlim_t size) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{size, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  void (*const handler_)(int);
  rlimit before_{};
};

TEST_F(FileTest, TakesBackABatchThatDoesNotFit) {
  WritingFile file({{"path", path("out.jsonl")}});
  file.write({record("1", "{\"a\":1}")});
  {
    const FullDisk full(12);
    EXPECT_EQ(failure_of([&] { file.write({record("2", "{\"a\":2}")}); }, TENON_UNKNOWN),
              "cannot write " + path("out.jsonl") + ": File too large");
    EXPECT_EQ(content("out.jsonl"), "{\"a\":1}\n");
  }
  EXPECT_EQ(file.write({record("3", "{\"a\":3}")}), Texts{""});
  EXPECT_EQ(content("out.jsonl"), "{\"a\":1}\n{\"a\":3}\n");
}

TEST_F(FileTest, ClosesWhatItWrote) {
  const auto before = open_files();
  {
    WritingFile file({{"path", path("out.jsonl")}});
    file.write({record("1", "{}")});
    EXPECT_EQ(open_files(), before + 1);
  }
  EXPECT_EQ(open_files(), before);
}

// -- file: CSV ----------------------------------------------------------------

TEST_F(FileTest, ReadsCsv) {
  write("a.csv",
        "\xef\xbb\xbfname,text\r\n"
        "plain,a b\r\n"
        "\"quoted, with comma\",\"says \"\"hi\"\"\"\r\n"
        "\r\n"
        "lines,\"one\ntwo\"\n"
        ",\"\"\n");
  const TextMap config = {{"path", path("a.csv")}, {"key", "name"}};
  const Records records = read_all<FileSource>(config);
  EXPECT_EQ(payloads(records),
            (Texts{R"({"name":"plain","text":"a b"})",
                   R"({"name":"quoted, with comma","text":"says \"hi\""})",
                   R"({"name":"lines","text":"one\ntwo"})", R"({"name":"","text":""})"}));
  EXPECT_EQ(text(*records[1].key), "quoted, with comma");
  expect_resumes<FileSource>(config);
}

TEST_F(FileTest, SaysWhatIsWrongInCsv) {
  auto failure = [&](std::string_view csv, tenon_status status = TENON_INVALID_ARGUMENT) {
    write("a.csv", csv);
    const std::string message = failure_of(
        [&] {
          read_all<FileSource>({{"path", path("a.csv")}});
        },
        status);
    return message.substr(std::min(message.size(), path("a.csv").size()));
  };
  EXPECT_EQ(failure("a,b\n1,2\n3\n"), ":3: 1 fields, but the header has 2");
  EXPECT_EQ(failure("a,b\n1,\"2\n", TENON_DATA_LOSS), ":2: a quote is never closed");
  EXPECT_EQ(failure("a,b\n1,\"2\"x\n"), ":2: text behind a closing quote");
  EXPECT_EQ(failure("a,b\n1,2\"\"\n"), ":2: a quote inside a field that is not quoted");
  EXPECT_EQ(failure(""), ": no header, the file is empty");
}

TEST_F(FileTest, WritesCsvThatReadsTheSame) {
  const TextMap config = {{"path", path("out.csv")}};
  const Texts rows = {R"({"a":"1","b":"x,y"})", R"({"a":"\"q\"","b":"one\ntwo\r\nthree"})",
                      R"({"a":"","b":""})"};
  WritingFile(config).write({record("1", rows[0]), record("2", rows[1])});
  WritingFile(config).write({record("3", rows[2])});
  EXPECT_EQ(payloads(read_all<FileSource>(config)), rows);
}

TEST_F(FileTest, FitsRowsToTheHeader) {
  const TextMap config = {{"path", path("out.csv")}};
  EXPECT_EQ(WritingFile(config).write({record("1", R"({"a":1,"b":{"c":[true,null]}})"),
                                       record("2", R"({"b":2.5})"), record("3", R"({"c":3})"),
                                       record("4", R"({"b":null,"a":false})")}),
            (Texts{"", "", "the field \"c\" is not in the header of " + path("out.csv"), ""}));
  EXPECT_EQ(content("out.csv"), "a,b\n1,\"{\"\"c\"\":[true,null]}\"\n,2.5\nfalse,\n");
}

TEST_F(FileTest, AnEmptyOnlyFieldIsNoEmptyLine) {
  const TextMap config = {{"path", path("out.csv")}};
  WritingFile(config).write({record("1", R"({"a":"x"})"), record("2", R"({"a":""})")});
  EXPECT_EQ(payloads(read_all<FileSource>(config)), (Texts{R"({"a":"x"})", R"({"a":""})"}));
}

TEST_F(FileTest, KeepsHeadersThatLookLikeNone) {
  for (const char* row : {R"({"":"x"})",
                          "{\"\xef\xbb\xbf"
                          "a\":\"\xef\xbb\xbf"
                          "b\"}"}) {
    write("out.csv", "");
    const TextMap config = {{"path", path("out.csv")}};
    WritingFile(config).write({record("1", row)});
    EXPECT_EQ(payloads(read_all<FileSource>(config)), Texts{row});
  }
}

TEST_F(FileTest, PassesOverALineOfNothingButAByteOrderMark) {
  write("a.csv", "\xef\xbb\xbf\n\na,b\n1,2\n");
  EXPECT_EQ(payloads(read_all<FileSource>({{"path", path("a.csv")}})),
            Texts{R"({"a":"1","b":"2"})"});
}

/// As where two files with a mark each were put together.
TEST_F(FileTest, KeepsAByteOrderMarkInTheMiddle) {
  write("a.csv",
        "\xef\xbb\xbf"
        "a,b\n1,2\n\xef\xbb\xbf"
        "3,\xef\xbb\xbf"
        "4\n\"\n\xef\xbb\xbf\",5\n");
  const TextMap config = {{"path", path("a.csv")}};
  EXPECT_EQ(payloads(read_all<FileSource>(config)),
            (Texts{R"({"a":"1","b":"2"})",
                   "{\"a\":\"\xef\xbb\xbf"
                   "3\",\"b\":\"\xef\xbb\xbf"
                   "4\"}",
                   "{\"a\":\"\\n\xef\xbb\xbf\",\"b\":\"5\"}"}));
  expect_resumes<FileSource>(config);
}

TEST_F(FileTest, TakesOutRowsThatACutLeft) {
  const TextMap config = {{"path", path("out.csv")}};
  for (const char* cut : {"3,", "3,\"x\ny", "3,\"x\n\"", "3,4"}) {
    write("out.csv", std::string("a,b\n1,2\n") + cut);
    WritingFile(config).write({record("5", R"({"a":"5","b":"6"})")});
    EXPECT_EQ(content("out.csv"), "a,b\n1,2\n5,6\n") << cut;
  }
  write("out.csv", "a,");
  WritingFile(config).write({record("5", R"({"x":"5"})")});
  EXPECT_EQ(content("out.csv"), "x\n5\n");
}

// -- sqlite -------------------------------------------------------------------

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
};

TEST_F(SqliteTest, ReadsATable) {
  run("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, weight REAL, data BLOB);"
      "INSERT INTO t VALUES (-3, 'a\"b', 1.5, x'00ff'), (7, NULL, 2, x''), (9, 'c', NULL, 'text')");
  TextMap config = table("t");
  const Records records = read_all<SqliteSource>(config);
  EXPECT_EQ(payloads(records), (Texts{R"({"id":-3,"name":"a\"b","weight":1.5,"data":"00ff"})",
                                      R"({"id":7,"name":null,"weight":2.0,"data":""})",
                                      R"({"id":9,"name":"c","weight":null,"data":"text"})"}));
  EXPECT_EQ(text(records[1].position), "7");
  EXPECT_EQ(text(*records[1].key), "7");
  expect_resumes<SqliteSource>({{"path", path("data.db")}, {"table", "t"}, {"key", "name"}});
}

TEST_F(SqliteTest, ReadsRowsThatComeWhileItReads) {
  run("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
  SqliteSource source;
  configure(source, table("t"));
  source.open({});
  EXPECT_EQ(source.read_batch(10).size(), 1u);
  run("INSERT INTO t VALUES (2)");
  EXPECT_EQ(payloads(source.read_batch(10)), (Texts{R"({"a":2})"}));
  EXPECT_EQ(failure_of([&] { source.read_batch(10); }, TENON_OUT_OF_RANGE), "no more records");
}

TEST_F(SqliteTest, SaysWhatIsNotThere) {
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

TEST_F(SqliteTest, WritesARowForEachKey) {
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

TEST_F(SqliteTest, TheTableGetsColumnsAsTheyCome) {
  WritingSqlite(table("t"))
      .write({record("1", R"({"a":1})"), record("2", R"({"b":[1,{}],"a":true})")});
  WritingSqlite(table("t")).write({record("3", R"({"c":18446744073709551615})")});
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"1","a":1,"b":null,"c":null})",
                              R"({"key":"2","a":1,"b":"[1,{}]","c":null})",
                              R"({"key":"3","a":null,"b":null,"c":"18446744073709551615"})"}));
}

TEST_F(SqliteTest, KeepsTheColumnsThatWereGiven) {
  TextMap config = table("t");
  config["columns"] = " a, b ,";
  config["key"] = "id";
  WritingSqlite(config).write({record("1", R"({"a":1,"c":2})")});
  EXPECT_EQ(rows("t"), (Texts{R"({"id":"1","a":1,"b":null})"}));
  config["columns"] = "a,id";
  EXPECT_EQ(failure_of([&] { WritingSqlite destination(config); }),
            "parameter \"columns\" has \"id\", which is the column of the key; name that one with "
            "\"key\"");
}

TEST_F(SqliteTest, RefusesRecordsOneByOne) {
  WritingSqlite destination(table("odd \"name\""));
  const std::string key_is_taken =
      "the payload has a field \"key\", which is the column of the key; name that one with \"key\"";
  EXPECT_EQ(destination.write({record("1", "7"), record("2", R"({"key":1})"),
                               record("3", R"({"Name":1})"), record("4", R"({"name":1})"),
                               record("5", R"({"Name":2})")}),
            (Texts{"the payload is no JSON object", key_is_taken, "",
                   path("data.db") + ": duplicate column name: name", ""}));
  EXPECT_EQ(rows("odd \"name\""), (Texts{R"({"key":"3","Name":1})", R"({"key":"5","Name":2})"}));
}

TEST_F(SqliteTest, ARecordWithoutAKeyIsKnownByItsPosition) {
  RecordV2 nameless = record("1", R"({"a":1})");
  nameless.key.reset();
  WritingSqlite destination(table("t"));
  destination.write({nameless});
  destination.write({nameless});
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"at 1","a":1})"}));
}

TEST_F(SqliteTest, RemovesNothingFromATableThatIsNotThere) {
  RecordV2 removed = record("1", "");
  removed.operation = RecordV2::Operation::Delete;
  removed.payload.after.reset();
  WritingSqlite destination(table("t"));
  EXPECT_EQ(destination.write({removed, record("2", R"({"a":2})")}), (Texts{"", ""}));
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"2","a":2})"}));
}

TEST_F(SqliteTest, ABatchThatFailsLeavesNothing) {
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
    // A call has no file before it waits.
    EXPECT_TRUE(tests::eventually([&] { return open_files() > before; }));
    lock.reset();
  });
  Call call;
  call.set_timeout(std::chrono::minutes(5));
  EXPECT_EQ(status_in(call, [&] { destination.write({record("2", R"({"a":2})")}); }), TENON_OK);
  releasing.join();
  EXPECT_EQ(rows("t"), (Texts{R"({"key":"1","a":1})", R"({"key":"2","a":2})"}));
}

TEST_F(SqliteTest, WaitsForALockUntilTheCallIsCancelled) {
  run("CREATE TABLE t (key PRIMARY KEY)");
  WritingSqlite destination(table("t"));
  SqliteSource source;
  configure(source, table("t"));
  source.open({});
  Database other(path("data.db"), Database::Mode::write);
  other.run("BEGIN EXCLUSIVE");
  Call call;
  call.set_timeout(std::chrono::milliseconds(20));
  EXPECT_EQ(status_in(call, [&] { destination.write({record("2", "{}")}); }),
            TENON_UNAVAILABLE | TENON_RETRYABLE);
  EXPECT_EQ(call.cancelled(), CancelReason::deadline);
  call.set_timeout(std::chrono::milliseconds(20));
  EXPECT_EQ(status_in(call, [&] { source.read_batch(1); }), TENON_UNAVAILABLE | TENON_RETRYABLE);
  EXPECT_EQ(call.cancelled(), CancelReason::deadline);
  EXPECT_EQ(status_in(call, [&] { source.read_batch(1); }), TENON_DEADLINE_EXCEEDED);
}

TEST_F(SqliteTest, ClosesWhatItOpened) {
  const auto before = open_files();
  WritingSqlite destination(table("t"));
  destination.write({record("1", R"({"a":1})")});
  destination->teardown();
  EXPECT_EQ(open_files(), before);
  SqliteSource source;
  configure(source, table("t"));
  source.open({});
  source.read_batch(1);
  source.teardown();
  EXPECT_EQ(open_files(), before);
}

TEST_F(SqliteTest, FailuresHaveTheStatusOfTheirCause) {
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
  EXPECT_EQ(failure(database, "no SQL", TENON_INVALID_ARGUMENT), in + "near \"no\": syntax error");
  database.run("PRAGMA max_page_count = 2");
  EXPECT_EQ(
      failure(database, "INSERT INTO t VALUES (2, zeroblob(100000))", TENON_RESOURCE_EXHAUSTED),
      in + "database or disk is full");
  Database reading(path("data.db"), Database::Mode::read);
  EXPECT_EQ(failure(reading, "DELETE FROM t", TENON_PERMISSION_DENIED),
            in + "attempt to write a readonly database");
}

TEST_F(SqliteTest, TheTableMustHaveTheKeyAndTakeThePayload) {
  run("CREATE TABLE t (a, b)");
  EXPECT_EQ(failure_of([&] { WritingSqlite destination(table("t")); }, TENON_FAILED_PRECONDITION),
            path("data.db") + ": table \"t\" has no column \"key\" for the key");
  TextMap config = table("t");
  config["key"] = "c";
  EXPECT_EQ(failure_of([&] { read_all<SqliteSource>(config); }),
            path("data.db") + ": table \"t\" has no column \"c\" to be the key");
  RecordV2 removed = record("1", "");
  removed.payload.after.reset();
  EXPECT_EQ(WritingSqlite(table("u")).write({removed}), (Texts{"the record has no payload"}));
}

// -- kill -9 ------------------------------------------------------------------

/// Writes numbered records in another process, which is killed while it writes. Answers how many of
/// them were acknowledged.
template <class D>
int write_until_killed(const TextMap& config, int first) {
  int acknowledged[2];
  if (pipe(acknowledged) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    close(acknowledged[0]);
    Writing<D> destination(config);
    for (int number = first;;) {
      Records batch;
      for (int i = 0; i < 20; i++, number++) {
        batch.push_back(record(std::to_string(number), R"({"n":")" + std::to_string(number) +
                                                           R"(","fill":")" +
                                                           std::string(3000, 'x') + "\"}"));
      }
      destination.write(batch);
      if (::write(acknowledged[1], &number, sizeof number) < 0) _exit(1);
    }
  }
  close(acknowledged[1]);
  int last = first;
  for (int batches = 0; batches < 10; batches++) {
    if (read(acknowledged[0], &last, sizeof last) != sizeof last) break;
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  while (read(acknowledged[0], &last, sizeof last) == sizeof last) {
  }
  close(acknowledged[0]);
  return last;
}

template <class Source, class D>
void expect_nothing_is_lost(const TextMap& config) {
  int acknowledged = 0;
  for (int run = 0; run < 5; run++) {
    acknowledged = write_until_killed<D>(config, acknowledged);
    Writing<D> repaired(config);
  }
  ASSERT_GT(acknowledged, 0);
  std::set<int> found;
  for (const RecordV2& record : read_all<Source>(config)) {
    const boost::json::value value = boost::json::parse(payload(record));
    EXPECT_EQ(value.at("fill").get_string().size(), 3000u);
    found.insert(std::stoi(std::string(value.at("n").get_string())));
  }
  for (int number = 0; number < acknowledged; number++) {
    EXPECT_EQ(found.count(number), 1u) << number;
  }
}

TEST_F(FileTest, AKillLosesNothingThatWasAcknowledged) {
  expect_nothing_is_lost<FileSource, FileDestination>({{"path", path("out.jsonl")}});
  expect_nothing_is_lost<FileSource, FileDestination>({{"path", path("out.csv")}});
}

TEST_F(SqliteTest, AKillLosesAndDoublesNothing) {
  expect_nothing_is_lost<SqliteSource, SqliteDestination>(table("t"));
  const Records all = read_all<SqliteSource>(table("t"));
  std::set<std::string> keys;
  for (const RecordV2& record : all) {
    keys.insert(boost::json::serialize(boost::json::parse(payload(record)).at("key")));
  }
  EXPECT_EQ(keys.size(), all.size());
}

// -- generator and log --------------------------------------------------------

class Generating {
 public:
  explicit Generating(const TextMap& config, const std::optional<Bytes>& position = {}) {
    configure(source_, config);
    source_.open(position ? std::optional<BytesView>(*position) : std::nullopt);
  }
  tenon_status read(Call& call, std::int32_t max, Records& records) {
    tenon_source_v2_read_batch_request in{sizeof in, max};
    const tenon_source_v2_read_batch_response* out = nullptr;
    const sdk::detail::Frame frame{call.raw(), nullptr};
    const tenon_status status =
        sdk::detail::guarded(frame, [&] { return source_.raw_read_batch(call.raw(), &in, &out); });
    if (status == TENON_OK) records = Value<Records>::own(out->records);
    return status;
  }

 private:
  GeneratorSource source_;
};

TEST(GeneratorTest, CountsAndGoesOn) {
  Generating generator(TextMap{{"count", "5"}, {"size", "20"}});
  Call call;
  Records records;
  ASSERT_EQ(generator.read(call, 3, records), TENON_OK);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(text(records[2].position), "3");
  EXPECT_EQ(text(*records[2].key), "3");
  EXPECT_EQ(payload(records[2]), R"({"fill":"xxxxxxxxx"})");
  ASSERT_EQ(generator.read(call, 3, records), TENON_OK);
  EXPECT_EQ(records.size(), 2u);
  EXPECT_EQ(generator.read(call, 3, records), TENON_OUT_OF_RANGE);

  Generating resumed(TextMap{{"count", "5"}}, to_bytes("4"));
  ASSERT_EQ(resumed.read(call, 3, records), TENON_OK);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(text(records[0].position), "5");
  EXPECT_EQ(payload(records[0]).size(), 100u);
}

TEST(GeneratorTest, KeepsItsPaceUntilCancelled) {
  Generating generator(TextMap{{"rate", "1000"}});
  Call call;
  Records records;
  ASSERT_EQ(generator.read(call, 1000, records), TENON_OK);
  EXPECT_GE(records.size(), 1u);
  Generating slow(TextMap{{"rate", "0.001"}});
  call.set_timeout(std::chrono::milliseconds(1));
  EXPECT_EQ(slow.read(call, 10, records), TENON_DEADLINE_EXCEEDED);
}

TEST(GeneratorTest, MakesASecondRecordInTime) {
  Generating generator(TextMap{{"rate", "1000"}}, to_bytes("1000000"));
  Call call;
  call.set_timeout(std::chrono::minutes(1));
  Records records;
  for (std::int64_t next = 1000001; next <= 1000003; next++) {
    ASSERT_EQ(generator.read(call, 1, records), TENON_OK);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(text(records[0].position), std::to_string(next));
  }
}

TEST(GeneratorTest, ACancelledCallMakesNothing) {
  Generating generator(TextMap{});
  Call call;
  call.cancel();
  Records records;
  EXPECT_EQ(generator.read(call, 1, records), TENON_CANCELLED);
  call.reset();
  ASSERT_EQ(generator.read(call, 1, records), TENON_OK);
  EXPECT_EQ(text(records[0].position), "1");
}

TEST(GeneratorTest, RefusesWhatItCannotMake) {
  Call call;
  Records records;
  ASSERT_EQ(Generating(TextMap{{"size", "11"}}, to_bytes("0")).read(call, 1, records), TENON_OK);
  EXPECT_EQ(payload(records[0]), R"({"fill":""})");
  for (const char* wrong : {"", "-1", "1x"}) {
    EXPECT_EQ(failure_of([&] { Generating(TextMap{}, to_bytes(wrong)); }),
              "the position \"" + std::string(wrong) + "\" is none of this plugin");
  }
  EXPECT_EQ(failure_of([] {
              Generating(TextMap{{"size", "10"}});
            }),
            "parameter \"size\" is 10, expected at least 11");
  EXPECT_THROW(Generating(TextMap{{"count", "-1"}}), std::invalid_argument);
  EXPECT_THROW(Generating(TextMap{{"rate", "-1"}}), std::invalid_argument);
}

TEST(LogTest, AcknowledgesEveryRecord) {
  Writing<LogDestination> log(TextMap{{"level", "debug"}});
  EXPECT_EQ(log.write({record("1", "{}"), record("2", std::string(5000, ' '))}), (Texts{"", ""}));
  EXPECT_EQ(failure_of([] {
              Writing<LogDestination> wrong(TextMap{{"level", "loud"}});
            }),
            "parameter \"level\" is \"loud\", expected trace, debug, info, warn or error");
}

TEST(LogTest, WritesALineOfItsLevelForEachRecord) {
  const auto logged = [](const TextMap& config, const std::string& payload) {
    testing::internal::CaptureStderr();
    Writing<LogDestination> log(config);
    Call call;
    EXPECT_EQ(status_in(call, [&] { log.write({record("1", payload)}); }), TENON_OK);
    const std::string line = testing::internal::GetCapturedStderr();
    return line.substr(std::min(line.find("[tenon] ") + 8, line.size()));  // after the time
  };
  EXPECT_EQ(logged({}, "{}"), "[info] host: create 1: {}\n");
  EXPECT_EQ(logged({{"level", "info"}}, "{}"), "[info] host: create 1: {}\n");
  EXPECT_EQ(logged({{"level", "warn"}}, "{}"), "[warning] host: create 1: {}\n");
  EXPECT_EQ(logged({{"level", "error"}}, "{}"), "[error] host: create 1: {}\n");
  EXPECT_EQ(logged({{"level", "debug"}}, "{}"), "");
  EXPECT_EQ(logged({{"level", "trace"}}, "{}"), "");
  const std::string whole(1000, 'x');
  EXPECT_EQ(logged({}, whole), "[info] host: create 1: " + whole + "\n");
  EXPECT_EQ(logged({}, whole + "y"), "[info] host: create 1: " + whole + "...\n");
}

// -- acknowledgements ---------------------------------------------------------

TEST(WritingDestinationTest, WaitsForAcksUntilCancelledOrStopped) {
  LogDestination log;
  tenon_destination_v2_next_acks_request in{sizeof in};
  const tenon_destination_v2_next_acks_response* out = nullptr;
  auto status = [&](Call& call) {
    const sdk::detail::Frame frame{call.raw(), nullptr};
    return sdk::detail::guarded(frame, [&] { return log.raw_next_acks(call.raw(), &in, &out); });
  };
  Call late;
  late.set_timeout(std::chrono::milliseconds(1));
  EXPECT_EQ(status(late), TENON_DEADLINE_EXCEEDED);
  log.stop({});
  Call call;
  EXPECT_EQ(status(call), TENON_OUT_OF_RANGE);
}

/// Takes what it is told to.
struct Choosy : sdk::WritingDestination {
  void configure(const sdk::Config&) override {}
  void write(RecordV2View record) override {
    const std::string_view what = record.payload().after().value_or(BytesView()).text();
    if (what == "failure") throw sdk::Failure(TENON_NOT_FOUND, "a failure");
    if (what == "exception") throw std::runtime_error("an exception");
    if (what == "fatal") throw sdk::Failure(TENON_NOT_FOUND, "the end").fatal();
  }
};

TEST(WritingDestinationTest, RefusesRecordsOneByOneUntilTheEnd) {
  Writing<Choosy> choosy(TextMap{});
  EXPECT_EQ(choosy.write({record("1", ""), record("2", "failure"), record("3", "exception")}),
            (Texts{"", "a failure", "an exception"}));
  EXPECT_EQ(failure_of(
                [&] {
                  choosy.write({record("4", ""), record("5", "fatal")});
                },
                TENON_NOT_FOUND | TENON_FATAL),
            "the end");
  Call call;
  call.cancel();
  EXPECT_EQ(status_in(call, [&] { choosy.write({record("6", "failure")}); }), TENON_NOT_FOUND);
  EXPECT_EQ(choosy.write({record("7", "failure"), record("8", "")}), (Texts{"a failure", ""}));
}

TEST(WritingDestinationTest, AcknowledgesSeveralBatchesAtOnce) {
  Choosy choosy;
  Call call;
  const Records first = {record("1", ""), record("2", "failure")};
  const Records second = {record("3", "exception"), record("4", "")};
  for (const Records& batch : {first, second}) {
    const tenon_list raw = Value<Records>::raw<Copy::deep>(call.raw(), batch);
    choosy.write_batch(ListView<RecordV2>(raw));
  }
  choosy.stop({});  // what is open is acknowledged nevertheless
  tenon_destination_v2_next_acks_request in{sizeof in};
  const tenon_destination_v2_next_acks_response* out = nullptr;
  ASSERT_EQ(choosy.raw_next_acks(call.raw(), &in, &out), TENON_OK);
  ASSERT_EQ(out->acks.count, 4u);
  const Texts errors = {"", "a failure", "an exception", ""};
  for (std::size_t i = 0; i < 4; i++) {
    const auto& ack = TENON_AT(tenon_destination_v2_ack, out->acks, i);
    EXPECT_EQ(text(Value<Bytes>::own(ack.position)), "at " + std::to_string(i + 1));
    EXPECT_EQ(Value<std::string>::own(ack.error), errors[i]);
  }
  EXPECT_EQ(status_in(call, [&] { choosy.raw_next_acks(call.raw(), &in, &out); }),
            TENON_OUT_OF_RANGE);
}

TEST(WritingDestinationTest, AcksReachAThreadThatWaitsForThem) {
  Choosy choosy;
  Call waiting;
  waiting.set_timeout(std::chrono::minutes(1));
  std::atomic<bool> begun{false};
  std::thread acks([&] {
    tenon_destination_v2_next_acks_request in{sizeof in};
    const tenon_destination_v2_next_acks_response* out = nullptr;
    begun = true;
    EXPECT_EQ(status_in(waiting, [&] { choosy.raw_next_acks(waiting.raw(), &in, &out); }),
              TENON_OK);
  });
  while (!begun) std::this_thread::yield();
  Call call;
  const Records batch = {record("1", "")};
  const tenon_list raw = Value<Records>::raw<Copy::deep>(call.raw(), batch);
  choosy.write_batch(ListView<RecordV2>(raw));
  acks.join();
}

// -- the module ---------------------------------------------------------------

TEST(BuiltinsModule, HasASpecifierForEachSourceAndDestination) {
  const boost::json::value manifest = boost::json::parse(builtins()->manifest);
  std::set<std::string> plugins;
  std::set<std::string> specified;
  std::size_t count = 0;
  for (const boost::json::value& entry : manifest.at("provides").as_array()) {
    if (entry.is_null()) continue;
    const std::string name(entry.at("name").get_string());
    const std::string kind(entry.at("kind").get_string());
    if (kind == "tenon.dev/source" || kind == "tenon.dev/destination") plugins.insert(name);
    if (kind == "tenon.dev/specifier") specified.insert(name);
    count++;
  }
  EXPECT_EQ(plugins, specified);
  EXPECT_EQ(plugins.size(), 4u);
  EXPECT_EQ(builtins()->registrations.count, count);
}

TEST(BuiltinsModule, SpecifiesWhatTheConfigurationsTake) {
  EXPECT_EQ(GeneratorSpecifier().specify().source_parameters.size(), 3u);
  EXPECT_EQ(FileSpecifier().specify().source_parameters.count("path"), 1u);
  const Specification sqlite = SqliteSpecifier().specify();
  EXPECT_EQ(sqlite.name, "tenon.dev/sqlite");
  EXPECT_EQ(sqlite.destination_parameters.at("key").default_value, "key");
  const ParameterV2 level = LogSpecifier().specify().destination_parameters.at("level");
  ASSERT_EQ(level.validations.size(), 1u);
  EXPECT_EQ(boost::json::parse(level.validations[0].value).as_array().size(), 5u);
}

}  // namespace
}  // namespace tenon::builtin
