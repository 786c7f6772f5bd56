// SPDX-License-Identifier: BSL-1.0
//
// The commands `tenon convert` and `tenon types`. TENON is the program.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "framework/path_texts.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

constexpr const char* older =
    R"({"type":"tenon.dev/record","version":1,"writer":"example.io/dpkg 1.0.0","value":)"
    R"({"position":"MTI=","metadata":{"table":"users"},"created_at":17,"payload":"aGk="}})"
    "\n";
constexpr const char* newer =
    R"({"type":"tenon.dev/record","version":2,"writer":"example.io/dpkg 1.0.0","value":)"
    R"({"position":"MTI=","operation":"create",)"
    R"("metadata":{"opencdc.createdAt":"17","table":"users"},"payload":{"after":"aGk="}}})"
    "\n";

class Documents : public testing::Test {
 protected:
  Outcome convert(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {TENON, "convert"});
    return world_.run(arguments);
  }
  /// Converts a file with this content.
  Outcome convert_text(std::string_view text, std::vector<std::string> arguments = {}) const {
    world_.write("in.json", text);
    arguments.emplace_back("in.json");
    return convert(arguments);
  }

  World world_{"tenon"};
};

TEST_F(Documents, AreConvertedToTheStorageVersion) {
  const Outcome run = convert_text(older);
  EXPECT_EQ(run.exit, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out, newer);
  EXPECT_EQ(convert_text(newer, {"--to", "1"}).out, older);
}

TEST_F(Documents, SpanSeveralLinesOrOneLineEach) {
  EXPECT_EQ(
      convert_text("\n{ \"type\": \"tenon.dev/record\",\n  \"version\": 1,\n  \"value\": {} }\n")
          .out,
      R"({"type":"tenon.dev/record","version":2,"value":{"operation":"create"}})"
      "\n");
  const std::string line = older;
  EXPECT_EQ(convert_text(line + "\n" + line + line).out, std::string(newer) + newer + newer);
  EXPECT_EQ(convert_text("").out, "");
}

TEST_F(Documents, OmitTheirEnvelopeIfTheTypeIsGiven) {
  const Outcome run =
      convert_text(R"({"required":true})", {"--type", "tenon.dev/parameter", "--from", "1"});
  EXPECT_EQ(run.out, R"({"validations":[{"type":"required","value":""}]})"
                     "\n");
  const Outcome unsaid = convert_text(R"({"required":true})");
  EXPECT_EQ(unsaid.exit, 1);
  EXPECT_NE(unsaid.err.find("error[missing-type]"), std::string::npos) << unsaid.err;
  EXPECT_TRUE(unsaid.err.ends_with("\n   --type names the type of such documents\n")) << unsaid.err;
}

TEST_F(Documents, KeepFieldsThatAnOlderVersionLacks) {
  const std::string text =
      R"({"type":"tenon.dev/record","version":2,"value":{"operation":"moved","payload":)"
      R"({"before":"aGk="}}})"
      "\n";
  const Outcome down = convert_text(text, {"--to", "1"});
  EXPECT_EQ(down.out,
            R"({"type":"tenon.dev/record","version":1,"value":{"bag":{"operation@2":)"
            R"({"type":"operation","value":"moved"},"payload@2":{"type":"change","value":)"
            R"({"before":"aGk="}}}}})"
            "\n");
  EXPECT_EQ(convert_text(down.out).out, text);
}

/// A text that is refused, and the error.
struct Refused {
  const char* name;
  std::string text;
  std::string said;
  std::vector<std::string> arguments;
};
void PrintTo(const Refused& refused, std::ostream* out) {
  *out << refused.name;
}

class BadDocuments : public Documents, public testing::WithParamInterface<Refused> {};

TEST_P(BadDocuments, AreReportedWithTheirLocation) {
  const Outcome run = convert_text(GetParam().text, GetParam().arguments);
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find(GetParam().said), std::string::npos) << run.err;
}

