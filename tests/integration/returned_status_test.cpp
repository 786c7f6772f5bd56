// SPDX-License-Identifier: BSL-1.0
//
// Statuses that no plugin may return do not reach the caller.
#include <gtest/gtest.h>
#include <test/counter.hpp>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

/// The options of the host that change who sees the status of a plugin first.
using Options = void (*)(HostOptions& options);

class ReturnedStatus : public Hosting, public testing::WithParamInterface<Options> {
 protected:
  ReturnedStatus() { place("counter-1.so"); }
  HostOptions chosen() {
    HostOptions options = this->options();
    GetParam()(options);
    return options;
  }
};

TEST_P(ReturnedStatus, StatesNoRestartOrCrashOfAnotherPlugin) {
  Host host(chosen());
  auto counter = host.create<test::Counter>("counter").value();
  const Error restarted =
      counter->refuse(TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED, "passed on").error();
  EXPECT_FALSE(restarted.restarted());
  EXPECT_TRUE(restarted.retryable());
  EXPECT_EQ(restarted.code(), "aborted");
  const Error crashed = counter->refuse(TENON_CRASHED | TENON_RESTARTED, "passed on").error();
  EXPECT_EQ(crashed.code(), "aborted");
  EXPECT_EQ(crashed.message(), "passed on");
  EXPECT_FALSE(crashed.restarted());
}

TEST_P(ReturnedStatus, HasACode) {
  Host host(chosen());
  auto counter = host.create<test::Counter>("counter").value();
  const Error error = counter->refuse(TENON_RETRYABLE, "again").error();
  EXPECT_EQ(error.code(), "unknown");
  EXPECT_TRUE(error.retryable());
  EXPECT_EQ(counter->refuse(0x8000 | TENON_ABORTED, "a later flag").error().status(),
            TENON_ABORTED);
}

TEST_P(ReturnedStatus, IsUnknownIfItIsUndefined) {
  Host host(chosen());
  auto counter = host.create<test::Counter>("counter").value();
  for (const tenon_status status : {-1, 0x10000, 1 << 30}) {
    const Error error = counter->refuse(status, "as in C").error();
    EXPECT_EQ(error.status(), TENON_UNKNOWN);
    EXPECT_NE(error.message().find("undefined status"), std::string::npos) << error.to_string();
    EXPECT_NE(error.message().find("as in C"), std::string::npos) << error.to_string();
  }
  EXPECT_EQ(module(host, "test.example/counters").generation, 1u) << "nothing was restarted";
}

INSTANTIATE_TEST_SUITE_P(Options, ReturnedStatus,
                         testing::Values([](HostOptions&) {},
                                         [](HostOptions& all) { all.count_calls = true; },
                                         [](HostOptions& all) { all.check_calls = true; },
                                         [](HostOptions& all) { all.contain_crashes = true; }));

}}  // namespace tenon::tests
