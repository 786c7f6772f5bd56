// SPDX-License-Identifier: BSL-1.0
//
// The command `tenon verify`. TENON is the program, WRONG the directory of modules that are named
// after their faults, MODULES that of packages that require each other, ABI and SPECS those of the
// specs of the standard kinds and of the tests.
#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "framework/path_texts.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace json = boost::json;

const std::string right = WRONG "/pipeline-nothing.so";
const std::string crashes = WRONG "/pipeline-crashes-in-teardown.so";
const std::string hangs = WRONG "/pipeline-hangs.so";

class VerifyCommand : public testing::Test {
 protected:
  VerifyCommand() {
    world_.write("numbers.json", R"([{"kind": "tenon.dev/source", "plugin": "test.example/numbers",
                                      "config": {"count": "30"}}])");
  }

  Outcome verify(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {TENON, "verify"});
    return world_.run(arguments);
  }
  /// Runs with the specs of the kinds of tests.
  Outcome verify_echo(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--specs", specs_});
    return verify(std::move(arguments));
  }
  /// Places a copy of a module in which one function has a fault, see tests/faults/unruly.cpp.
  /// Returns its path.
  std::string plant(const std::string& function, const std::string& fault) const {
    const std::string directory = "planted/" + function + "/" + fault;
    world_.write(directory + "/fault", function + "\n" + fault + "\n");
    const auto path = world_.path(directory + "/unruly.so");
    std::filesystem::copy_file(WRONG "/unruly-planted.so", path);
    return path.string();
  }
  static std::string last_line(const std::string& text) {
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  }
  /// Returns the line of a case, without the padding of its columns.
  static std::string line_of(const std::string& text, const std::string& kind,
                             const std::string& name) {
    std::string all = text;
    for (std::size_t at = 0; (at = all.find("   ", at)) != std::string::npos;) all.erase(at, 1);
    const std::string begin = kind + "  test.example/numbers  " + name;
    const std::size_t at = all.find(begin);
    return at == std::string::npos ? all : all.substr(at, all.find('\n', at) - at);
  }

  World world_{"tenon"};
  const std::string specs_ = SPECS "/echo";  // of the kinds of tests
};

TEST_F(VerifyCommand, PrintsALineForEachCaseAndTheTotals) {
  const Outcome run = verify({right, "--config", "numbers.json"});
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

// A pipe to a child that got the number of the closed stream would show its content there.
TEST_F(VerifyCommand, OpensNoFileInPlaceOfAClosedStream) {
  const Outcome run =
      world_.run({"sh", "-c", "'" TENON "' verify '" + right + "' --config numbers.json >&-"});
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.err, "tenon: cannot write to standard output\n");
}

TEST_F(VerifyCommand, RefusesAConfigurationWithoutEnd) {
  const Outcome run = verify({right, "--config", "/dev/zero"});
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.err, unreadable_text("/dev/zero", "more than 64 MB"));
}

