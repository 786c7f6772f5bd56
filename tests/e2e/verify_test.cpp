// SPDX-License-Identifier: BSL-1.0
//
// The command `tenon verify` on all systems.
#ifndef _WIN32
#include <sys/prctl.h>
#endif

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "e2e/verify_command.hpp"
#include "framework/path_texts.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace json = boost::json;

#ifdef _WIN32
constexpr bool notices_processes = true;
constexpr bool system_catches_crashes = true;  // in constructors and destructors of a module
const std::string bad_access = "EXCEPTION_ACCESS_VIOLATION";
const std::string damaged_heap = "STATUS_HEAP_CORRUPTION";
constexpr int crashed = static_cast<int>(0xC0000005);
const std::vector<std::string> exits = {"call exit"};
#else
// Emulators cannot filter system calls.
const bool notices_processes = ::prctl(PR_GET_SECCOMP) == 0;
constexpr bool system_catches_crashes = false;
const std::string bad_access = "SIGSEGV";
const std::string damaged_heap = "SIGABRT";
constexpr int crashed = 128 + SIGSEGV;
const std::vector<std::string> exits = {"call exit", "call quick_exit"};
#endif

TEST_F(VerifyCommand, PrintsALineForEachCaseAndTheTotals) {
  const Outcome run = verify({wrong("pipeline-nothing"), "--config", "numbers.json"});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(line_of(run.out, "module", "loads as"),
            "module  test.example/numbers  loads as declared in its manifest  passed");
  EXPECT_EQ(
      line_of(run.out, "tenon.dev/source", "resumes"),
      "tenon.dev/source  test.example/numbers  resumes after an acknowledged position  passed");
  EXPECT_EQ(line_of(run.out, "tenon.dev/destination", "stops"),
            "tenon.dev/destination  test.example/numbers  stops without records  not run: no "
            "configuration is given");
  EXPECT_EQ(last_line(run.out), "30 passed, 0 failed, 17 not run\n");
}

