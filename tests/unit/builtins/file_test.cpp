// SPDX-License-Identifier: BSL-1.0
//
// The builtin source and destination of files, in both formats: reading and writing of records,
// positions, and recovery after a kill.
#include <tenon/call.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "builtin/file_destination.hpp"
#include "builtin/file_source.hpp"
#include "unit/builtins/plugins.hpp"

namespace tenon::builtin { namespace {

using WritingFile = Writing<FileDestination>;

// -- file: JSON lines ---------------------------------------------------------

class FileTest : public Builtins {
 protected:
  /// Renames a file, and sets the time at which it was written to.
  void rotate(const std::string& from, const std::string& to, int minutes_ago) const {
    std::filesystem::rename(path(from), path(to));
    std::filesystem::last_write_time(path(to), std::filesystem::file_time_type::clock::now() -
                                                   std::chrono::minutes(minutes_ago));
  }
};

TEST_F(FileTest, ReadsJsonLines) {
  write("a.jsonl", "{\"a\":1}\n\n[2, \"x\"]\r\n{\"b\":\"\xc3\xa4\"}");
  const TextMap config = {{"path", path("a.jsonl")}};
  const Records records = read_all<FileSource>(config);
  EXPECT_EQ(payloads(records), (Texts{"{\"a\":1}", "[2, \"x\"]", "{\"b\":\"\xc3\xa4\"}"}));
  EXPECT_EQ(text(records[0].position).find("[8,1,"), 0u);
  EXPECT_EQ(text(*records[1].key), "3");
  EXPECT_EQ(records[0].metadata.at("opencdc.payload.format"), "json");
  expect_resumes<FileSource>(config);
}

TEST_F(FileTest, ReadsTheKeyFromAField) {
  write("a.jsonl", "{\"id\":\"x\"}\n{\"id\":7}\n{\"name\":1}\n");
  const TextMap config = {{"path", path("a.jsonl")}, {"key", "id"}};
  FileSource source;
  configure(source, config);
  source.open({});
  const Records records = read_batch(source, 10);  // the valid records before the failure
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(text(*records[0].key), "x");
  EXPECT_EQ(text(*records[1].key), "7");
  EXPECT_EQ(failure_of([&] { read_batch(source, 10); }),
            path("a.jsonl") + ":3: the key field \"id\" is missing");
}

TEST_F(FileTest, LimitsTheBytesOfABatch) {
  write("a.jsonl", "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a\":4}\n");
  FileSource source;
  configure(source, {{"path", path("a.jsonl")}});
  source.open({});
  const Records first = read_batch(source, 10, 1);
  ASSERT_EQ(first.size(), 1u);
  const std::size_t second_size =
      read_all<FileSource>({{"path", path("a.jsonl")}}).at(1).position.size() + 7 + 26 + 1;
  EXPECT_EQ(read_batch(source, 10, static_cast<std::int64_t>(second_size)).size(), 1u);
  EXPECT_EQ(read_batch(source, 10, static_cast<std::int64_t>(second_size) + 1).size(), 2u);
}

TEST_F(FileTest, ReportsTheLineThatIsNotJson) {
  write("a.jsonl", "{}\n{\"a\":\n");
  EXPECT_EQ(failure_of([&] {
              read_all<FileSource>({{"path", path("a.jsonl")}});
            }).substr(0, path("a.jsonl").size() + 12),
            path("a.jsonl") + ":2: not JSON");
}

TEST_F(FileTest, RefusesUnreadableFiles) {
  EXPECT_EQ(failure_of(
                [&] {
                  read_all<FileSource>({{"path", path("none.csv")}});
                },
                TENON_NOT_FOUND),
            "cannot open " + path("none.csv") + ": No such file or directory");
  EXPECT_EQ(failure_of([&] {
              read_all<FileSource>({{"path", "data"}});
            }),
            "parameter \"format\" is required: the name \"data\" has no extension of "
            "json-lines or csv");
  EXPECT_EQ(failure_of([&] {
              read_all<FileSource>({{"path", "a.csv"}, {"format", "xml"}});
            }),
            "parameter \"format\" is \"xml\", expected json-lines or csv");
  EXPECT_EQ(failure_of([&] { read_all<FileSource>({}); }), "parameter \"path\" is required");
  write("a.jsonl", "{}\n");
  for (const char* wrong : {"", "x", "3", "[]", "[3,1,1,1,\"json-lines\"]", "[3,1,1,\"x\",\"y\"]",
                            "[-1,0,1,1,\"json-lines\",\"a\"]", "[3,-1,1,1,\"json-lines\",\"a\"]",
                            "[3,1.5,1,1,\"json-lines\",\"a\"]"}) {
    EXPECT_EQ(failure_of([&] {
                read_all<FileSource>({{"path", path("a.jsonl")}}, to_bytes(wrong));
              }),
              "the position \"" + std::string(wrong) + "\" is not a position of this plugin");
  }
}

/// Returns the position after the last record of a file.
Bytes end_of(const TextMap& config) {
  return read_all<FileSource>(config).back().position;
}

TEST_F(FileTest, ResumesAfterThePositionOfAnOlderVersion) {
  write("a.jsonl", "{\"n\":1}\n");
  std::string position = text(end_of({{"path", path("a.jsonl")}}));
  position.replace(position.find("lines\",") + 7, std::string::npos, '"' + path("a.jsonl") + "\"]");
  EXPECT_EQ(read_all<FileSource>({{"path", path("a.jsonl")}}, to_bytes(position)).size(), 0u);
  write("b.jsonl", "{\"n\":1}\n");
  failure_of(
      [&] {
        read_all<FileSource>({{"path", path("b.jsonl")}}, to_bytes(position));
      },
      TENON_OUT_OF_RANGE);
}

/// Its path may come from a variable.
TEST_F(FileTest, HasPositionsWithoutThePath) {
  write("secret.jsonl", "{\"n\":1}\n");
  const std::string position = text(end_of({{"path", path("secret.jsonl")}}));
  EXPECT_EQ(position.find("secret"), std::string::npos) << position;
  EXPECT_EQ(position.find_first_not_of("[]-,0123456789"), position.find("\"json-lines\","))
      << position;
}

TEST_F(FileTest, RefusesThePositionOfAnotherFile) {
  write("a.jsonl", "{\"n\":1}\n");
  write("b.jsonl", "{\"n\":1}\n{\"n\":2}\n");
  const Bytes position = end_of({{"path", path("a.jsonl")}});
  const auto refused = [&](const TextMap& config) {
    return failure_of([&] { read_all<FileSource>(config, position); }, TENON_OUT_OF_RANGE);
  };
  EXPECT_EQ(refused({{"path", path("b.jsonl")}}),
            "the position is of another path as json-lines, but " + path("b.jsonl") +
                " as json-lines is configured; fix: restore the configuration, or delete the "
                "pipeline, and run it again to read everything");
  EXPECT_NE(refused({{"path", path("a.jsonl")}, {"format", "csv"}}).find(" as csv is configured"),
            std::string::npos);
  // Other names of the file, and other parameters, do not matter.
  std::filesystem::create_symlink(path("a.jsonl"), path("link.jsonl"));
  EXPECT_EQ(read_all<FileSource>({{"path", path("link.jsonl")}, {"key", "n"}}, position).size(),
            0u);
}

TEST_F(FileTest, RefusesThePositionOfOtherContent) {
  const TextMap config = {{"path", path("a.jsonl")}};
  const std::string filler = "{\"x\":\"" + std::string(100000, 'x') + "\"}\n";
  const std::pair<std::string, std::string> rows[] = {
      {"{\"n\":1}\n{\"n\":2}\n", "{\"m\":1}\n{\"m\":2}\n{\"m\":3}\n"},
      {"{\"n\":1}\n", ""},
      {"{\"n\":1}\n{\"n\":2}\n", "{\"n\":1}\n"},
      {"{\"n\":1}\n" + filler + filler, "{\"n\":2}\n" + filler + filler + "{}\n"},
      {filler + filler + "{\"n\":1}\n", filler + filler + "{\"n\":2}\n{}\n"},
  };
  for (const auto& [before, after] : rows) {
    write("a.jsonl", before);
    const Bytes position = end_of(config);
    write("a.jsonl", after);
    EXPECT_EQ(failure_of([&] { read_all<FileSource>(config, position); }, TENON_DATA_LOSS),
              path("a.jsonl") +
                  " does not contain what was read from it, so it was truncated, replaced or "
                  "changed, and records may be lost; fix: delete the pipeline, and run it again to "
                  "read everything");
  }
  write("t.csv", "a\n1\n2\n");
  const TextMap table = {{"path", path("t.csv")}};
  const Bytes position = end_of(table);
  write("t.csv", "a\n7\n8\n9\n");
  failure_of([&] { read_all<FileSource>(table, position); }, TENON_DATA_LOSS);
}

TEST_F(FileTest, ResumesInAFileThatWasReplacedByALongerCopy) {
  const TextMap config = {{"path", path("a.jsonl")}};
  write("a.jsonl", "{\"n\":1}\n");
  const Bytes position = end_of(config);
  write("copy.jsonl", "{\"n\":1}\n{\"n\":2}\n");
  std::filesystem::rename(path("copy.jsonl"), path("a.jsonl"));
  EXPECT_EQ(payloads(read_all<FileSource>(config, position)), Texts{"{\"n\":2}"});
}

TEST_F(FileTest, ReadsTheRestOfARotatedFileFirst) {
  const TextMap config = {{"path", path("a.jsonl")}};
  for (const char* name : {"a.jsonl.1", "a.jsonl-20270131", "old"}) {
    write("a.jsonl", "{\"n\":1}\n");
    const Bytes position = end_of(config);
    write("a.jsonl", "{\"n\":1}\n{\"n\":2}\n");
    std::filesystem::rename(path("a.jsonl"), path(name));
    write("a.jsonl", "{\"n\":1}\n{\"n\":3}\n");  // begins with the same line
    const Records rest = read_all<FileSource>(config, position);
    EXPECT_EQ(payloads(rest), (Texts{"{\"n\":2}", "{\"n\":1}", "{\"n\":3}"})) << name;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      EXPECT_EQ(read_all<FileSource>(config, rest[i].position).size(), rest.size() - i - 1) << i;
    }
    std::filesystem::remove(path(name));
  }
}

TEST_F(FileTest, ReadsAllFilesThatWereRotatedSince) {
  const TextMap config = {{"path", path("a.csv")}};
  write("a.csv.3", "n\n0\n");
  write("a.csv", "n\n1\n");
  const Bytes position = end_of(config);
  write("a.csv", "n\n1\n2\n");
  rotate("a.csv.3", "a.csv.4", 30);
  rotate("a.csv", "a.csv.2", 20);
  write("a.csv", "n\n3\n");
  rotate("a.csv", "a.csv.1", 10);
  write("a.csv", "");
  EXPECT_EQ(payloads(read_all<FileSource>(config, position)),
            (Texts{R"({"n":"2"})", R"({"n":"3"})"}));
  write("a.csv", "n\n4\n");
  EXPECT_EQ(payloads(read_all<FileSource>(config, position)),
            (Texts{R"({"n":"2"})", R"({"n":"3"})", R"({"n":"4"})"}));
}

TEST_F(FileTest, ReadsAllFilesThatWereRotatedSinceAFileGotAnotherName) {
  const TextMap config = {{"path", path("a.jsonl")}};
  write("a.jsonl", "{\"n\":0}\n");
  rotate("a.jsonl", "a.jsonl.2", 30);
  write("a.jsonl", "{\"n\":1}\n");
  const Bytes position = end_of(config);
  write("a.jsonl", "{\"n\":1}\n{\"n\":2}\n");
  rotate("a.jsonl", "old", 20);
  write("a.jsonl", "{\"n\":3}\n");
  rotate("a.jsonl", "a.jsonl.1", 10);
  write("a.jsonl", "{\"n\":4}\n");
  EXPECT_EQ(payloads(read_all<FileSource>(config, position)),
            (Texts{"{\"n\":2}", "{\"n\":3}", "{\"n\":4}"}));
}

TEST_F(FileTest, ReadsTheRestOfAFileThatWasCopiedAndTruncated) {
  const TextMap config = {{"path", path("a.jsonl")}};
  write("a.jsonl", "{\"n\":1}\n");
  const Bytes position = end_of(config);
  write("a.jsonl.1", "{\"n\":1}\n{\"n\":2}\n");
  write("a.jsonl", "{\"n\":3}\n{\"n\":4}\n");
  EXPECT_EQ(payloads(read_all<FileSource>(config, position)),
            (Texts{"{\"n\":2}", "{\"n\":3}", "{\"n\":4}"}));
}

TEST_F(FileTest, RefusesAPositionInsideALine) {
  const TextMap config = {{"path", path("a.jsonl")}};
  write("a.jsonl", "{}\n1");
  const Bytes position = end_of(config);
  write("a.jsonl", "{}\n10\n");
  EXPECT_EQ(failure_of([&] { read_all<FileSource>(config, position); }, TENON_DATA_LOSS),
            "byte 4 of " + path("a.jsonl") +
                ", where reading stopped, is inside a line, so the file was replaced or its last "
                "line was not complete; "
                "fix: delete the pipeline, and run it again to read the whole file");
}

TEST_F(FileTest, ReadsLinesThatWereAddedAfterAnIncompleteLastLine) {
  const TextMap config = {{"path", path("a.jsonl")}};
  for (const char* end_of_line : {"\n", "\r\n"}) {
    write("a.jsonl", "{}");
    const Bytes position = end_of(config);
    EXPECT_EQ(read_all<FileSource>(config, position).size(), 0u);
    write("a.jsonl", std::string("{}") + end_of_line + "[]");
    const Records added = read_all<FileSource>(config, position);
    EXPECT_EQ(payloads(added), Texts{"[]"});
    EXPECT_EQ(text(*added.at(0).key), "2");
    EXPECT_EQ(read_all<FileSource>(config, added.at(0).position).size(), 0u);
  }
}

TEST_F(FileTest, SkipsAByteOrderMarkBeforeJsonLines) {
  write("a.jsonl", "\xef\xbb\xbf{\"a\":1}\n{\"a\":2}\n");
  const TextMap config = {{"path", path("a.jsonl")}};
  EXPECT_EQ(payloads(read_all<FileSource>(config)), (Texts{R"({"a":1})", R"({"a":2})"}));
  expect_resumes<FileSource>(config);
  write("a.jsonl", "\xef\xbb\xbf{\"a\":1}");
  WritingFile(config).write({record("2", R"({"a":2})")});
  EXPECT_EQ(content("a.jsonl"), "\xef\xbb\xbf{\"a\":1}\n{\"a\":2}\n");
}

TEST_F(FileTest, DetectsFormatsByExtension) {
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
                  "\" has no extension of json-lines or csv");
  }
  write("a.txt", "a\n1\n");
  EXPECT_EQ(payloads(read_all<FileSource>({{"path", path("a.txt")}, {"format", "csv"}})),
            Texts{R"({"a":"1"})"});
  EXPECT_EQ(failure_of([&] {
              read_all<FileSource>({{"path", path("a.txt")}, {"format", "json-lines"}});
            }).substr(0, path("a.txt").size() + 12),
            path("a.txt") + ":1: not JSON");
}

