// SPDX-License-Identifier: BSL-1.0
//
// Limits on restarts of failing modules, with a simulated clock.
#include "state/failures.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tenon::tests { namespace {

using namespace std::chrono_literals;
using detail::Failures;

class FailuresTest : public testing::Test {
 protected:
  FailuresTest() { RecordProperty("seed", std::to_string(seed_)); }

  Failures failures(const FailurePolicy& limits = {}) const {
    return {limits, std::minstd_rand(seed_)};
  }
  /// Returns the pauses after each of `count` failures at intervals of `apart`.
  static std::vector<std::chrono::steady_clock::duration> pauses(Failures& failures, int count,
                                                                 std::chrono::milliseconds apart) {
    std::vector<std::chrono::steady_clock::duration> pauses;
    Failures::Time now;
    for (int i = 0; i < count; ++i) {
      const Failures::Verdict verdict = failures.record(now += apart, "it fell over");
      EXPECT_FALSE(verdict.quarantined) << "failure " << i + 1;
      pauses.push_back(verdict.pause);
    }
    return pauses;
  }
  static std::vector<std::string> texts(const Failures& failures) {
    std::vector<std::string> texts;
    for (const Failures::Reason& reason : failures.reasons()) texts.push_back(reason.text);
    return texts;
  }

  const std::random_device::result_type seed_ = std::random_device()();
  const testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
};

TEST_F(FailuresTest, FirstFailureHasNoPause) {
  Failures one = failures();
  const Failures::Verdict verdict = one.record({}, "it fell over");
  EXPECT_FALSE(verdict.quarantined);
  EXPECT_EQ(verdict.pause, 0ms);
  EXPECT_FALSE(one.quarantined());
}

TEST_F(FailuresTest, PausesDoubleWithJitter) {
  Failures many =
      failures({.initial_backoff = 100ms, .max_backoff = 1h, .max_failures = 20, .window = 1h});
  const auto pause = pauses(many, 12, 1ms);
  std::chrono::milliseconds middle = 100ms;
  for (std::size_t i = 1; i < pause.size(); ++i, middle *= 2) {
    EXPECT_GE(pause[i], middle / 2) << i;
    EXPECT_LE(pause[i], middle * 3 / 2) << i;
  }
}

TEST_F(FailuresTest, PausesOfTwoModulesDiffer) {
  std::set<std::chrono::steady_clock::duration> seen;
  std::minstd_rand random(seed_);
  for (int i = 0; i < 20; ++i) {
    Failures one({}, std::minstd_rand(random()));
    seen.insert(pauses(one, 2, 1ms).back());
  }
  EXPECT_GT(seen.size(), 10u);
}

TEST_F(FailuresTest, PausesAreCapped) {
  const FailurePolicy limits{
      .initial_backoff = 100ms, .max_backoff = 300ms, .max_failures = 1000, .window = 1h};
  Failures many = failures(limits);
  const auto pause = pauses(many, 1000, 1ms);
  std::set<std::chrono::steady_clock::duration> late;
  for (std::size_t i = 3; i < pause.size(); ++i) {
    EXPECT_GE(pause[i], limits.max_backoff / 2) << i;
    EXPECT_LE(pause[i], limits.max_backoff) << i;
    late.insert(pause[i]);
  }
  EXPECT_GT(late.size(), 500u) << "the longest pauses vary too";
}

TEST_F(FailuresTest, PausesMayBeDisabled) {
  Failures many = failures({.initial_backoff = 0ms, .max_failures = 5});
  for (const auto pause : pauses(many, 5, 1ms)) EXPECT_EQ(pause, 0ms);
  Failures capped = failures({.max_backoff = 0ms, .max_failures = 5});
  for (const auto pause : pauses(capped, 5, 1ms)) EXPECT_EQ(pause, 0ms);
}

TEST_F(FailuresTest, TooManyFailuresWithinTheWindowQuarantine) {
  Failures many = failures({.max_failures = 3, .window = 60s});
  pauses(many, 3, 10s);
  EXPECT_FALSE(many.quarantined());
  EXPECT_TRUE(many.record(Failures::Time(70s), "the last straw").quarantined);
  EXPECT_TRUE(many.quarantined());
  EXPECT_EQ(texts(many), (std::vector<std::string>{"it fell over", "it fell over", "it fell over",
                                                   "the last straw"}));
  EXPECT_EQ(many.reasons().front().time, Failures::Time(10s));
  EXPECT_EQ(many.reasons().back().time, Failures::Time(70s));
}

TEST_F(FailuresTest, FirstFailureQuarantinesIfNoneIsAllowed) {
  Failures strict = failures({.max_failures = 0});
  EXPECT_TRUE(strict.record({}, "it fell over").quarantined);
}

// A module that fails at the first call after each restart reports one failure per restart.
// Successful restarts are not reported, so only time can reset the count.
TEST_F(FailuresTest, FailuresExpireOnlyByTime) {
  Failures slow = failures({.max_failures = 3, .window = 60s});
  const auto pause = pauses(slow, 50, 21s);
  EXPECT_EQ(slow.reasons().size(), 3u);
  EXPECT_GT(pause.back(), 0ms) << "the two previous failures still count";

  Failures slower = failures({.max_failures = 3, .window = 60s});
  for (const auto none : pauses(slower, 50, 61s)) EXPECT_EQ(none, 0ms);
  EXPECT_EQ(slower.reasons().size(), 1u);
}

TEST_F(FailuresTest, QuarantineDoesNotExpire) {
  Failures many = failures({.max_failures = 1, .window = 60s});
  many.record(Failures::Time(1s), "first");
  ASSERT_TRUE(many.record(Failures::Time(2s), "second").quarantined);
  EXPECT_TRUE(many.record(Failures::Time(24h), "much later").quarantined);
  EXPECT_EQ(texts(many), (std::vector<std::string>{"first", "second"})) << "the reasons are kept";
}

TEST_F(FailuresTest, ReleaseResetsTheCount) {
  Failures many = failures({.max_failures = 1});
  many.record(Failures::Time(1s), "first");
  many.record(Failures::Time(2s), "second");
  many.release();
  EXPECT_FALSE(many.quarantined());
  EXPECT_EQ(texts(many), std::vector<std::string>());
  const Failures::Verdict verdict = many.record(Failures::Time(3s), "third");
  EXPECT_FALSE(verdict.quarantined);
  EXPECT_EQ(verdict.pause, 0ms);
}

}}  // namespace tenon::tests
