// SPDX-License-Identifier: BSL-1.0
//
// Converters of apps: their responses, and the errors that the command reports for faulty ones.
// CONVERTER is the path of a converter with the same document types as this program.
#include <tenon/detail/converter.hpp>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>

#include "app_converter.hpp"
#include "framework/world.hpp"
#include "integration/confine.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;
using command::AppConverter;

constexpr const char* album_1 = R"({"type":"test.example/album","version":1,"value":{"count":7}})";

std::string responses_to(const std::string& requests) {
  std::istringstream in(requests);
  std::ostringstream out;
  answer_conversions(in, out);
  return out.str();
}

TEST(Converter, RespondsToEachLine) {
  const std::string request =
      R"({"document": "{\"type\":\"test.example/album\",\"version\":1,\"value\":{\"count\":7}}",)";
  const std::string bare =
      R"({"document": "{\"count\":7,\"oh\":1}", "type": "test.example/album",)";
  EXPECT_EQ(
      responses_to(request +
                   R"( "to": "2"})"
                   "\n" +
                   bare +
                   R"( "from": "1", "to": "2", "lenient": true})"
                   "\n" +
                   bare +
                   R"( "from": "1", "to": "2"})"
                   "\n"),
      R"({"document":"{\"type\":\"test.example/album\",\"version\":2,\"value\":{\"amount\":\"7\"}}"})"
      "\n"
      R"({"document":"{\"amount\":\"7\",\"bag\":{\"oh@1\":{\"type\":\"json\",\"value\":1}}}"})"
      "\n"
      R"({"error":{"code":"wrong-value","message":"not a field of this type","where":"oh"}})"
      "\n");
}

struct Unknown {
  const char* request;
  const char* found;
};
class InvalidRequest : public testing::TestWithParam<Unknown> {};

TEST_P(InvalidRequest, IsRefusedAndTheNextOneIsServed) {
  const std::string good =
      R"({"document": "{\"amount\":\"7\"}", "type": "test.example/album", "from": "2", "to": "2"})";
  const std::string said = responses_to(std::string(GetParam().request) + "\n" + good + "\n");
  EXPECT_TRUE(said.starts_with(R"({"error":{"code":"wrong-request")")) << said;
  EXPECT_NE(said.find(GetParam().found), std::string::npos) << said;
  EXPECT_TRUE(said.ends_with("\n{\"document\":\"{\\\"amount\\\":\\\"7\\\"}\"}\n")) << said;
}

INSTANTIATE_TEST_SUITE_P(
    All, InvalidRequest,
    testing::Values(Unknown{"", "incomplete JSON"}, Unknown{"{", "incomplete JSON"},
                    Unknown{"7", "expected an object with a document"},
                    Unknown{"{}", "expected an object with a document"},
                    Unknown{R"({"document": 7})", "expected text, found number 7"},
                    Unknown{R"({"document": "{}", "to": 7})", R"("where":"to")"},
                    Unknown{R"({"document": "{}", "lenient": 1})", "expected true or false"},
                    Unknown{R"({"document": "{}", "colour": "red"})", R"("where":"colour")"}));

TEST(AppConverters, ReturnTheResultsOfTheirProgram) {
  AppConverter app(CONVERTER, 60s);
  DocumentConverter own;
  for (const DocumentReadOptions& how :
       {DocumentReadOptions{.to = "2"}, DocumentReadOptions{.to = "4"}, DocumentReadOptions{},
        DocumentReadOptions{.type = "test.example/parcel"}, DocumentReadOptions{.to = "77"}}) {
    const auto expected = own.convert(album_1, how);
    const auto converted = app.convert(album_1, how);
    ASSERT_EQ(converted.has_value(), expected.has_value());
    if (expected) {
      EXPECT_EQ(*converted, *expected);
    } else {
      EXPECT_EQ(converted.error().to_string(), expected.error().to_string());
    }
  }
}

/// The document exceeds the buffers of pipes.
TEST(AppConverters, ConvertLargeDocuments) {
  AppConverter app(CONVERTER, 60s);
  const std::string document = R"({"type":"test.example/album","version":2,"value":{"amount":")" +
                               std::string(5'000'000, 'a') + R"("}})";
  const auto converted = app.convert(document, {.to = "2"});
  ASSERT_TRUE(converted) << converted.error().to_string();
  EXPECT_EQ(*converted, document);
}