TEST_F(FileTest, ReadsNothingInACancelledCall) {
  write("a.jsonl", "{}\n{}\n");
  FileSource source;
  configure(source, {{"path", path("a.jsonl")}});
  source.open({});
  Call call;
  call.cancel();
  EXPECT_EQ(status_in(call, [&] { read_batch(source, 1); }), TENON_CANCELLED);
}

TEST_F(FileTest, AppendsLinesAndRefusesOtherPayloads) {
  const TextMap config = {{"path", path("out.jsonl")}};
  RecordV2 removed = record("3", "");
  removed.payload.after.reset();
  EXPECT_EQ(WritingFile(config).write({record("1", "{\"a\":1}"), record("2", "[1]"), removed,
                                       record("4", "{\n\"b\": 2}")}),
            (Texts{"", "wrong-json: the payload is not a JSON object",
                   "no-payload: the record has no payload", ""}));
  EXPECT_EQ(WritingFile(config).write({record("5", "{}")}), (Texts{""}));
  EXPECT_EQ(content("out.jsonl"), "{\"a\":1}\n{ \"b\": 2}\n{}\n");
}

TEST_F(FileTest, WritesNumbersAsTheyAreWritten) {
  const std::string numbers = R"("a":12345678901234567890123,"b":0.12088995980580641,"c":1.50)";
  WritingFile({{"path", path("out.jsonl")}}).write({record("1", "{\r\n" + numbers + "}")});
  EXPECT_EQ(content("out.jsonl"), "{  " + numbers + "}\n");
  WritingFile({{"path", path("out.csv")}}).write({record("1", "{" + numbers + "}")});
  EXPECT_EQ(content("out.csv"), "a,b,c\n12345678901234567890123,0.12088995980580641,1.50\n");
}