const std::string head = R"({"type":"tenon.dev/record","version":1,"value":)";
const Refused refused[] = {
    {"Unfinished", "{\"a\":", "in.json:2:1: error[not-json] incomplete JSON", {}},
    {"UnfinishedAfterAnEmptyLine", "\n{\"a\":\n]", "in.json:3:1: error[not-json] ", {}},
    {"NoUtf8", head + "{\"key\":\"\xff\"}}", "error[not-json]", {}},
    {"WrongType",
     head + R"({"metadata":{"a b":7}}})",
     R"(in.json:1: error[wrong-value] value.metadata["a b"]: expected text, found number 7)",
     {}},
    {"NoBase64", head + R"({"key":"?"}})", "value.key: expected text in base64", {}},
    {"UnknownField", head + R"({"colour":1}})", "value.colour: not a field of this type", {}},
    {"UnknownFieldWithAHint",
     head + R"({"colour":1}})",
     "   --lenient keeps unknown fields and versions\n",
     {}},
    {"TooLarge",
     head + R"({"created_at":99999999999999999999}})",
     "value.created_at: expected int64, found number 99999999999999999999",
     {}},
    {"TooDeep",
     head + std::string(100, '[') + std::string(100, ']') + "}",
     "more than 64 levels",
     {}},
    {"TooDeepForTheBag",
     head + R"({"colour":)" + std::string(62, '[') + std::string(62, ']') + "}}",
     "in.json:1: error[wrong-value] value: the document has too many",
     {"--lenient"}},
    {"KeyTwice", head + R"({"key":"","key":""}})", "the key \"key\" is duplicated", {}},
    {"BagOfNothing",
     head + R"({"bag":{"operation":1}}})",
     "value.bag.operation: not the name and version of a field, as in size@1",
     {}},
    {"BagOfAnotherType",
     head + R"({"bag":{"operation@2":{"type":"int32","value":1}}}})",
     "bag.operation@2.type: expected operation, found int32",
     {}},
    {"BagThatDoesNotFit",
     head + R"({"bag":{"payload@2":{"type":"change","value":{"before":1}}}}})",
     "bag.payload@2.value.before: expected text in base64, found number 1",
     {}},
    {"FromTheFuture",
     R"({"type":"tenon.dev/record","version":9,"value":{}})",
     "error[version-too-new] tenon.dev/record\n   found   version 9\n   needed  one of 1, 2\n",
     {}},
    {"FromTheFutureWithAHint",
     R"({"type":"tenon.dev/record","version":9,"value":{}})",
     "   --lenient keeps unknown fields and versions\n",
     {}},
    {"NoSuchPreview",
     R"({"type":"tenon.dev/record","version":"2preview1","value":{}})",
     "error[unknown-version] tenon.dev/record\n   found   version 2preview1\n"
     "   needed  one of 1, 2\n   fix     correct the version of the document\n",
     {}},
    {"VersionWithALeadingZero",
     R"({"type":"tenon.dev/record","version":"01","value":{}})",
     "error[unknown-version] tenon.dev/record\n   found   version 01\n   needed  one of 1, 2\n"
     "   fix     correct the version of the document\n",
     {}},
    {"VersionFromTheFutureWithALeadingZero",
     R"({"type":"tenon.dev/record","version":"09","value":{}})",
     "error[unknown-version] tenon.dev/record\n   found   version 09\n",
     {"--lenient"}},
    {"TargetWithALeadingZero", older, "found   version 02\n", {"--to", "02"}},
    {"NoSuchTarget",
     older,
     "error[unknown-version] tenon.dev/record\n   found   version 3\n   needed  one of 1, 2\n"
     "   fix     omit it to get version 2, the storage version of this type\n",
     {"--to", "3"}},
    {"UnknownType", R"({"type":"me.example/x","version":1,"value":{}})", "error[unknown-type]", {}},
    {"NoVersion", R"({"type":"tenon.dev/record","value":{}})", "error[missing-version]", {}},
    {"NoValue",
     R"({"type":"tenon.dev/record","version":1})",
     "in.json:1: error[wrong-value] value: missing\n",
     {}},
    {"NoVersionOfAnUnknownType",
     R"({"type":"me.example/x","value":{}})",
     "   --from names the version of such documents\n",
     {}},
    {"MisspelledType",
     R"({"type":"tenon.dev/recrod","version":1,"value":{}})",
     "   did you mean 'tenon.dev/record'?\n",
     {}},
    {"AnotherType", older, "error[type-differs]", {"--type", "tenon.dev/parameter"}},
    {"AnotherVersion", older, "error[version-differs]", {"--from", "2"}},
    {"NoObject", "[]", "expected object, found array", {}},
};
INSTANTIATE_TEST_SUITE_P(All, BadDocuments, testing::ValuesIn(refused),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(Documents, OfNewerVersionsAreReadInLenientMode) {
  const Outcome run = convert_text(
      R"({"type":"tenon.dev/record","version":9,"value":{"key":"aGk=","colour":[1.50],"operation":5}})",
      {"--lenient"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out,
            R"({"type":"tenon.dev/record","version":2,"value":{"key":"aGk=","bag":{"colour@9":)"
            R"({"type":"json","value":[1.50]},"operation@9":{"type":"json","value":5}}}})"
            "\n");
}

/// Lenient mode does not help there.
TEST_F(Documents, HaveNoUnknownKeysOutsideOfTheirFields) {
  const std::string start = R"({"type":"tenon.dev/record","version":1,)";
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>(), std::vector<std::string>{"--lenient"}}) {
    EXPECT_EQ(convert_text(start + R"("extra":1,"value":{}})", arguments).err,
              "tenon convert: in.json:1: error[wrong-value] extra: not a key of a document\n");
    EXPECT_EQ(convert_text(start + R"("value":{"bag":{"a@2":{"type":"json","value":1,"b":2}}}})",
                           arguments)
                  .err,
              "tenon convert: in.json:1: error[wrong-value] value.bag[\"a@2\"].b: not a key of an "
              "entry of a bag\n");
  }
}