struct Useless {
  const char* name;
  const char* script;
  const char* found;
  std::chrono::milliseconds limit = 60s;
};
void PrintTo(const Useless& one, std::ostream* out) {
  *out << one.name;
}
class FaultyConverter : public testing::TestWithParam<Useless> {};

/// A program that has to be killed is not started again, so that only one document waits for it.
TEST_P(FaultyConverter, IsReportedAndStartedAgainIfItExits) {
  const World world;
  const auto program = world.write("convert", std::string("#!/bin/sh\n") + GetParam().script);
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  AppConverter app(program, GetParam().limit);
  for (int i = 0; i < 2; ++i) {
    const auto converted = app.convert(album_1, {.to = "2"});
    ASSERT_FALSE(converted) << *converted;
    EXPECT_EQ(converted.error().code(), "converter-failed");
    EXPECT_EQ(converted.error().where(), program.string());
    EXPECT_EQ(converted.error().found(), GetParam().found);
  }
  if (GetParam().limit == 60s) {
    EXPECT_EQ(world.read("started"), "started\nstarted\n");
  } else {
    EXPECT_NE(world.read("started"), "started\nstarted\n");
  }
}

#define STARTED "echo started >>\"$(dirname \"$0\")/started\"\n"
INSTANTIATE_TEST_SUITE_P(
    All, FaultyConverter,
    testing::Values(
        Useless{"ends", STARTED "read -r line; exit 7", "it exited with status 7"},
        Useless{"ends at once", STARTED, "it exited with status 0"},
        Useless{"crashes", STARTED "read -r line; kill -SEGV $$",
                "it was killed by signal 11 (Segmentation fault)"},
        Useless{"hangs", STARTED "read -r line; exec sleep 1000", "no response within 200 ms",
                200ms},
        Useless{"answers half a line", STARTED "read -r line; printf '{'; exec sleep 1000",
                "no response within 200 ms", 200ms},
        Useless{"closes its input and keeps running", STARTED "exec <&- >&-; exec sleep 1000",
                "it was killed by signal 9 (Killed)", 200ms},
        Useless{"chats", STARTED "read -r line; echo Hello.; cat >/dev/null",
                "its response is not JSON: Hello."},
        Useless{"chats and keeps running",
                STARTED "read -r line; echo Hello.; exec <&- >&-; exec sleep 1000",
                "its response is not JSON: Hello.", 2s},
        Useless{"answers something else", STARTED "read -r line; echo '{\"value\":1}'; cat",
                "its response is neither a document nor an error: {\"value\":1}"},
        Useless{"gives an error without a code", STARTED "read -r line; echo '{\"error\":{}}'; cat",
                "its response is neither a document nor an error: {\"error\":{}}"},
        Useless{"never ends its answer", STARTED "exec tr '\\n' x </dev/zero 2>/dev/null",
                "its response is too large"}),
    [](const auto& info) {
      std::string name = info.param.name;
      for (char& c : name) c = c == ' ' ? '_' : c;
      return name;
    });

/// The filter stays for the rest of the process, so another one runs the converter.
TEST(AppConverters, HaveTimeToExitWithoutDescriptorsOfProcesses) {
  const World world;
  const auto program = world.write("convert", "#!/bin/sh\nexec <&- >&-\nsleep 0.2\nexit 7\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const auto run = [&program] {
    if (!refuse({SYS_pidfd_open}, ENOSYS)) return std::string("cannot confine");
    return std::string(AppConverter(program, 60s).convert(album_1, {.to = "2"}).error().found());
  };
  EXPECT_EXIT(
      {
        std::cerr << run() << "\n";
        ::_exit(0);
      },
      testing::ExitedWithCode(0), "^it exited with status 7\n");
}

TEST(AppConverters, ReportThatTheyCannotBeStarted) {
  const World world;
  AppConverter app(world.write("convert", "no program"), 60s);
  const auto converted = app.convert(album_1, {.to = "2"});
  ASSERT_FALSE(converted);
  EXPECT_EQ(converted.error().code(), "converter-failed");
  EXPECT_EQ(converted.error().found(), "it cannot be started: Permission denied");
}

}}  // namespace tenon::tests