TEST_F(FileTest, ReadsKeysAsTheyAreWritten) {
  write("in.jsonl",
        "{\"id\":12345678901234567890123}\n{\"id\": 12345678901234567890124 }\n"
        "{\"id\":\"a\\u0062\"}\n{\"id\":1,\"id\":2}\n{\"id\":null}\n");
  const TextMap config = {{"path", path("in.jsonl")}, {"key", "id"}};
  FileSource source;
  configure(source, config);
  source.open({});
  Texts keys;
  for (const RecordV2& record : read_batch(source, 4)) keys.push_back(text(*record.key));
  EXPECT_EQ(keys, (Texts{"12345678901234567890123", "12345678901234567890124", "ab", "2"}));
  EXPECT_EQ(failure_of([&] { read_batch(source, 1); }),
            path("in.jsonl") + ":5: the key field \"id\" is null");
}

TEST_F(FileTest, HoldsRecordsAfterARefusalUntilItIsSettled) {
  WritingFile file({{"path", path("out.jsonl")}});
  Call call;
  file.accept(call, {record("1", "{\"a\":1}"), record("2", "[2]"), record("3", "{\"a\":3}")});
  file.accept(call, {record("4", "{\"a\":4}")});
  Texts outcome;
  EXPECT_EQ(file.next_acks(call, outcome), (Texts{"at 1", "at 2"}));
  EXPECT_EQ(content("out.jsonl"), "{\"a\":1}\n");
  EXPECT_EQ(file.next_acks(call, outcome), (Texts{"at 3", "at 4"}));
  EXPECT_EQ(content("out.jsonl"), "{\"a\":1}\n{\"a\":3}\n{\"a\":4}\n");
}

