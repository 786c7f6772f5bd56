// SPDX-License-Identifier: BSL-1.0
//
// Hosts for which the system starts to refuse the memory barrier of restarts.
#include <tenon/detail/thread_record.hpp>

#include <gtest/gtest.h>

#include <string>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

constexpr const char* unordered = "the system refused the memory barrier (membarrier)";

class RefusedBarrier : public Hosting {
 protected:
  RefusedBarrier() { world_.set("TMPDIR", world_.root().string()); }

  void SetUp() override {
#if TENON_ORDERED_SLOTS
    GTEST_SKIP() << "this build never asks for the barrier";
#endif
  }

  /// Restarts a build of the counter twice in a confined host.
  Outcome restart_twice(const std::string& build) {
    place(build, "counter.so");
    return world_.run(
        {CONFINED_HOST, world_.plugins().string(), "test.example/counters", "counter", "2"});
  }
};

TEST_F(RefusedBarrier, KeepsTheOldImageMappedAndUnloadsLaterOnes) {
  const Outcome outcome = restart_twice("counter-stateless.so");
  if (outcome.exit == 77) GTEST_SKIP() << outcome.out;
  EXPECT_EQ(outcome.exit, 0);
  const auto event = outcome.out.find("unload prevented, generation 1");
  const auto first = outcome.out.find("restarted, 1, g1 g2\n");
  const auto second = outcome.out.find("restarted, 1, g1 g3\n");
  EXPECT_NE(event, std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("a thread may still be in " + placed("counter.so").string() + "; " +
                             unordered),
            std::string::npos)
      << outcome.out;
  EXPECT_LT(event, first) << outcome.out;
  EXPECT_LT(first, second) << outcome.out;
  EXPECT_NE(second, std::string::npos) << outcome.out;
  const auto warning = outcome.err.find("the system refuses the memory barrier");
  EXPECT_NE(warning, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("the system refuses the memory barrier", warning + 1),
            std::string::npos)
      << "is logged once";
}

TEST_F(RefusedBarrier, FailsARestartThatTransfersState) {
  const Outcome outcome = restart_twice("counter-1.so");
  if (outcome.exit == 77) GTEST_SKIP() << outcome.out;
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_NE(outcome.out.find(std::string("restart-failed: ") + unordered), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find(", 2, g1\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("restarted, 3, g3\n"), std::string::npos) << outcome.out;
}

}}  // namespace tenon::tests