TEST_F(Documents, AreConvertedUpToABadLine) {
  const Outcome run = convert_text(std::string(older) + "{}\n" + older);
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.out, newer);
  EXPECT_NE(run.err.find("in.json:2: "), std::string::npos) << run.err;
  EXPECT_EQ(convert_text(std::string(older) + "{\"a\":\n")
                .err.find("tenon convert: in.json:2:6: error[not-json] "),
            0u);
}

TEST_F(Documents, AreWrittenBeforeMoreInputArrives) {
  world_.write("in.json", older);
  const Outcome run = world_.run(
      {"/bin/sh", "-c",
       "{ cat in.json; for i in $(seq 1000); do [ -s out ] && cat in.json && break; sleep 0.01; "
       "done; } | \"$0\" convert >out",
       TENON});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(world_.read("out"), std::string(newer) + newer);
}

TEST_F(Documents, AreNotConvertedIfTheOutputFails) {
  std::string all;
  for (int i = 0; i < 3000; ++i) all += older;
  world_.write("in.json", all + "{}\n");
  const Outcome run = world_.run({"/bin/sh", "-c", "\"$0\" convert in.json >/dev/full", TENON});
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.err, "tenon: cannot write to standard output\n") << "the bad line is not read";
}

TEST_F(Documents, AreAnIoErrorIfMissing) {
  EXPECT_EQ(convert({"nowhere.json"}).exit, 3);
  EXPECT_EQ(convert({"--in-place", "nowhere"}).exit, 3);
  EXPECT_EQ(convert({"--in-place"}).exit, 2);
  EXPECT_EQ(convert({"--colour", "in.json"}).exit, 2);
}

TEST_F(Documents, AreReplacedOnlyInFilesAndDirectories) {
  const Outcome run = convert({"--in-place", "/dev/null"});
  EXPECT_EQ(run.exit, 3);
  EXPECT_NE(run.err.find("/dev/null: neither a file nor a directory\n"), std::string::npos)
      << run.err;
}