TEST_F(VerifyCommand, ContinuesAfterACrash) {
  const Outcome run = verify({crashes, "--config", "numbers.json"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(line_of(run.out, "tenon.dev/source", "can be torn down"),
            "tenon.dev/source  test.example/numbers  can be torn down without open  failed: the "
            "plugin crashed: SIGSEGV");
  EXPECT_EQ(last_line(run.out), "29 passed, 1 failed, 17 not run\n");
}

TEST_F(VerifyCommand, EndsAHangingCase) {
  const Outcome run = verify({hangs, "--config", "numbers.json", "--timeout", "1s"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(line_of(run.out, "tenon.dev/source", "accepts acknowledgements after"),
            "tenon.dev/source  test.example/numbers  accepts acknowledgements after stop  failed: "
            "still running after 1000 ms");
}

/// Returns whether a process of that name runs.
bool runs(const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stream(entry.path() / "comm");
    std::string found;
    if (std::getline(stream, found) && found == name) return true;
  }
  return false;
}

TEST_F(VerifyCommand, EndsProcessesThatLeaveTheirSession) {
  const Outcome run = verify({WRONG "/pipeline-leaves-a-process.so"});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_FALSE(runs("tenon-left"));
}

TEST_F(VerifyCommand, GivesPluginsNeitherSecretsNorTheTerminal) {
  world_.set("WORLD_SECRET", "hunter2");
  const Outcome run = verify({WRONG "/pipeline-looks-around.so"});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  const std::string memory = SANITIZED != 0 ? "enough" : "none";
  EXPECT_NE(run.err.find("\\x1b[2Jsecret none, memory " + memory + "\n"), std::string::npos)
      << run.err;
  EXPECT_EQ(run.err.find('\x1b'), std::string::npos);
}

TEST_F(VerifyCommand, RefusesSeedsThatAreNoNumbers) {
  for (const std::string seed : {"x", "-1", "7x", "18446744073709551616"}) {
    const Outcome run = verify({crashes, "--seed", seed});
    EXPECT_EQ(run.exit, 2) << seed;
    EXPECT_EQ(run.err, "tenon verify: --seed: found \"" + seed +
                           "\", needed a number from 0 to 18446744073709551615\n"
                           "See tenon verify --help.\n");
  }
}

TEST_F(VerifyCommand, PrintsJson) {
  const Outcome run = verify({crashes, "--json", "--seed", "7"});
  EXPECT_EQ(run.exit, 1) << run.err;
  const json::object all = json::parse(run.out).as_object();
  EXPECT_EQ(all.at("tenon").at("command"), "verify");
  EXPECT_EQ(all.at("seed"), 7);
  EXPECT_EQ(all.at("interrupted"), false);
  EXPECT_EQ(all.at("errors"), json::array());
  ASSERT_EQ(all.at("files").as_array().size(), 1U);
  const json::object result = all.at("files").at(0).as_object();
  EXPECT_EQ(result.at("file"), crashes.c_str());
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
  const Outcome run = verify({WRONG "/good.so"});
  EXPECT_EQ(run.exit, 0) << run.out;
  EXPECT_EQ(last_line(run.out), "4 passed, 0 failed, 1 not run\n");
  EXPECT_NE(run.out.find("not run: no spec of the kind is known; name the app with -a"),
            std::string::npos)
      << run.out;
}

TEST_F(VerifyCommand, CallsTheMethodsOfAnyKind) {
  for (const char* module : {"good", "good-by-hand", "thread-joined"}) {
    const Outcome run = verify_echo({WRONG "/" + std::string(module) + ".so", "--seed", "12"});
    EXPECT_EQ(run.exit, 0) << run.out << run.err;
    EXPECT_NE(run.out.find("say handles valid requests"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("generated requests: --seed 12, with"), std::string::npos) << run.out;
    EXPECT_EQ(last_line(run.out), "6 passed, 0 failed, 0 not run\n");
  }
}

TEST_F(VerifyCommand, CallsTheMethodsOfStandardKinds) {
  const auto methods = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{right, "--config", "numbers.json", "--specs", ABI};
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
  std::vector<std::pair<const char*, const char*>> faults = {
      {"write to nowhere", "the plugin crashed: SIGSEGV, "},
      // The leak checker starts a process at the exit.
      {"call exit",
       SANITIZED != 0 ? "the plugin " : "the plugin ended the process with status 0, "},
      {"print for ever", "the plugin printed more than 64 KiB, "}};
  // The allocators of sanitizers do not see what modules write.
  if (SANITIZED == 0) faults.emplace_back("damage the heap", "the plugin crashed: SIGABRT, ");
  // Emulators cannot filter system calls.
  if (::prctl(PR_GET_SECCOMP) == 0) {
    faults.emplace_back("start a process", "the plugin started a process, ");
  }
  for (const auto& [function, where] : functions) {
    for (const auto& [fault, text] : faults) plant(function, fault);
  }
  // All of them at once: `planted` has them where hosts find modules.
  const Outcome run = verify_echo({"planted", "--json", "--timeout", "5m"});
  EXPECT_EQ(run.exit, 1) << run.err;
  const json::value all = json::parse(run.out);
  for (const auto& [function, where] : functions) {
    for (const auto& [fault, text] : faults) {
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
      {"close all descriptors", "failed: the plugin closed descriptors that are not its own"},
      {"spawn a process", ::prctl(PR_GET_SECCOMP) == 0
                              ? "failed: the plugin started a process, in say"
                              : "say handles valid requests"},
  };
  for (const auto& [fault, text] : faults) {
    const Outcome run = verify_echo({plant("say", fault), "--timeout", "15s"});
    EXPECT_NE(run.out.find(text), std::string::npos) << fault << ": " << run.out << run.err;
    const bool fails = std::string_view(text).starts_with("failed");
    EXPECT_EQ(run.exit, fails ? 1 : 0) << fault;
    EXPECT_EQ(last_line(run.out),
              fails ? "4 passed, 1 failed, 1 not run\n" : "5 passed, 0 failed, 1 not run\n");
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

TEST_F(VerifyCommand, SurvivesSignalsOfPlugins) {
  const struct {
    const char* fault;
    const char* reason;
  } faults[] = {
      {"kill its group", "the plugin crashed: SIGKILL, in say with {\"text\":\"\"}"},
      {"ask itself to end", "the plugin crashed: SIGTERM, in say with {\"text\":\"\"}"},
      {"interrupt itself", "the plugin crashed: SIGINT, in say with {\"text\":\"\"}"},
      {"kill its parent",
       "the process that watches the plugin was ended by SIGKILL, in say with {\"text\":\"\"}"},
      {"stop its parent",
       "the process that watches the plugin was stopped, in say with {\"text\":\"\"}"},
      {"kill its grandparent", "the process that runs the cases was ended by SIGKILL"},
      {"stop its grandparent", "the process that runs the cases was stopped"},
  };
  for (const auto& one : faults) {
    // A plugin that is not stopped must not end this test.
    const Outcome run = world_.run({"setsid", "--wait", TENON, "verify", plant("say", one.fault),
                                    "--specs", specs_, "--timeout", "10m"});
    EXPECT_EQ(run.exit, 1) << one.fault;
    EXPECT_NE(run.out.find("failed: " + std::string(one.reason) + "\n"), std::string::npos)
        << one.fault << ": " << run.out << run.err;
    EXPECT_EQ(last_line(run.out), "4 passed, 1 failed, 1 not run\n") << one.fault;
  }
}

TEST_F(VerifyCommand, ContinuesWithTheOtherModulesIfAProcessIsKilled) {
  const std::string good = WRONG "/good.so";
  const Outcome run = verify_echo({plant("start", "kill its grandparent"), good});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_EQ(last_line(run.out), "6 passed, 1 failed, 5 not run\n") << run.out;
}

TEST_F(VerifyCommand, CallsMethodsWithoutNetwork) {
  const Outcome run = verify_echo({plant("say", "name the network")});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  const std::string own = std::filesystem::read_symlink("/proc/self/ns/net").string();
  EXPECT_NE(run.err.find("network net:["), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find(own) == std::string::npos,
            run.out.find(", without network\n") != std::string::npos)
      << run.out << run.err;
}

TEST_F(VerifyCommand, VerifiesSeveralModules) {
  const std::string good = WRONG "/good.so";
  const Outcome run = verify_echo({good, WRONG "/start-failed.so", "nowhere.so"});
  EXPECT_EQ(run.exit, 3) << run.out;
  const std::size_t first = run.out.find(good + "\n");
  const std::size_t second = run.out.find(WRONG "/start-failed.so\n");
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
  const Outcome as_json = verify_echo({"empty", "--json"});
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
  const Outcome run = verify_echo({WRONG "/good.so", "--in-process"});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_EQ(last_line(run.out), "6 passed, 0 failed, 0 not run\n");
  if (SANITIZED == 0) {  // a sanitizer ends the process in its own way
    EXPECT_EQ(verify_echo({plant("say", "write to nowhere"), "--in-process"}).exit, 128 + SIGSEGV);
  }
  const Outcome several = verify_echo({WRONG "/good.so", WRONG "/good.so", "--in-process"});
  EXPECT_EQ(several.exit, 2);
  EXPECT_EQ(several.err, "tenon verify: --in-process: found 2 modules, needed one\n");
}

TEST_F(VerifyCommand, LoadsANameWithoutDirectoryInItsOwnProcess) {
  world_.place(WRONG "/good.so");
  const Outcome run = world_.run({"env", "-C", world_.plugins().string(), TENON, "verify",
                                  "good.so", "--in-process", "--specs", specs_});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_EQ(last_line(run.out), "6 passed, 0 failed, 0 not run\n");
}

TEST_F(VerifyCommand, UnloadsAModuleInItsOwnProcessWhenACaseIsLeft) {
  const Outcome run = verify_echo({plant("start", "need another once"), "--in-process"});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_EQ(last_line(run.out), "4 passed, 0 failed, 2 not run\n") << run.out;
}

TEST_F(VerifyCommand, ReportsAnExitOfItsOwnProcess) {
  for (const std::string fault : {"call exit", "call quick_exit"}) {
    const Outcome run = verify_echo({plant("say", fault), "--in-process"});
    EXPECT_EQ(run.exit, 1) << fault;
    EXPECT_NE(run.out.find("failed: the plugin ended the process\n"), std::string::npos)
        << run.out << run.err;
    EXPECT_EQ(last_line(run.out), "4 passed, 1 failed, 1 not run\n") << fault;
  }
  const Outcome as_json = verify_echo({plant("start", "call exit"), "--in-process", "--json"});
  EXPECT_EQ(as_json.exit, 1);
  EXPECT_EQ(json::parse(as_json.out).at("failed"), 1);
}

// The reader of a pipe would print its lines after the progress.
TEST_F(VerifyCommand, ShowsNoProgressIfItsResultsGoThroughAPipe) {
  const std::string good = WRONG "/good.so";
  const std::string command = "'" TENON "' verify '" + good + "' --specs '" + specs_ + "' | cat";
  const Outcome run = world_.start_on_terminal({"sh", "-c", command}).wait();
  EXPECT_EQ(run.out.find("of 6 cases"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("6 passed, 0 failed, 0 not run"), std::string::npos) << run.out;
}

TEST_F(VerifyCommand, ShowsItsProgressOnATerminal) {
  const std::string good = WRONG "/good.so";
  const Outcome run = world_.start_on_terminal({TENON, "verify", good, "--specs", specs_}).wait();
  EXPECT_EQ(run.exit, 0) << run.out;
  EXPECT_NE(run.out.find("\r0 of 1 module, 0 of 6 cases"), std::string::npos) << run.out;
}

TEST_F(VerifyCommand, PrintsTheResultsSoFarWhenItIsInterrupted) {
  world_.set("TMPDIR", world_.path("temporary/").string());
  const std::string hangs_in_say = plant("say", "wait for ever");
  for (const int number : {SIGINT, SIGTERM}) {
    // Shells start programs in the background with SIGINT ignored.
    Child run = world_.start({"env", "--default-signal=INT,TERM", TENON, "verify", hangs_in_say,
                              "--specs", specs_, "--timeout", "10m"});
    const std::string mark = "waiting ";
    ASSERT_TRUE(eventually([&] { return run.err().ends_with('\n'); })) << run.err();
    const std::string err = run.err();
    ASSERT_NE(err.find(mark), std::string::npos) << err;
    const pid_t plugin = std::stoi(err.substr(err.find(mark) + mark.size()));
    run.signal(number);
    const Outcome outcome = run.wait();
    EXPECT_EQ(outcome.exit, 128 + number) << outcome.err;
    EXPECT_NE(outcome.out.find("loads as declared in its manifest"), std::string::npos)
        << outcome.out;
    EXPECT_EQ(last_line(outcome.out), "4 passed, 0 failed, 0 not run\n");
    EXPECT_NE(outcome.err.find("tenon verify: interrupted\n"), std::string::npos) << outcome.err;
    EXPECT_EQ(state_of(plugin), 'X');
    EXPECT_TRUE(std::filesystem::is_empty(world_.path("temporary/"))) << "directories are removed";
  }
}

TEST_F(VerifyCommand, PrintsTheResultsOfAllModulesWhenItIsInterrupted) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "runs one module at a time";
  const std::string first = plant("start", "wait for ever");
  const std::string second = plant("say", "wait for ever");
  Child run = world_.start({"env", "--default-signal=INT,TERM", TENON, "verify", first, second,
                            "--specs", specs_, "--timeout", "10m"});
  const auto waits = [&](const std::string& module) {
    return eventually([&] { return run.err().find(module + ": waiting ") != std::string::npos; });
  };
  ASSERT_TRUE(waits(first) && waits(second)) << run.err();
  run.signal(SIGINT);
  const Outcome outcome = run.wait();
  EXPECT_EQ(outcome.exit, 128 + SIGINT) << outcome.err;
  EXPECT_EQ(outcome.out.find(second + "\nmodule"), 0U) << outcome.out;
  EXPECT_EQ(last_line(outcome.out), "4 passed, 0 failed, 0 not run\n");
}

TEST_F(VerifyCommand, IsInterruptedByTheTerminal) {
  Child run = world_.start_on_terminal({"env", "--default-signal=INT", TENON, "verify",
                                        plant("say", "wait for ever"), "--specs", specs_,
                                        "--timeout", "10m"});
  const std::string mark = "waiting ";
  ASSERT_TRUE(eventually([&] {
    const std::string out = run.out();
    const std::size_t at = out.find(mark);
    return at != std::string::npos && out.find('\n', at) != std::string::npos;
  })) << run.out();
  const std::string out = run.out();
  const pid_t plugin = std::stoi(out.substr(out.find(mark) + mark.size()));
  EXPECT_NE(::getpgid(plugin), ::getpgid(run.pid()));
  ::kill(-::getpgid(run.pid()), SIGINT);  // as the terminal does
  EXPECT_EQ(run.wait().exit, 128 + SIGINT);
  EXPECT_EQ(state_of(plugin), 'X');
}

TEST_F(VerifyCommand, FindsFaultsOfKindsThatItDoesNotKnow) {
  const struct {
    const char* module;
    const char* rule;
    const char* verdict;
  } faults[] = {
      {"changes-the-process", "leaves the settings",
       "failed: changed: the handler of SIGINT, the environment, the mask for new files"},
      {"crash-in-constructor", "loads as",
       "failed: the plugin crashed: SIGSEGV, in the constructors of the module"},
      {"crash-in-create", "loads as", "failed: the plugin crashed: SIGSEGV, in create"},
      {"crash-in-destroy", "loads as", "failed: the plugin crashed: SIGSEGV, in destroy"},
      {"crash-in-stop", "loads again", "failed: the plugin crashed: SIGSEGV, in stop"},
      {"differs-count", "loads as", "failed: it registers 2 plugins, and its manifest declares 1"},
      {"differs-name", "loads as", "failed: it does not register "},
      {"exit-in-start", "loads as",
       SANITIZED != 0 ? "failed: the plugin "
                      : "failed: the plugin ended the process with status 0, in start"},
      {"start-failed", "loads as", "failed: test.example/faults: start failed: the coffee is cold"},
      {"thread-stays", "leaves no threads", "failed: "},
      {"unruly-with-threads", "loads again", "passed"},
  };
  for (const auto& [module, rule, verdict] : faults) {
    const Outcome run = verify({WRONG "/" + std::string(module) + ".so", "--timeout", "2s"});
    const std::string line = line_of(run.out, "module", rule);
    EXPECT_NE(line.find(verdict), std::string::npos) << module << ": " << run.out << run.err;
    EXPECT_EQ(run.exit, std::string_view(verdict) == "passed" ? 0 : 1) << module;
  }
}

TEST_F(VerifyCommand, NamesTheVariableForRequiredPackages) {
  const Outcome run = verify({MODULES "/lost-1.0.0.so"});
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
  world_.set("TMPDIR", (world_.root() / "none").string());
  const Outcome run = verify({right});
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.err,
            "tenon: the directory for temporary files (TMPDIR): No such file or directory\n");
}

TEST_F(VerifyCommand, ReportsWrongConfigurationsWithTheirLocations) {
  world_.write("wrong.json", R"([
    {"kind": "tenon.dev/source", "plugin": "test.example/number", "config": {}},
    {"kind": "tenon.dev/source", "plugin": "test.example/numbers", "confg": {}},
    {"kind": "tenon.dev/source", "plugin": "test.example/numbers", "config": {"count": 3}}
  ])");
  const Outcome run = verify({right, "--config", "wrong.json"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_EQ(run.out, "") << "no case was run";
  for (const char* finding :
       {"wrong.json:2:44: error[not-found]", "wrong.json:3:68: error[unknown-key]",
        "wrong.json:4:44: error[duplicate-plugin]", "wrong.json:4:88: error[wrong-type]"}) {
    EXPECT_NE(run.err.find(finding), std::string::npos) << finding << " in\n" << run.err;
  }
  world_.write("wrong.json", R"([{"kind": "tenon.dev/source"}])");
  const Outcome nameless = verify({right, "--config", "wrong.json"});
  EXPECT_EQ(nameless.exit, 2);
  EXPECT_NE(nameless.err.find("error[missing-key]"), std::string::npos) << nameless.err;
  EXPECT_EQ(nameless.err.find("error[not-found]"), std::string::npos) << nameless.err;
  const Outcome missing = verify({right, "--config", "nowhere.json"});
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
  } const wrong[] = {{"wrong.json", 2, "wrong-type", "wrong.json:2:12"},
                     {"nowhere.json", 3, "cannot-read", "nowhere.json"}};
  for (const auto& one : wrong) {
    SCOPED_TRACE(one.file);
    const Outcome run = verify({right, "--json", "--config", one.file});
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
    const Outcome run = verify({right, "--timeout", timeout});
    EXPECT_EQ(run.exit, 2) << timeout;
    EXPECT_NE(run.err.find("needed a time from 1ms to 24h"), std::string::npos) << run.err;
  }
}

}}  // namespace tenon::tests
