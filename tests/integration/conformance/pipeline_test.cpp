// SPDX-License-Identifier: BSL-1.0
//
// The conformance kit with pipeline plugins that break one rule each. WRONG is the directory of the
// modules, which are named after their faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "wrong_modules.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

const std::string source = "tenon.dev/source";
const std::string destination = "tenon.dev/destination";
const std::string plugin = "test.example/numbers";

Options numbers(const std::string& fault,
                const TextMap& config = {{"count", "30"}, {"waits", "false"}}) {
  Options options;
  options.module = module_with("pipeline", fault);
  options.setups = {{source, plugin, config}, {destination, plugin, config}};
  options.timeout = SANITIZED ? 5s : 2s;
  return options;
}

/// The fault of a module, and the cases that find it, each after its kind without the domain and a
/// colon.
struct Fault {
  const char* fault;
  Texts found_by;
};

class WrongPipelinePlugin : public testing::TestWithParam<Fault> {};

TEST_P(WrongPipelinePlugin, FailsTheCasesOfItsFault) {
  EXPECT_EQ(failed_cases(run(numbers(GetParam().fault))), GetParam().found_by);
}

const Fault faults[] = {
    {"leaks a thread when it is loaded",
     {"module: leaves no threads, descriptors or mappings when it is unloaded",
      "source: leaves no threads or descriptors after teardown",
      "destination: leaves no threads or descriptors after teardown"}},

    {"has blanks around its name",
     {"specifier: has texts that are not empty and have no blanks at their ends"}},
    {"has no summary",
     {"specifier: has texts that are not empty and have no blanks at their ends"}},
    {"has no version", {"specifier: has a semantic version that matches its package"}},
    {"has a later version", {"specifier: has a semantic version that matches its package"}},
    {"has a bound that is no number", {"specifier: has valid parameters"}},
    {"has other parameters than its manifest",
     {"specifier: has the parameters that the manifest states"}},
    {"has a default of the wrong type",
     {"specifier: has defaults that their own parameters accept"}},
    {"has a default that is not included",
     {"specifier: has defaults that their own parameters accept"}},
    {"specifies something else each time", {"specifier: gives the same specification each time"}},
    {"has no specifier",
     {"source: is described by a specifier", "destination: is described by a specifier"}},

    {"does not need its required parameter",
     {"source: refuses a configuration without a required parameter",
      "destination: refuses a configuration without a required parameter"}},
    {"does not name its required parameter",
     {"source: refuses a configuration without a required parameter",
      "destination: refuses a configuration without a required parameter"}},
    {"fails with another status",
     {"source: refuses a configuration without a required parameter",
      "destination: refuses a configuration without a required parameter"}},
    {"takes values of any type",
     {"source: refuses a value of the wrong type",
      "destination: refuses a value of the wrong type"}},
    {"says nothing of unknown parameters",
     {"source: reports a parameter that does not exist",
      "destination: reports a parameter that does not exist"}},
    {"crashes in teardown", {"source: can be torn down without open"}},
    {"throws from teardown", {"source: can be torn down without open"}},
    {"throws from teardown after open",
     {"source: gives each record a unique position", "source: gives valid records",
      "source: resumes after an acknowledged position",
      "source: accepts acknowledgements in the order of the records",
      "source: reports the end of its records",
      "source: leaves no threads or descriptors after teardown",
      "destination: has written and acknowledged all records after stop",
      "destination: stops without records", "destination: can be opened again after stop",
      "destination: accepts records of a newer version",
      "destination: works alongside a second instance",
      "destination: leaves no threads or descriptors after teardown"}},

    {"repeats a position", {"source: gives each record a unique position"}},
    {"gives text that is not UTF-8", {"source: gives valid records"}},
    {"takes no limit of records", {"source: respects the limits of a batch"}},
    {"takes no limit of bytes", {"source: respects the limits of a batch"}},
    {"refuses a limit of bytes", {"source: respects the limits of a batch"}},
    {"gives the first data when it is opened again",
     {"source: resumes after an acknowledged position"}},
    {"loses a record when it is opened again", {"source: resumes after an acknowledged position"}},
    {"repeats a record when it is opened again",
     {"source: resumes after an acknowledged position"}},
    {"takes one acknowledgement at a time",
     {"source: resumes after an acknowledged position",
      "source: accepts acknowledgements in the order of the records",
      "source: accepts acknowledgements after stop",
      "source: leaves no threads or descriptors after teardown"}},
    {"ends the process", {"source: accepts acknowledgements after stop"}},
    {"hangs", {"source: accepts acknowledgements after stop"}},
    {"stops at the first record", {"source: stops at the position of the last record"}},
    {"fails at its end",
     {"source: ends a read that is cancelled while it waits",
      "source: reports the end of its records"}},
    {"leaks a thread", {"source: leaves no threads or descriptors after teardown"}},
    {"leaks a descriptor",
     {"source: leaves no threads or descriptors after teardown",
      "destination: leaves no threads or descriptors after teardown"}},

    {"acknowledges out of order", {"destination: acknowledges records in order"}},
    {"acknowledges again at stop", {"destination: acknowledges no record twice"}},
    {"acknowledges what it never got", {"destination: stops without records"}},
    {"waits for stop", {"destination: acknowledges records in order"}},
    {"drops the last record at stop",
     {"destination: has written and acknowledged all records after stop"}},
    {"opens only once", {"destination: can be opened again after stop"}},
    {"refuses newer records", {"destination: accepts records of a newer version"}},
    {"loses records without payload",
     {"destination: acknowledges or refuses every record, whatever its content"}},
    {"refuses without a code",
     {"destination: acknowledges or refuses every record, whatever its content"}},
    {"shares its acknowledgements", {"destination: works alongside a second instance"}},
    {"waits whatever comes",
     {"source: ends a read that is cancelled while it waits",
      "source: reports the end of its records", "destination: acknowledges no record twice",
      "destination: has written and acknowledged all records after stop",
      "destination: stops without records",
      "destination: ends a wait for acknowledgements that was cancelled",
      "destination: ends a wait for acknowledgements at its deadline"}},
};