TEST_F(Documents, AreReplacedInPlace) {
  world_.write("store/a.json", older);
  world_.write("store/below/b.jsonl", std::string(older) + older);
  world_.write("store/new.json", newer);
  world_.write("store/notes.txt", older);
  ASSERT_EQ(chmod((world_.root() / "store/a.json").c_str(), 0640), 0);
  const Outcome run = convert({"--in-place", "store"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.err, "2 files converted, 1 unchanged, 0 refused\n");
  EXPECT_EQ(world_.read("store/a.json"), newer);
  EXPECT_EQ(world_.read("store/below/b.jsonl"), std::string(newer) + newer);
  EXPECT_EQ(world_.read("store/notes.txt"), older);
  EXPECT_EQ(fs::status(world_.root() / "store/a.json").permissions(), fs::perms(0640));

  EXPECT_EQ(convert({"--in-place", "store"}).err, "0 files converted, 3 unchanged, 0 refused\n");
  EXPECT_EQ(convert({"--in-place", "--to", "1", "store"}).exit, 0);
  EXPECT_EQ(world_.read("store/a.json"), older);
  EXPECT_EQ(world_.read("store/below/b.jsonl"), std::string(older) + older);
}

/// The target of the link is converted, and the link stays a link.
TEST_F(Documents, AreReplacedThroughASymbolicLink) {
  const fs::path root = world_.root();
  world_.write("elsewhere/a.json", older);
  world_.write("store/unused.txt", "");
  fs::create_symlink("../elsewhere/a.json", root / "store/first.json");
  fs::create_symlink("first.json", root / "store/second.json");
  fs::create_symlink("nowhere.json", root / "store/dangling.json");
  fs::create_directory_symlink("../elsewhere", root / "store/directory");
  const Outcome run = convert({"--in-place", "store"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.err, "1 file converted, 1 unchanged, 0 refused\n");
  EXPECT_EQ(world_.read("elsewhere/a.json"), newer);
  EXPECT_EQ(fs::read_symlink(root / "store/first.json"), "../elsewhere/a.json");
  EXPECT_EQ(fs::read_symlink(root / "store/second.json"), "first.json");
  EXPECT_EQ(std::distance(fs::directory_iterator(root / "store"), {}), 5);

  world_.write("elsewhere/a.json", older);
  EXPECT_EQ(convert({"--in-place", "store/second.json"}).exit, 0);
  EXPECT_EQ(world_.read("elsewhere/a.json"), newer);
  EXPECT_EQ(convert({"--to", "1", "store/second.json"}).out, older);
}

/// The other hard links keep the old content, which is reported.
TEST_F(Documents, AreReplacedUnderOneHardLink) {
  world_.write("store/a.json", older);
  fs::create_hard_link(world_.root() / "store/a.json", world_.path("elsewhere/b.json"));
  const Outcome run = convert({"--in-place", "store"});
  EXPECT_EQ(run.exit, 0);
  EXPECT_NE(
      run.err.find("store/a.json: 1 other name of the file (hard links) kept the old content\n"),
      std::string::npos)
      << run.err;
  EXPECT_EQ(world_.read("store/a.json"), newer);
  EXPECT_EQ(world_.read("elsewhere/b.json"), older);
  EXPECT_EQ(convert({"--in-place", "store"}).err, "0 files converted, 1 unchanged, 0 refused\n");
}

TEST_F(Documents, AreAnIoErrorIfUnreadable) {
  world_.write("store/a.json", older);
  world_.write("store/secret.json", older);
  fs::permissions(world_.root() / "store/secret.json", fs::perms(0200));
  const Outcome one = world_.run(unprivileged({TENON, "convert", "store/secret.json"}));
  EXPECT_EQ(one.exit, 3);
  EXPECT_EQ(one.out, "");
  EXPECT_EQ(one.err, "tenon: " + unreadable_text("store/secret.json",
                                                 "opening the file: Permission denied"));
  const Outcome in_place =
      world_.run(unprivileged({TENON, "convert", "--in-place", "store/secret.json"}));
  EXPECT_EQ(in_place.exit, 3);
  EXPECT_EQ(in_place.err.find("tenon: " + unreadable_text("store/secret.json",
                                                          "opening the file: Permission denied")),
            0u)
      << in_place.err;
  const Outcome all = world_.run(unprivileged({TENON, "convert", "--in-place", "store"}));
  EXPECT_EQ(all.exit, 3);
  EXPECT_NE(all.err.find("1 file converted, 0 unchanged, 0 refused\n"), std::string::npos)
      << all.err;
  fs::permissions(world_.root() / "store/secret.json", fs::perms(0600));
  EXPECT_EQ(world_.read("store/a.json"), newer);
  EXPECT_EQ(world_.read("store/secret.json"), older);
}

TEST_F(Documents, AreConvertedDespiteErrorsInOthers) {
  world_.write("store/a.json", older);
  world_.write("store/closed/b.json", older);
  world_.write("store/empty.json", "");
  world_.write("store/locked/c.json", older);
  fs::permissions(world_.root() / "store/closed", fs::perms::none);
  fs::permissions(world_.root() / "store/locked", fs::perms(0500));
  const Outcome run = world_.run(unprivileged({TENON, "convert", "--in-place", "store"}));
  fs::permissions(world_.root() / "store/closed", fs::perms(0700));
  fs::permissions(world_.root() / "store/locked", fs::perms(0700));
  EXPECT_EQ(world_.read("store/a.json"), newer);
  EXPECT_EQ(run.exit, 3);
  for (const std::string& text :
       {unreadable_text("store/closed", "reading the directory: Permission denied"),
        unwritable_text("store/locked/c.json", "writing the file: Permission denied")}) {
    EXPECT_NE(run.err.find("tenon: " + text), std::string::npos) << run.err;
  }
  EXPECT_EQ(world_.read("store/closed/b.json"), older);
  EXPECT_EQ(world_.read("store/locked/c.json"), older);
}

/// A limit of the file size simulates a full disk.
TEST_F(Documents, StayUnchangedIfWritingFails) {
  std::string large(older);
  large.replace(large.find("users"), 5, std::string(2000, 'u'));
  world_.write("store/a.json", large);
  const Outcome run = world_.run(
      {"sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" convert --in-place store", TENON});
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(
      run.err.find("tenon: " + unwritable_text("store/a.json", "writing the file: File too large")),
      0u)
      << run.err;
  EXPECT_EQ(world_.read("store/a.json"), large);
  EXPECT_EQ(std::distance(fs::directory_iterator(world_.root() / "store"), {}), 1);
}

TEST_F(Documents, StayUnchangedIfRefused) {
  const std::string bad = std::string(older) + "{}\n";
  world_.write("store/a.json", bad);
  world_.write("store/b.json", older);
  const Outcome run = convert({"--in-place", "store"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_NE(run.err.find("store/a.json:2: "), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("1 file converted, 0 unchanged, 1 refused\n"), std::string::npos);
  EXPECT_EQ(world_.read("store/a.json"), bad);
  EXPECT_EQ(world_.read("store/b.json"), newer);
}

TEST_F(Documents, StayUnchangedIfThereAreNone) {
  world_.write("store/blank.json", "\n \n");
  world_.write("store/empty.json", "");
  const Outcome run = convert({"--in-place", "store"});
  EXPECT_EQ(run.exit, 0);
  EXPECT_EQ(run.err, "0 files converted, 2 unchanged, 0 refused\n");
  EXPECT_EQ(world_.read("store/blank.json"), "\n \n");
}

/// The unchanged part may exceed the memory of the program.
TEST_F(Documents, AreRewrittenFromTheFirstOlderOne) {
  std::string all;
  for (int i = 0; i < 3000; ++i) all += newer;
  world_.write("store/a.jsonl", all + older + newer);
  world_.write("store/b.jsonl", all + "\n");
  world_.write("store/c.jsonl", older + all);
  world_.write("store/d.jsonl", all);
  EXPECT_EQ(convert({"--in-place", "store"}).err, "3 files converted, 1 unchanged, 0 refused\n");
  EXPECT_EQ(world_.read("store/a.jsonl"), all + newer + newer);
  EXPECT_EQ(world_.read("store/b.jsonl"), all);
  EXPECT_EQ(world_.read("store/c.jsonl"), newer + all);
  EXPECT_EQ(world_.read("store/d.jsonl"), all);
}

TEST_F(Documents, HaveAMaximumSize) {
  const Outcome endless = world_.run({"/bin/sh", "-c", "\"$0\" convert </dev/zero", TENON});
  EXPECT_EQ(endless.exit, 1);
  EXPECT_EQ(endless.out, "");
  EXPECT_EQ(endless.err.find("tenon convert: standard input:1: error[document-too-large]\n"
                             "   found   more than 64 MB\n"),
            0u)
      << endless.err;
  const Outcome lines = world_.run({"/bin/sh", "-c", "yes | \"$0\" convert", TENON});
  EXPECT_NE(lines.err.find("standard input: error[document-too-large]"), std::string::npos)
      << lines.err;

  world_.write("store/a.json", "");
  fs::resize_file(world_.root() / "store/a.json", std::uintmax_t{5} << 30);
  const Outcome sparse = convert({"--in-place", "store"});
  EXPECT_EQ(sparse.exit, 1);
  EXPECT_NE(sparse.err.find("store/a.json:1: error[document-too-large]"), std::string::npos)
      << sparse.err;
  EXPECT_NE(sparse.err.find("0 files converted, 0 unchanged, 1 refused\n"), std::string::npos);
}

/// Returns the peak memory of all programs of this test, in kB.
long peak_memory() {
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_maxrss;
}

TEST_F(Documents, AreStreamed) {
  std::string some;
  while (some.size() < 1'000'000) some += older;
  world_.write("store/a.jsonl", some);
  ASSERT_EQ(convert({"--in-place", "store"}).exit, 0);
  const long few = peak_memory();
  std::ofstream file(world_.path("store/a.jsonl"));
  for (int i = 0; i < 40; ++i) file << some;
  file.close();
  ASSERT_EQ(convert({"--in-place", "store"}).exit, 0);
  EXPECT_LT(peak_memory() - few, 20'000);
}

/// Each file has the old documents or the new ones, whenever the program is killed.
TEST_F(Documents, AreReplacedAtomically) {
  const auto seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  std::string before, after;
  for (int i = 0; i < 2000; ++i) {
    before += older;
    after += newer;
  }
  constexpr int files = 8;
  const auto name = [](int i) { return "store/" + std::to_string(i) + ".jsonl"; };
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < files; ++i) world_.write(name(i), before);
    Child child = world_.start({TENON, "convert", "--in-place", "store"});
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 40000));
    child.signal(SIGKILL);
    child.wait();
    for (int i = 0; i < files; ++i) {
      const std::string now = world_.read(name(i));
      ASSERT_TRUE(now == before || now == after) << name(i) << " has " << now.size() << " bytes";
    }
    ASSERT_EQ(convert({"--in-place", "store"}).exit, 0) << "another run completes the conversion";
    for (int i = 0; i < files; ++i) ASSERT_EQ(world_.read(name(i)), after);
  }
}

TEST_F(Documents, AreReplacedByConcurrentRuns) {
  constexpr int files = 200;
  const auto name = [](int i) { return "both/" + std::to_string(i) + ".json"; };
  for (int i = 0; i < files; ++i) world_.write(name(i), older);
  Child first = world_.start({TENON, "convert", "--in-place", "both"});
  const Outcome second = convert({"--in-place", "both"});
  EXPECT_EQ(first.wait().exit, 0);
  EXPECT_EQ(second.exit, 0) << second.err;
  for (int i = 0; i < files; ++i) EXPECT_EQ(world_.read(name(i)), newer);
  EXPECT_EQ(std::distance(fs::directory_iterator(world_.root() / "both"), {}), files)
      << "no temporary file is left";
}

TEST_F(Documents, HaveTheirTypesListed) {
  const Outcome text = world_.run({TENON, "types"});
  EXPECT_EQ(text.exit, 0);
  EXPECT_NE(text.out.find("tenon.dev/record  versions 1, 2; stored as 2\n"), std::string::npos);
  EXPECT_NE(text.out.find("     created_at by hand\n"), std::string::npos) << text.out;
  const Outcome json = world_.run({TENON, "types", "--json"});
  EXPECT_NE(json.out.find("\"type\": \"tenon.dev/record\""), std::string::npos) << json.out;
}

}}  // namespace tenon::tests
