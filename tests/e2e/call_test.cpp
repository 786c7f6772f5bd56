// SPDX-License-Identifier: BSL-1.0
//
// The command `tenon call`. TENON is the program, WRONG the directory of modules that break rules,
// PROBES that of modules of the tests of the loader, DPKG an example plugin, ABI and SPECS the
// directories of the specs of the standard kinds and of the tests.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests { namespace {

/// Returns a path with its drive on Windows: the worlds may be on another one.
std::string absolute(const std::string& path) {
  return std::filesystem::absolute(path).string();
}

const std::string good = absolute(WRONG "/good.so");
const std::string unruly = absolute(WRONG "/unruly.so");
const std::string probe = absolute(PROBES "/probe-1.so");
const std::string pipeline = absolute(WRONG "/pipeline-nothing.so");

#ifdef _WIN32
const std::string crashed = "the plugin crashed: EXCEPTION_ACCESS_VIOLATION";
const std::string aborted = "the plugin ended the process with status 3";  // by the C library
#else
const std::string crashed = "the plugin crashed: SIGSEGV";
const std::string aborted = "the plugin crashed: SIGABRT";
#endif

class CallCommand : public testing::Test {
 protected:
  /// Calls with the specs of the kinds of tests.
  Outcome call(std::vector<std::string> arguments, const std::string& specs = SPECS "/echo") const {
    arguments.insert(arguments.begin(), {TENON, "call"});
    arguments.insert(arguments.end(), {"--specs", absolute(specs)});
    return world_.run_portably(arguments);
  }
  Outcome call_probe(std::vector<std::string> arguments) const {
    return call(std::move(arguments), SPECS "/probe");
  }
  Outcome call_standard(std::vector<std::string> arguments) const {
    return call(std::move(arguments), ABI);
  }
  /// Expects that a command fails with a text on standard error, and prints nothing else.
  static void expect_failure(const Outcome& run, int exit, const std::string& text) {
    EXPECT_EQ(run.exit, exit) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find(text), std::string::npos) << text << " in\n" << run.err;
  }

  World world_{"tenon"};
};

TEST_F(CallCommand, PrintsTheResponse) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {good, "say", R"({"text": "hello"})"},
           {good, "test.example/echo", "say", R"({"text": "hello"})"}}) {
    const Outcome run = call(words);
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(run.out, "{\"text\":\"1: hello\"}\n");
    EXPECT_EQ(run.err, "");
  }
  EXPECT_EQ(call({good, "count", "{}"}).out, "{\"calls\":0}\n") << "each call loads the module";
}

TEST_F(CallCommand, ConfiguresThePlugin) {
  EXPECT_EQ(call_probe({probe, "word", "{}"}).out, "{\"word\":\"\"}\n");
  EXPECT_EQ(call_probe({probe, "word", "{}", "--config", "word=sugar=sweet"}).out,
            "{\"word\":\"sugar=sweet\"}\n");
  world_.set("DRINK", "tea");
  EXPECT_EQ(call_probe({probe, "word", "{}", "--config", R"({"word": "${DRINK}"})"}).out,
            "{\"word\":\"tea\"}\n");
  world_.write("drink", "coffee");
  EXPECT_EQ(call_probe({probe, "word", "{}", "--config", R"({"word": {"file": "drink"}})"}).out,
            "{\"word\":\"coffee\"}\n");
}

TEST_F(CallCommand, ReportsAConfigurationThatThePluginRefuses) {
  const std::string configure_fails = absolute(PROBES "/probe-configure-fails.so");
  expect_failure(
      call_probe({configure_fails, "word", "{}"}), 1,
      "tenon call: test.example/probe: configure: invalid-argument: not in this edition");
  const std::string without_configure = absolute(PROBES "/probe-without-configure.so");
  EXPECT_EQ(call_probe({without_configure, "edition", "{}"}).out, "{\"edition\":2}\n");
  expect_failure(call_probe({without_configure, "edition", "{}", "--config", "a=b"}), 1,
                 "configure: unimplemented");
}