INSTANTIATE_TEST_SUITE_P(All, WrongPipelinePlugin, testing::ValuesIn(faults),
                         [](const auto& info) { return name_of_test(info.param.fault); });

TEST(Conformance, RightPluginsPassEveryCase) {
  for (const Result& result : run(numbers("nothing"))) {
    EXPECT_EQ(result.verdict, Verdict::passed) << result.of.name << ": " << result.reason;
  }
}

TEST(Conformance, SourceWithoutEndPassesAllOtherCases) {
  Texts not_run;
  for (const Result& result : run(numbers("nothing", {{"count", "30"}, {"waits", "true"}}))) {
    EXPECT_NE(result.verdict, Verdict::failed) << result.of.name << ": " << result.reason;
    if (result.verdict == Verdict::not_run) not_run.push_back(result.reason);
  }
  EXPECT_EQ(not_run, Texts{"the source does not end"});
}

TEST(Conformance, PluginsWithoutConfigurationRunCasesThatNeedNone) {
  Options options = numbers("nothing");
  options.setups.clear();
  for (const Result& result : run(options)) {
    EXPECT_NE(result.verdict, Verdict::failed) << result.of.name << ": " << result.reason;
    if (result.verdict == Verdict::not_run) {
      EXPECT_EQ(result.reason, "no configuration is given") << result.of.name;
    }
  }
}