TEST_F(FileTest, WritesDeeplyNestedObjects) {
  WritingFile file({{"path", path("out.jsonl")}});
  const std::string deep = R"({"a":)" + std::string(200, '[') + std::string(200, ']') + "}";
  EXPECT_EQ(file.write({record("1", deep), record("2", "\n" + deep)}), (Texts{"", ""}));
  EXPECT_EQ(content("out.jsonl"), deep + "\n " + deep + "\n");
  const std::string deeper = R"({"a":)" + std::string(256, '[') + std::string(256, ']') + "}";
  EXPECT_EQ(file.write({record("3", deeper)}),
            Texts{"wrong-json: the payload is not a JSON object"});
}

TEST_F(FileTest, RemovesAnIncompleteLineOnOpen) {
  const TextMap config = {{"path", path("out.jsonl")}};
  write("out.jsonl", "{\"a\":1}\n{\"a\":");
  WritingFile(config).write({record("2", "{\"a\":2}")});
  EXPECT_EQ(content("out.jsonl"), "{\"a\":1}\n{\"a\":2}\n");
  EXPECT_EQ(content("out.jsonl.incomplete"), "{\"a\":\n");
  write("out.jsonl", std::string("{\"a\":1}\n\0\0", 10));  // after a power failure
  WritingFile(config).write({record("2", "{\"a\":2}")});
  EXPECT_EQ(content("out.jsonl"), "{\"a\":1}\n{\"a\":2}\n");
  write("out.jsonl", "{\"a\":1}\n{\"a\":3}");  // complete except for the newline
  WritingFile(config).write({record("4", "{\"a\":4}")});
  EXPECT_EQ(content("out.jsonl"), "{\"a\":1}\n{\"a\":3}\n{\"a\":4}\n");
}

