// SPDX-License-Identifier: BSL-1.0
//
// The conformance kit with processors that break one rule each. WRONG is the directory of the
// modules, which are named after their faults.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wrong_modules.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

const std::string processor = "tenon.dev/processor";
const std::string plugin = "test.example/stamp";

Options stamp(const std::string& fault) {
  Options options;
  options.module = module_with("processor", fault);
  options.setups = {{processor, plugin, {{"stamp", "seen"}, {"strict", "true"}}}};
  options.timeout = SANITIZED ? 5s : 2s;
  return options;
}

/// The fault of a module, and the cases that find it, each after its kind without the domain and a
/// colon.
struct Fault {
  const char* fault;
  Texts found_by;
};

class WrongProcessor : public testing::TestWithParam<Fault> {};

TEST_P(WrongProcessor, FailsTheCasesOfItsFault) {
  EXPECT_EQ(failed_cases(run(stamp(GetParam().fault))), GetParam().found_by);
}

const Fault faults[] = {
    {"has a default of the wrong type",
     {"specifier: has defaults that their own parameters accept"}},
    {"does not need its required parameter",
     {"processor: refuses a configuration without a required parameter"}},

    {"drops a result", {"processor: gives each record one result"}},
    {"gives text that is not UTF-8", {"processor: gives valid records"}},
    {"returns memory of its own", {"processor: gives valid records"}},
    {"swaps two results", {"processor: gives the same results in batches of any size"}},
    {"keeps the last record back", {"processor: gives the same results in batches of any size"}},
    {"fails for a single record",
     {"processor: gives valid records",
      "processor: accepts or refuses every record, whatever its content",
      "processor: refuses a record but not its neighbours"}},
    {"refuses without a code",
     {"processor: accepts or refuses every record, whatever its content"}},
    {"refuses the rest of a batch", {"processor: refuses a record but not its neighbours"}},
    {"refuses newer records", {"processor: accepts records of a newer version"}},
    {"fails in a cancelled call",
     {"processor: ends a call that is already cancelled",
      "processor: processes records again after a cancelled call"}},
    {"hangs in a cancelled call",
     {"processor: ends a call that is already cancelled",
      "processor: processes records again after a cancelled call"}},
    {"processes nothing after a cancelled call",
     {"processor: processes records again after a cancelled call"}},
    {"throws from teardown", {"processor: can be torn down after open"}},
    {"processes only in the first instance", {"processor: works alongside a second instance"}},
    {"leaks a thread", {"processor: leaves no threads or descriptors after teardown"}},
    {"leaks a descriptor", {"processor: leaves no threads or descriptors after teardown"}},
};

INSTANTIATE_TEST_SUITE_P(All, WrongProcessor, testing::ValuesIn(faults),
                         [](const auto& info) { return name_of_test(info.param.fault); });

TEST(ProcessorConformance, RightProcessorsPassEveryCase) {
  for (const Result& result : run(stamp("nothing"))) {
    EXPECT_EQ(result.verdict, Verdict::passed) << result.of.name << ": " << result.reason;
  }
}

TEST(ProcessorConformance, FailuresSayWhatHappened) {
  const auto reason = [](const std::string& fault, const std::string& name) {
    return run(stamp(fault), {processor, plugin, name}).reason;
  };
  EXPECT_EQ(reason("drops a result", "gives each record one result"), "7 records, found 6 results");
  EXPECT_EQ(reason("swaps two results", "gives the same results in batches of any size"),
            "the record at \"position 1\" gets another result in batches of 1 record");
  EXPECT_EQ(reason("refuses the rest of a batch", "refuses a record but not its neighbours"),
            "the record at \"position 1\" is refused after an unusual one");
  EXPECT_EQ(
      reason("refuses without a code", "accepts or refuses every record, whatever its content"),
      "the record at \"position 1\" is refused with the code \"\", needed: lower-case letters and "
      "hyphens");
}

}}  // namespace tenon::tests