TEST(Conformance, SourceThatIgnoresCancellationFails) {
  Options options =
      numbers("reads on when it is cancelled", {{"count", "1000000"}, {"waits", "false"}});
  options.timeout = 60s;  // The case reads many batches, and a slow machine needs time for them.
  for (const char* name :
       {"ends a read that is cancelled while it waits", "ends a read that is already cancelled"}) {
    const Result result = run(options, {source, plugin, name});
    EXPECT_EQ(result.verdict, Verdict::failed) << name;
    EXPECT_EQ(result.reason, "the source continues to read after it was cancelled");
  }
}

TEST(Conformance, ModuleThatLoadsOnlyOnceFailsToLoadAgain) {
  const Result result =
      run(numbers("loads only once"), {"", plugin, "loads again after it was unloaded"});
  EXPECT_EQ(result.verdict, Verdict::failed);
  EXPECT_NE(result.reason.find("loaded already"), std::string::npos) << result.reason;
}

TEST(Conformance, FailuresSayWhatHappened) {
  const auto reason = [](const std::string& fault, const std::string& name) {
    return run(numbers(fault), {source, plugin, name}).reason;
  };
  EXPECT_EQ(reason("crashes in teardown", "can be torn down without open"),
            "the plugin crashed: SIGSEGV");
  EXPECT_EQ(reason("ends the process", "accepts acknowledgements after stop"),
            "the plugin ended the process with status 3");
  EXPECT_EQ(
      reason("hangs", "accepts acknowledgements after stop"),
      std::string("still running after ") + std::to_string(numbers("").timeout.count()) + " ms");
  EXPECT_EQ(
      reason("loses a record when it is opened again", "resumes after an acknowledged position"),
      "opened at \"5\", needed the records at \"6\" \"7\" \"8\" \"9\" \"10\", found \"7\" "
      "\"8\" \"9\" \"10\" \"11\"");
  EXPECT_EQ(reason("gives the first data when it is opened again",
                   "resumes after an acknowledged position"),
            "opened at \"5\", found records with other data than before");
  EXPECT_EQ(reason("repeats a position", "gives each record a unique position"),
            "two records have the position \"14\"");
}

TEST(Conformance, FailuresShowThePropertyForTheManifest) {
  EXPECT_EQ(run(numbers("has other parameters than its manifest"),
                {"tenon.dev/specifier", plugin, "has the parameters that the manifest states"})
                .reason,
            "the property \"destination_parameters\" of the manifest differs from the "
            "specification, needed: "
            R"({"version":2,"value":{"count":{"default_value":"","description":"of the records",)"
            R"("type":"int","validations":[{"type":"required","value":""},)"
            R"({"type":"greater_than","value":"0"}],"sensitive":false},)"
            R"("waits":{"default_value":"false","description":"for the end","type":"bool",)"
            R"("validations":[],"sensitive":false}}})");
}

TEST(Conformance, SourceWithFewRecordsSaysThatMoreAreNeeded) {
  const Result result = run(numbers("nothing", {{"count", "3"}}),
                            {source, plugin, "resumes after an acknowledged position"});
  EXPECT_EQ(result.verdict, Verdict::not_run);
  EXPECT_EQ(result.reason, "the source has only 3 records; configure it to have 10");
}

TEST(Conformance, CasesAreListedWithoutRunningCode) {
  const auto cases = conformance::cases(numbers("crashes in teardown"));
  EXPECT_EQ(cases.size(), run(numbers("nothing")).size());
}

TEST(Conformance, FileThatIsNoModuleFailsToLoad) {
  Options options;
  options.module = __FILE__;
  const auto results = run(options);
  EXPECT_EQ(failed_cases(results),
            (Texts{"module: loads as declared in its manifest",
                   "module: loads again after it was unloaded",
                   "module: leaves no threads, descriptors or mappings when it is unloaded",
                   "module: leaves the settings of the process as they were"}));
}

TEST(Conformance, CaseThatDoesNotExistIsNotRun) {
  EXPECT_EQ(run(numbers("nothing"), {source, plugin, "flies"}).reason, "there is no such case");
}

}}  // namespace tenon::tests