TEST_F(FileTest, KeepsALastLineThatItDidNotWrite) {
  for (const std::string text : {"[{\"a\":1},{\"a\":2}]", "{\"a\":1}\n12", "notes"}) {
    write("out.jsonl", text);
    const std::string failure = failure_of(
        [&] {
          WritingFile({{"path", path("out.jsonl")}});
        },
        TENON_FAILED_PRECONDITION);
    EXPECT_NE(failure.find(": the last line is not part of a JSON object"), std::string::npos)
        << failure;
    EXPECT_EQ(content("out.jsonl"), text);
  }
}

TEST_F(FileTest, WritesOnlyRegularFiles) {
  for (const char* device : {"/dev/full", "/dev/null"}) {
    const TextMap config = {{"path", device}, {"format", "json-lines"}};
    EXPECT_EQ(failure_of([&] { WritingFile{config}; }, TENON_FAILED_PRECONDITION),
              std::string(device) + " is not a regular file");
  }
}

TEST_F(FileTest, RefusesAPathWithANulCharacter) {
  const TextMap config = {{"path", path("a.jsonl") + std::string("\0b", 2)},
                          {"format", "json-lines"}};
  const std::string expected = "parameter \"path\" has a NUL character";
  EXPECT_EQ(failure_of([&] { read_all<FileSource>(config); }), expected);
  EXPECT_EQ(failure_of([&] { WritingFile{config}; }), expected);
}