TEST_F(CallCommand, RefusesAWrongConfiguration) {
  const auto with = [this](const std::string& config) {
    return call_probe({probe, "word", "{}", "--config", config});
  };
  expect_failure(with("word"), 2, "--config: found 'word', needed KEY=VALUE or a JSON object");
  expect_failure(with("=word"), 2, "--config: found '=word'");
  expect_failure(with("{"), 2, "--config:1:1: error[not-json]");
  expect_failure(with(R"({"word": 3})"), 2, "--config:1:10: error[wrong-type]");
  expect_failure(with(R"({"word": "${NOT_SET}"})"), 2, "error[unset-variable]");
  expect_failure(call_probe({probe, "word", "{}", "--config", "a=b", "--config", "a=c"}), 2,
                 "--config: 'a' is configured twice");
  expect_failure(call_probe({probe, "configure", R"({"config": {}})", "--config", "a=b"}), 2,
                 "--config: 'configure' is called before or without a configuration");
}

TEST_F(CallCommand, HidesTheValuesOfVariables) {
  world_.set("SECRET", std::string(70, 'x') + "hunter2");
  const Outcome run = call_probe({probe, "word", "{}", "--config", R"({"word": "${SECRET}"})"});
  expect_failure(run, 1, "configure: invalid-argument: long word");
  EXPECT_EQ(run.err.find("hunter2"), std::string::npos);
}

TEST_F(CallCommand, PrintsTheStatusOfAFailedCall) {
  const Outcome refused =
      call_probe({probe, "refuse", R"({"status": 5, "message": "no such \u001b[2Jtea"})"});
  expect_failure(refused, 1, "tenon call: test.example/probe: refuse: not-found: no such ");
  expect_failure(refused, 1, "x1b[2Jtea\n");  // escaped
  expect_failure(call_probe({probe, "missing", "{}"}), 1, "missing: unimplemented");
  expect_failure(call_probe({absolute(PROBES "/probe-create-fails.so"), "word", "{}"}), 1,
                 "test.example/probe: create failed: no room for a probe");
  expect_failure(call_probe({probe, "ask", R"({"reference": "another", "text": ""})"}), 1,
                 "ask: not-found: there are no other plugins");
}

TEST_F(CallCommand, EndsACallAtItsDeadline) {
  const Outcome run = call_probe(
      {probe, "pause", R"({"time": 3600000000000, "in_child": false})", "--timeout", "50ms"});
  EXPECT_EQ(run.out, "{\"reason\":2}\n") << run.err;
}

TEST_F(CallCommand, CallsTheMethodsThatLeadToTheState) {
  world_.write("status", "Package: tea\nStatus: install ok installed\nVersion: 1.0\n\n");
  const Outcome run =
      call_standard({absolute(DPKG), "--kind", "tenon.dev/source", "read_batch", R"({"max": 1})",
                     "--config", "path=" + (world_.root() / "status").string()});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out.find(R"({"records":[{"position":)"), 0U) << run.out;
  EXPECT_NE(run.out.find(R"("key":"dGVh")"), std::string::npos) << run.out;
}

TEST_F(CallCommand, PrintsDocumentsAsJson) {
  const Outcome run = call_standard({absolute(DPKG), "specify", "{}"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out.find(R"({"specification":{"name":"example.io/dpkg")"), 0U) << run.out;
}

TEST_F(CallCommand, NamesTheFunctionInWhichAPluginCrashes) {
  const auto say = [this](const std::string& text) {
    return call({unruly, "say", R"({"text": ")" + text + "\"}"});
  };
  expect_failure(say("write to nowhere"), 1, "tenon call: " + crashed + ", in say\n");
  expect_failure(say("abort"), 1, aborted + ", in say\n");
#ifndef _WIN32
  expect_failure(say("end the process"), 1, "the plugin ended the process with status 9, in say\n");
#endif
  expect_failure(say("call exit"), 1, "the plugin ended the process with status 0, in say\n");
  expect_failure(say("throw an exception"), 1,
                 "say: an exception left the method: no more coffee\n");
  expect_failure(say("throw a number"), 1, "say: an exception left the method\n");
  const std::string hello = R"({"text": "hello"})";
  for (const std::string function : {"start", "create", "destroy", "stop"}) {
    expect_failure(call({absolute(WRONG "/crash-in-" + function + ".so"), "say", hello}), 1,
                   crashed + ", in " + function + "\n");
  }
}

TEST_F(CallCommand, EndsAPluginThatHangs) {
  expect_failure(call({unruly, "say", R"({"text": "print for ever"})", "--timeout", "100ms"}), 1,
                 "tenon call: still running after 5100 ms, in say\n");
}