TEST_F(VerifyCommand, ContinuesAfterACrash) {
  const Outcome run = verify({wrong("pipeline-crashes-in-teardown"), "--config", "numbers.json"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(line_of(run.out, "tenon.dev/source", "can be torn down"),
            "tenon.dev/source  test.example/numbers  can be torn down without open  failed: the "
            "plugin crashed: " +
                bad_access);
  EXPECT_EQ(last_line(run.out), "29 passed, 1 failed, 17 not run\n");
}

TEST_F(VerifyCommand, EndsAHangingCase) {
  const Outcome run =
      verify({wrong("pipeline-hangs"), "--config", "numbers.json", "--timeout", "1s"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(line_of(run.out, "tenon.dev/source", "accepts acknowledgements after"),
            "tenon.dev/source  test.example/numbers  accepts acknowledgements after stop  failed: "
            "still running after 1000 ms");
}

TEST_F(VerifyCommand, RefusesSeedsThatAreNoNumbers) {
  for (const std::string seed : {"x", "-1", "7x", "18446744073709551616"}) {
    const Outcome run = verify({wrong("pipeline-crashes-in-teardown"), "--seed", seed});
    EXPECT_EQ(run.exit, 2) << seed;
    EXPECT_EQ(run.err, "tenon verify: --seed: found \"" + seed +
                           "\", needed a number from 0 to 18446744073709551615\n"
                           "See tenon verify --help.\n");
  }
}

TEST_F(VerifyCommand, PrintsJson) {
  const Outcome run = verify_as_json({wrong("pipeline-crashes-in-teardown"), "--seed", "7"});
  EXPECT_EQ(run.exit, 1) << run.err;
  const json::object all = json::parse(run.out).as_object();
  EXPECT_EQ(all.at("tenon").at("command"), "verify");
  EXPECT_EQ(all.at("seed"), 7);
  EXPECT_EQ(all.at("interrupted"), false);
  EXPECT_EQ(all.at("errors"), json::array());
  ASSERT_EQ(all.at("files").as_array().size(), 1U);
  const json::object result = all.at("files").at(0).as_object();
  EXPECT_EQ(result.at("file"), wrong("pipeline-crashes-in-teardown").c_str());
  EXPECT_EQ(all.at("passed"), result.at("passed"));
  EXPECT_EQ(all.at("not_run"), result.at("not_run"));
  EXPECT_EQ(result.at("failed"), 1);
  EXPECT_EQ(result.at("passed").as_int64() + result.at("not_run").as_int64() + 1,
            result.at("cases").as_array().size());
  EXPECT_EQ(result.at("cases").at(0), json::object({{"kind", nullptr},
                                                    {"plugin", "test.example/numbers"},
                                                    {"case", "loads as declared in its manifest"},
                                                    {"verdict", "passed"},
                                                    {"reason", nullptr}}));
  EXPECT_EQ(result.at("errors"), json::array());
}

TEST_F(VerifyCommand, LoadsAModuleOfAKindThatItDoesNotKnow) {
  const Outcome run = verify({wrong("good")});
  EXPECT_EQ(run.exit, 0) << run.out;
  EXPECT_EQ(last_line(run.out), "4 passed, 0 failed, 1 not run\n");
  EXPECT_NE(run.out.find("not run: no spec of the kind is known; name the app with -a"),
            std::string::npos)
      << run.out;
}

TEST_F(VerifyCommand, CallsTheMethodsOfAnyKind) {
  for (const char* module : {"good", "good-by-hand", "thread-joined"}) {
    const Outcome run = verify_echo({wrong(module), "--seed", "12"});
    EXPECT_EQ(run.exit, 0) << run.out << run.err;
    EXPECT_NE(run.out.find("say handles valid requests"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("generated requests: --seed 12, with"), std::string::npos) << run.out;
    EXPECT_EQ(last_line(run.out), "6 passed, 0 failed, 0 not run\n");
  }
}

TEST_F(VerifyCommand, CallsTheMethodsOfStandardKinds) {
  const auto methods = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{wrong("pipeline-nothing"), "--config", "numbers.json",
                                       "--specs", absolute(ABI)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome run = verify(arguments);
    EXPECT_EQ(run.exit, 0) << run.out << run.err;
    return run.out;
  };
  const std::string out = methods({});
  EXPECT_EQ(line_of(out, "tenon.dev/source", "read_batch handles"),
            "tenon.dev/source  test.example/numbers  read_batch handles valid requests  passed");
  EXPECT_EQ(line_of(out, "tenon.dev/destination", "open handles"),
            "tenon.dev/destination  test.example/numbers  open handles valid requests  not run: it "
            "may change data; allow that with --yes");
  EXPECT_EQ(line_of(methods({"--yes"}), "tenon.dev/destination", "open handles"),
            "tenon.dev/destination  test.example/numbers  open handles valid requests  not run: no "
            "configuration is given");
}

TEST_F(VerifyCommand, NamesTheFunctionThatEndsItsProcess) {
  const std::pair<const char*, const char*> functions[] = {
      {"constructor", "in the constructors of the module"},
      {"start", "in start"},
      {"create", "in create"},
      {"say", "in say with {\"text\":\"\"}"},
      {"destroy", "in destroy"},
      {"stop", "in stop"},
      {"destructor", "in the destructors of the module"}};
  std::vector<std::pair<const char*, std::string>> faults = {
      {"write to nowhere", "the plugin crashed: " + bad_access + ", "},
      // The leak checker starts a process at the exit.
      {"call exit",
       SANITIZED != 0 ? "the plugin " : "the plugin ended the process with status 0, "},
      {"print for ever", "the plugin printed more than 64 KiB, "}};
  // The allocators of sanitizers do not see what modules write.
  if (SANITIZED == 0) {
    faults.emplace_back("damage the heap", "the plugin crashed: " + damaged_heap + ", ");
  }
  if (notices_processes) {
    faults.emplace_back("start a process", "the plugin started a process, ");
  }
  for (const auto& [function, where] : functions) {
    for (const auto& [fault, text] : faults) plant(function, fault);
  }
  // All of them at once: `planted` has them where hosts find modules.
  const Outcome run = verify_echo_as_json({"planted", "--timeout", "5m"});
  EXPECT_EQ(run.exit, 1) << run.err;
  const json::value all = json::parse(run.out);
  for (const auto& [function, where] : functions) {
    for (const auto& [fault, text] : faults) {
      const bool of_module = std::string_view(where).ends_with("of the module");
      if (system_catches_crashes && of_module && text.find(bad_access) != std::string::npos) {
        continue;
      }
      const std::string path = "planted/" + std::string(function) + "/" + fault + "/unruly.so";
      const auto& files = all.at("files").as_array();
      const auto* file = std::ranges::find_if(
          files, [&](const json::value& one) { return one.at("file") == path.c_str(); });
      ASSERT_NE(file, files.end()) << path;
      const auto& cases = file->at("cases").as_array();
      EXPECT_TRUE(std::ranges::any_of(cases, [text = text, where = where](const json::value& one) {
        if (one.at("verdict") != "failed") return false;
        const std::string_view reason = one.at("reason").as_string();
        return reason.starts_with(text) && reason.ends_with(where);
      })) << *file;
    }
  }
}

TEST_F(VerifyCommand, ReportsWhatAMethodDoesWrong) {
  const std::pair<const char*, const char*> faults[] = {
      {"return nothing",
       "failed: say returned a wrong response: there is no response; called with {\"text\":\"\"}"},
      {"return an undefined status", "failed: say returned the undefined status -1; called with "},
      {"throw a number", "failed: say: an exception left the method; called with "},
      {"change the process",
       "failed: changed: the handler of SIGINT, the environment, the mask for new files"},
      {"map a file", "failed: leaked: mapping of /"},
#ifndef _WIN32
      {"close all descriptors", "failed: the plugin closed descriptors that are not its own"},
#endif
      {"spawn a process", notices_processes ? "failed: the plugin started a process, in say"
                                            : "say handles valid requests"},
  };
  for (const auto& [fault, text] : faults) {
    const Outcome run = verify_echo({plant("say", fault), "--timeout", "15s"});
    EXPECT_NE(run.out.find(text), std::string::npos) << fault << ": " << run.out << run.err;
    const bool fails = std::string_view(text).starts_with("failed");
    EXPECT_EQ(run.exit, fails ? 1 : 0) << fault;
    EXPECT_EQ(last_line(run.out),
              fails ? "4 passed, 1 failed, 1 not run\n" : "5 passed, 0 failed, 1 not run\n")
        << fault;
  }
}

TEST_F(VerifyCommand, NamesTheFunctionThatHangs) {
  for (const auto& [function, where] :
       {std::pair("say", ", in say with {\"text\":\"\"}\n"), std::pair("stop", ", in stop\n")}) {
    const Outcome run = verify_echo({plant(function, "wait for ever"), "--timeout", "2s"});
    EXPECT_EQ(run.exit, 1);
    EXPECT_NE(run.out.find("failed: still running after 2000 ms" + std::string(where)),
              std::string::npos)
        << run.out << run.err;
  }
}

TEST_F(VerifyCommand, VerifiesSeveralModules) {
  const std::string good = wrong("good");
  const Outcome run = verify_echo({good, wrong("start-failed"), "nowhere.so"});
  EXPECT_EQ(run.exit, 3) << run.out;
  const std::size_t first = run.out.find(good + "\n");
  const std::size_t second = run.out.find(wrong("start-failed") + "\n");
  EXPECT_EQ(first, 0U) << run.out;
  EXPECT_LT(second, run.out.find("failed: test.example/faults: start failed: the coffee is cold"));
  EXPECT_NE(run.err.find("error[not-found] nowhere.so"), std::string::npos) << run.err;
  EXPECT_EQ(last_line(run.out), "6 passed, 6 failed, 0 not run\n");
}

TEST_F(VerifyCommand, TakesModulesFromDirectories) {
  world_.place(WRONG "/good.so", "b.so");
  world_.place(WRONG "/good.so", "a.so");
  world_.write("plugins/library.so", "no module");
  world_.write("plugins/README", "no module");
  const Outcome run = verify_echo({"plugins"});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_EQ(run.out.find("plugins/a.so\n"), 0U) << run.out;
  EXPECT_NE(run.out.find("\nplugins/b.so\n"), std::string::npos) << run.out;
  EXPECT_EQ(last_line(run.out), "12 passed, 0 failed, 0 not run\n");

  world_.write("empty/library.so", "no module");
  const Outcome empty = verify_echo({"empty"});
  EXPECT_EQ(empty.exit, 1);
  EXPECT_EQ(empty.err, "tenon verify: there is no module in empty\n");
  const Outcome as_json = verify_echo_as_json({"empty"});
  EXPECT_EQ(as_json.exit, 1);
  const json::value all = json::parse(as_json.out);
  EXPECT_EQ(all.at("files"), json::array());
  EXPECT_EQ(all.at("errors").at(0).at("where"), "empty");
}

TEST_F(VerifyCommand, FailsIfNoCaseCanBeRun) {
  const std::string module = plant("start", "need another");
  const Outcome run = verify_echo({module});
  EXPECT_EQ(run.exit, 1) << run.out;
  EXPECT_EQ(last_line(run.out), "0 passed, 0 failed, 6 not run\n");
  EXPECT_EQ(run.err, "tenon verify: " + module + ": no case could be run\n");
}

TEST_F(VerifyCommand, RunsInItsOwnProcessForADebugger) {
  const Outcome run = verify_echo({wrong("good"), "--in-process"});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_EQ(last_line(run.out), "6 passed, 0 failed, 0 not run\n");
  if (SANITIZED == 0) {  // a sanitizer ends the process in its own way
    EXPECT_EQ(verify_echo({plant("say", "write to nowhere"), "--in-process"}).exit, crashed);
  }
  const Outcome several = verify_echo({wrong("good"), wrong("good"), "--in-process"});
  EXPECT_EQ(several.exit, 2);
  EXPECT_EQ(several.err, "tenon verify: --in-process: found 2 modules, needed one\n");
}

TEST_F(VerifyCommand, UnloadsAModuleInItsOwnProcessWhenACaseIsLeft) {
  const Outcome run = verify_echo({plant("start", "need another once"), "--in-process"});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_EQ(last_line(run.out), "4 passed, 0 failed, 2 not run\n") << run.out;
}

TEST_F(VerifyCommand, ReportsAnExitOfItsOwnProcess) {
  for (const std::string& fault : exits) {
    const Outcome run = verify_echo({plant("say", fault), "--in-process"});
    EXPECT_EQ(run.exit, 1) << fault;
    EXPECT_NE(run.out.find("failed: the plugin ended the process\n"), std::string::npos)
        << run.out << run.err;
    EXPECT_EQ(last_line(run.out), "4 passed, 1 failed, 1 not run\n") << fault;
  }
  const Outcome as_json = verify_echo_as_json({plant("start", "call exit"), "--in-process"});
  EXPECT_EQ(as_json.exit, 1);
  EXPECT_EQ(json::parse(as_json.out).at("failed"), 1);
}

TEST_F(VerifyCommand, FindsFaultsOfKindsThatItDoesNotKnow) {
  const std::string of_crash = "failed: the plugin crashed: " + bad_access + ", ";
  const struct {
    const char* module;
    const char* rule;
    std::string verdict;
  } faults[] = {
      {"changes-the-process", "leaves the settings",
       "failed: changed: the handler of SIGINT, the environment, the mask for new files"},
      {"crash-in-constructor", "loads as",
       system_catches_crashes ? "failed: it cannot be loaded: "
                              : of_crash + "in the constructors of the module"},
      {"crash-in-create", "loads as", of_crash + "in create"},
      {"crash-in-destroy", "loads as", of_crash + "in destroy"},
      {"crash-in-stop", "loads again", of_crash + "in stop"},
      {"differs-count", "loads as", "failed: it registers 2 plugins, and its manifest declares 1"},
      {"differs-name", "loads as", "failed: it does not register "},
      {"exit-in-start", "loads as",
       SANITIZED != 0 ? "failed: the plugin "
                      : "failed: the plugin ended the process with status 0, in start"},
      {"start-failed", "loads as", "failed: test.example/faults: start failed: the coffee is cold"},
      {"thread-stays", "leaves no threads", "failed: "},
#ifndef _WIN32
      {"unruly-with-threads", "loads again", "passed"},
#endif
  };
  for (const auto& [module, rule, verdict] : faults) {
    const Outcome run = verify({wrong(module), "--timeout", "30s"});
    const std::string line = line_of(run.out, "module", rule);
    EXPECT_NE(line.find(verdict), std::string::npos) << module << ": " << run.out << run.err;
    EXPECT_EQ(run.exit, verdict == "passed" ? 0 : 1) << module;
  }
}

TEST_F(VerifyCommand, NamesTheVariableForRequiredPackages) {
  const Outcome run = verify({world_.place(MODULES "/lost-1.0.0.so").string()});
  EXPECT_EQ(run.exit, 1) << run.out;
  EXPECT_NE(run.out.find("fix     add a version of example.io/nobody ^2; name its directory in "
                         "$TENON_CONFORMANCE_PLUGIN_PATH\n"),
            std::string::npos)
      << run.out;
  EXPECT_NE(world_.run({TENON, "verify", "--help"}).out.find("$TENON_CONFORMANCE_PLUGIN_PATH"),
            std::string::npos);
}

TEST_F(VerifyCommand, ReportsAFileThatIsNoModule) {
  world_.write("text.so", "no module");
  const Outcome run = verify({"text.so"});
  EXPECT_EQ(run.exit, 1) << run.out;
  EXPECT_NE(run.err.find("error[not-a-module]"), std::string::npos) << run.err;
  EXPECT_EQ(run.out, "");
}

TEST_F(VerifyCommand, ReportsAMissingFile) {
  const Outcome run = verify({"nowhere.so"});
  EXPECT_EQ(run.exit, 3);
  EXPECT_NE(run.err.find("error[not-found] nowhere.so"), std::string::npos) << run.err;
}

TEST_F(VerifyCommand, ReportsAMissingDirectoryForTemporaryFiles) {
  world_.set(temporary_variable, (world_.root() / "none").string());
  const Outcome run = verify({wrong("pipeline-nothing")});
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.err, "tenon: the directory for temporary files (" +
                         std::string(temporary_variable) + "): No such file or directory\n");
}

TEST_F(VerifyCommand, ReportsWrongConfigurationsWithTheirLocations) {
  world_.write("wrong.json", R"([
    {"kind": "tenon.dev/source", "plugin": "test.example/number", "config": {}},
    {"kind": "tenon.dev/source", "plugin": "test.example/numbers", "confg": {}},
    {"kind": "tenon.dev/source", "plugin": "test.example/numbers", "config": {"count": 3}}
  ])");
  const Outcome run = verify({wrong("pipeline-nothing"), "--config", "wrong.json"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_EQ(run.out, "") << "no case was run";
  for (const char* finding :
       {"wrong.json:2:44: error[not-found]", "wrong.json:3:68: error[unknown-key]",
        "wrong.json:4:44: error[duplicate-plugin]", "wrong.json:4:88: error[wrong-type]"}) {
    EXPECT_NE(run.err.find(finding), std::string::npos) << finding << " in\n" << run.err;
  }
  world_.write("wrong.json", R"([{"kind": "tenon.dev/source"}])");
  const Outcome nameless = verify({wrong("pipeline-nothing"), "--config", "wrong.json"});
  EXPECT_EQ(nameless.exit, 2);
  EXPECT_NE(nameless.err.find("error[missing-key]"), std::string::npos) << nameless.err;
  EXPECT_EQ(nameless.err.find("error[not-found]"), std::string::npos) << nameless.err;
  const Outcome missing = verify({wrong("pipeline-nothing"), "--config", "nowhere.json"});
  EXPECT_EQ(missing.exit, 3);
  EXPECT_EQ(missing.err,
            unreadable_text("nowhere.json", "reading the file: No such file or directory"));
}

TEST_F(VerifyCommand, PrintsWrongConfigurationsAsJson) {
  world_.write("wrong.json", "[\n  {\"kind\": 1}]");
  struct {
    const char* file;
    int exit;
    const char* code;
    const char* where;
  } const files[] = {{"wrong.json", 2, "wrong-type", "wrong.json:2:12"},
                     {"nowhere.json", 3, "cannot-read", "nowhere.json"}};
  for (const auto& one : files) {
    SCOPED_TRACE(one.file);
    const Outcome run = verify_as_json({wrong("pipeline-nothing"), "--config", one.file});
    EXPECT_EQ(run.exit, one.exit);
    boost::system::error_code failed;
    const json::value result = json::parse(run.out, failed);
    ASSERT_FALSE(failed) << run.out << run.err;
    EXPECT_EQ(result.at("tenon").at("command"), "verify");
    EXPECT_EQ(result.at("files").at(0).at("cases"), json::array());
    const json::array& errors = result.at("errors").as_array();
    EXPECT_TRUE(std::ranges::any_of(errors, [&one](const json::value& error) {
      return error.at("code") == one.code && error.at("where") == one.where;
    })) << errors;
  }
}

TEST_F(VerifyCommand, DocumentsThatItRunsCode) {
  EXPECT_NE(world_.run({TENON, "--help"}).out.find("Only verify and call run code of a plugin."),
            std::string::npos);
}

TEST_F(VerifyCommand, RefusesTimeoutsOutOfRange) {
  for (const char* timeout : {"0s", "-1s", "soon", "25h"}) {
    const Outcome run = verify({wrong("pipeline-nothing"), "--timeout", timeout});
    EXPECT_EQ(run.exit, 2) << timeout;
    EXPECT_NE(run.err.find("needed a time from 1ms to 24h"), std::string::npos) << run.err;
  }
}

}}  // namespace tenon::tests