TEST_F(FileTest, WritesNoFileThatIsBeingWritten) {
  const TextMap config = {{"path", path("out.jsonl")}};
  {
    WritingFile first(config);
    EXPECT_EQ(failure_of([&] { WritingFile{config}; }, TENON_FAILED_PRECONDITION),
              path("out.jsonl") +
                  " is being written by another destination or process; fix: choose another path, "
                  "or end the other writer");
    EXPECT_EQ(first.write({record("1", "{\"a\":1}")}), Texts{""});
  }
  EXPECT_EQ(WritingFile(config).write({record("2", "{\"a\":2}")}), Texts{""});
  EXPECT_EQ(content("out.jsonl"), "{\"a\":1}\n{\"a\":2}\n");
}

TEST_F(FileTest, AcknowledgesNothingInAFileThatWasMoved) {
  WritingFile file({{"path", path("out.jsonl")}});
  Call call;
  file.accept(call, {record("1", "{\"a\":1}")});
  std::filesystem::rename(path("out.jsonl"), path("out.jsonl.1"));
  write("out.jsonl", "");
  Texts outcome;
  EXPECT_EQ(failure_of([&] { file.next_acks(call, outcome); }, TENON_DATA_LOSS),
            path("out.jsonl") +
                " was removed or replaced while records were written to it; fix: choose a path "
                "that nothing else writes");
}

TEST_F(FileTest, AcknowledgesNothingInAFileThatWasTruncated) {
  const TextMap config = {{"path", path("out.jsonl")}};
  const std::string told = path("out.jsonl") +
                           " was truncated while records were written to it; fix: choose a path "
                           "that nothing else writes";
  WritingFile file(config);
  Call call;
  file.accept(call, {record("1", "{\"a\":1}")});
  write("out.jsonl", "");
  Texts outcome;
  EXPECT_EQ(failure_of([&] { file.next_acks(call, outcome); }, TENON_DATA_LOSS), told);
  EXPECT_EQ(failure_of([&] { file.accept(call, {record("2", "{\"a\":2}")}); }, TENON_DATA_LOSS),
            told);
  EXPECT_EQ(content("out.jsonl"), "");
}