TEST_F(CallCommand, LeavesNoDirectory) {
  const std::filesystem::path temporary = world_.path("temporary/of-calls").parent_path();
  world_.set(temporary_variable, temporary.string());
  EXPECT_EQ(call({good, "count", "{}"}).exit, 0);
  EXPECT_EQ(call({unruly, "say", R"({"text": "write to nowhere"})"}).exit, 1);
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

TEST_F(CallCommand, ReportsWrongResponses) {
  const auto say = [this](const std::string& text) {
    return call({unruly, "say", R"({"text": ")" + text + "\"}"});
  };
  expect_failure(say("return nothing"), 1, "say returned a wrong response: there is no response\n");
  expect_failure(say("return no data"), 1,
                 "say returned a wrong response: text has a size and no data\n");
  expect_failure(
      say("return half a struct"), 1,
      "say returned a wrong response: struct_size is 12, and the fields need at least 24");
  expect_failure(say("return an undefined status"), 1, "say returned the undefined status -1\n");
}

TEST_F(CallCommand, RefusesAWrongRequest) {
  expect_failure(call({good, "say", "{}"}), 2,
                 "tenon call: the request: text: is missing, needed string\n");
  expect_failure(call({good, "say", R"({"text": 3})"}), 2,
                 "the request: text: expected text, found number 3\n");
  expect_failure(call({good, "say", R"({"text": "a", "txt": "b"})"}), 2,
                 "the request: txt: is not a field; did you mean 'text'?\n");
  expect_failure(call({good, "say", R"({"text")"}), 2, "the request: ");
  const std::string needed = ", needed FILE [PLUGIN] METHOD JSON; add ";
  expect_failure(call({good, "say"}), 2,
                 "tenon call: JSON is missing: found FILE 'say'" + needed +
                     "the request of the method, such as {}\nSee tenon call --help.\n");
  expect_failure(call({good}), 2, "tenon call: METHOD and JSON are missing: found FILE" + needed);
  expect_failure(call({good, "{}"}), 2,
                 "tenon call: METHOD is missing: found FILE '{}'" + needed +
                     "the method before the request\n");
  expect_failure(call({}), 2, "tenon call: FILE is required\n");
  EXPECT_EQ(call({good, "--help"}).exit, 0);
  expect_failure(call({good, "test.example/echo", "say"}), 2,
                 "found 'say' as the request, needed a JSON object such as {}\n");
}

TEST_F(CallCommand, RefusesStreams) {
  expect_failure(
      call_standard({WRONG "/backup-nothing.so", "get_object", R"({"bucket": "b", "key": "k"})"}),
      2, "the method has the stream 'body', and streams cannot be called from here\n");
}

TEST_F(CallCommand, RefusesUnknownNames) {
  expect_failure(call({good, "sya", "{}"}), 2, "there is no method 'sya'; did you mean 'say'?\n");
  expect_failure(
      call({good, "test.example/ecko", "say", "{}"}), 2,
      "the module has no plugin 'test.example/ecko'; did you mean 'test.example/echo'?\n");
  expect_failure(call({good, "say", "{}", "--kind", "test.example/eco"}), 2,
                 "no such plugin of kind 'test.example/eco'; did you mean 'test.example/echo'?\n");
}

TEST_F(CallCommand, RefusesAnAmbiguousMethod) {
  expect_failure(call_standard({pipeline, "configure", R"({"config": {}})"}), 2,
                 "several plugins have a method 'configure': 'test.example/numbers "
                 "(tenon.dev/source)'");
}

TEST_F(CallCommand, NeedsTheSpecOfTheKind) {
  const Outcome unknown = world_.run_portably({TENON, "call", good, "say", "{}"});
  expect_failure(unknown, 1, "error[unknown-kind] test.example/echo");
  EXPECT_NE(unknown.err.find("found   test.example/echo version 1"), std::string::npos);
  EXPECT_NE(unknown.err.find("--specs"), std::string::npos);
  expect_failure(call({absolute(WRONG "/kind-differs.so"), "say", "{}"}), 1, "error[kind-differs]");
}

TEST_F(CallCommand, ReportsFilesThatAreNoModules) {
  world_.write("text.so", "no module");
  expect_failure(call({"text.so", "say", "{}"}), 1, "error[not-a-module]");
  expect_failure(call({"nowhere.so", "say", "{}"}), 3, "error[not-found] nowhere.so");
}

}}  // namespace tenon::tests