TEST_F(FileTest, AcknowledgesNothingInAFileThatWasReplaced) {
  WritingFile file({{"path", path("out.jsonl")}});
  Call call;
  file.accept(call, {record("1", "{\"a\":1}")});
  write("new.jsonl", "");
  std::filesystem::rename(path("new.jsonl"), path("out.jsonl"));
  Texts outcome;
  EXPECT_EQ(failure_of([&] { file.next_acks(call, outcome); }, TENON_DATA_LOSS),
            path("out.jsonl") +
                " was removed or replaced while records were written to it; fix: choose a path "
                "that nothing else writes");
  EXPECT_EQ(outcome, Texts{});
}

/// Simulates a full disk with a limit of the file size of the process.
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

TEST_F(FileTest, RollsBackABatchIfTheDiskIsFull) {
  WritingFile file({{"path", path("out.jsonl")}});
  file.write({record("1", "{\"a\":1}")});
  {
    const FullDisk full(12);
    EXPECT_EQ(failure_of([&] { file.write({record("2", "{\"a\":2}")}); }, TENON_RESOURCE_EXHAUSTED),
              "cannot write " + path("out.jsonl") + ": File too large");
    EXPECT_EQ(content("out.jsonl"), "{\"a\":1}\n");
  }
  EXPECT_EQ(file.write({record("3", "{\"a\":3}")}), Texts{""});
  EXPECT_EQ(content("out.jsonl"), "{\"a\":1}\n{\"a\":3}\n");
}

TEST_F(FileTest, ClosesItsFiles) {
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

TEST_F(FileTest, ReportsErrorsInCsv) {
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
  EXPECT_EQ(failure("\na,b,a\n1,2,3\n"), ":2: the header has the name \"a\" twice");
  EXPECT_EQ(failure("a,b\n1,\"2\n", TENON_DATA_LOSS), ":2: a quote is never closed");
  EXPECT_EQ(failure("a,b\n1,\"2\"x\n"), ":2: text after a closing quote");
  EXPECT_EQ(failure("a,b\n1,2\"\"\n"), ":2: a quote inside a field that is not quoted");
  EXPECT_EQ(failure("a,b\n1,\xff\n"), ":2: the field \"b\" is not UTF-8");
  EXPECT_EQ(failure("a,\xff\n"), ":1: a name in the header is not UTF-8");
  EXPECT_EQ(failure(""), ": no header, the file is empty");
  // Otherwise a file without newlines would be a header without rows.
  const std::string lone =
      "a carriage return that no newline follows and no quotes enclose; fix: end all lines with "
      "newlines, for example with `tr '\\r' '\\n'`";
  EXPECT_EQ(failure("a,b\r1,2\r3,4\r"), ":1: " + lone);
  EXPECT_EQ(failure("a\r1\r2"), ":1: " + lone);
  EXPECT_EQ(failure("\"a\",\"b\"\r\"1\",\"2\"\r"), ":1: " + lone);
  EXPECT_EQ(failure("a,b\n1,2\r3,4\r"), ":2: " + lone);
  EXPECT_EQ(failure("a,b\r\n1,2\r\r\n"), ":2: " + lone);
}

TEST_F(FileTest, WritesCsvThatReadsBackTheSame) {
  const TextMap config = {{"path", path("out.csv")}};
  const Texts rows = {R"({"a":"1","b":"x,y"})", R"({"a":"\"q\"","b":"one\ntwo\r\nthree"})",
                      R"({"a":"","b":""})"};
  WritingFile(config).write({record("1", rows[0]), record("2", rows[1])});
  WritingFile(config).write({record("3", rows[2])});
  EXPECT_EQ(payloads(read_all<FileSource>(config)), rows);
}

TEST_F(FileTest, OrdersFieldsByTheHeader) {
  const TextMap config = {{"path", path("out.csv")}};
  EXPECT_EQ(
      WritingFile(config).write({record("1", R"({"a":1,"b":{"c":[true,null]}})"),
                                 record("2", R"({"b":2.5})"), record("3", R"({"c":3})"),
                                 record("4", R"({"b":null,"a":false})")}),
      (Texts{"", "", "unknown-field: the field \"c\" is not in the header of " + path("out.csv"),
             ""}));
  EXPECT_EQ(content("out.csv"), "a,b\n1,\"{\"\"c\"\":[true,null]}\"\n,2.5\nfalse,\n");
}

TEST_F(FileTest, QuotesAnEmptyOnlyField) {
  const TextMap config = {{"path", path("out.csv")}};
  WritingFile(config).write({record("1", R"({"a":"x"})"), record("2", R"({"a":""})")});
  EXPECT_EQ(payloads(read_all<FileSource>(config)), (Texts{R"({"a":"x"})", R"({"a":""})"}));
}

TEST_F(FileTest, PreservesUnusualHeaders) {
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

TEST_F(FileTest, SkipsALineThatIsOnlyAByteOrderMark) {
  write("a.csv", "\xef\xbb\xbf\n\na,b\n1,2\n");
  EXPECT_EQ(payloads(read_all<FileSource>({{"path", path("a.csv")}})),
            Texts{R"({"a":"1","b":"2"})"});
}

/// The content is like two concatenated files that each begin with a mark.
TEST_F(FileTest, PreservesAByteOrderMarkInTheMiddle) {
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

TEST_F(FileTest, RemovesIncompleteRowsOnOpen) {
  const TextMap config = {{"path", path("out.csv")}};
  std::string removed;
  for (const char* cut : {"3,", "3,\"x\ny", "3,\"x\n\"", "3,4"}) {
    write("out.csv", std::string("a,b\n1,2\n") + cut);
    WritingFile(config).write({record("5", R"({"a":"5","b":"6"})")});
    EXPECT_EQ(content("out.csv"), "a,b\n1,2\n5,6\n") << cut;
    removed += std::string(cut) + "\n";
    EXPECT_EQ(content("out.csv.incomplete"), removed);
  }
  for (const std::string& cut : {std::string("a,\"b\n1,2\n"), std::string("\0\0", 2)}) {
    write("out.csv", cut);
    WritingFile(config).write({record("5", R"({"x":"5"})")});
    EXPECT_EQ(content("out.csv"), "x\n5\n");
    removed += cut + "\n";
    EXPECT_EQ(content("out.csv.incomplete"), removed);
  }
}

TEST_F(FileTest, KeepsRowsThatItDidNotWrite) {
  const auto failure = [&](std::string_view csv, tenon_status status) {
    write("out.csv", csv);
    const std::string message = failure_of(
        [&] {
          WritingFile({{"path", path("out.csv")}});
        },
        status);
    EXPECT_EQ(content("out.csv"), csv);
    return message.substr(std::min(message.size(), path("out.csv").size()));
  };
  EXPECT_EQ(failure("a,b\n1,2\n2,5\" pipe\n3,4\n", TENON_INVALID_ARGUMENT),
            ":3: a quote inside a field that is not quoted");
  EXPECT_EQ(failure("a,b\n1,2\n\"3\"x,\"4\n", TENON_INVALID_ARGUMENT),
            ":3: text after a closing quote");
  EXPECT_EQ(failure("a,b\n1,2\n3,4,5", TENON_FAILED_PRECONDITION),
            ":3: 3 fields, but the header has 2");
  EXPECT_EQ(failure("a,b\n1,2\n3,4,\"5\n6", TENON_FAILED_PRECONDITION),
            ":4: 3 fields, but the header has 2");
  EXPECT_EQ(
      failure("a,b", TENON_FAILED_PRECONDITION),
      ":1: the header does not end with a newline; fix: choose another path, or end the line");
  EXPECT_EQ(failure("a,b,a\n1,2,3\n", TENON_INVALID_ARGUMENT),
            ":1: the header has the name \"a\" twice");
  EXPECT_FALSE(std::filesystem::exists(path("out.csv.incomplete")));
}

// -- kill -9 ------------------------------------------------------------------

TEST_F(FileTest, LosesNoAcknowledgedRecordIfKilled) {
  expect_nothing_is_lost<FileSource, FileDestination>({{"path", path("out.jsonl")}});
  expect_nothing_is_lost<FileSource, FileDestination>({{"path", path("out.csv")}});
}

}}  // namespace tenon::builtin
