// SPDX-License-Identifier: BSL-1.0
//
// When a pipeline reports that it makes no progress, and when it gives up.
#include "pipeline/stall_watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/console.hpp"

namespace pipeline { namespace {

using namespace std::chrono_literals;

/// A watch of a pipeline in which the test says how long a stall has lasted.
class StallWatchTest : public testing::Test {
 protected:
  static constexpr StallLimits limits{.report_after = 10ms, .fail_after = 80ms};

  StallWatchTest() { testing::internal::CaptureStderr(); }
  ~StallWatchTest() override { reports(); }

  std::vector<Stall> find(std::chrono::nanoseconds time) {
    const std::lock_guard lock(mutex_);
    ++asked_;
    changed_.notify_all();
    if (lasted_ < time) return {};
    return {{"x.example/one", "write_batch has not returned", lasted_}};
  }
  /// Sets how long the stall has lasted, and waits until the watch has looked at all of its limits,
  /// for which it asks at most three times.
  void last(std::chrono::nanoseconds time) {
    std::unique_lock lock(mutex_);
    lasted_ = time;
    changed_.wait(lock, [this, until = asked_ + 8] { return asked_ >= until; });
  }
  /// Returns the number of reports so far. Called once.
  std::ptrdiff_t reports() {
    if (std::exchange(captured_, true)) return 0;
    const std::string text = testing::internal::GetCapturedStderr();
    return std::ranges::count(text, '\n');
  }

  std::vector<tenon::Error> given_up_;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::nanoseconds lasted_{0};
  int asked_ = 0;
  bool captured_ = false;
  Console console_{"test"};
  const Messages messages_{console_};

 protected:
  std::optional<StallWatch> watch_{
      std::in_place, limits, messages_,
      [this](std::chrono::nanoseconds time) { return find(time); },
      [this](const tenon::Error& error) { given_up_.push_back(error); }};
};

TEST_F(StallWatchTest, ReportsNothingWhileThereIsSlowProgress) {
  for (int i = 0; i < 10; ++i) {
    last(0ms);
    last(10ms - 1ns);
  }
  watch_.reset();
  EXPECT_EQ(reports(), 0);
  EXPECT_TRUE(given_up_.empty());
}

TEST_F(StallWatchTest, ReportsAStallEachTimeThatItHasDoubled) {
  for (const auto time : {10ms, 19ms, 20ms, 39ms, 40ms, 79ms}) last(time);
  watch_.reset();
  EXPECT_EQ(reports(), 3) << "at 10, 20 and 40 ms";
  EXPECT_TRUE(given_up_.empty());
}

TEST_F(StallWatchTest, ReportsTheNextStallAsTheFirst) {
  for (const auto time : {10ms, 20ms, 0ms, 10ms}) last(time);
  watch_.reset();
  EXPECT_EQ(reports(), 3);
}

TEST_F(StallWatchTest, GivesUpOnce) {
  for (const auto time : {80ms, 0ms, 800ms}) last(time);
  watch_.reset();
  ASSERT_EQ(given_up_.size(), 1u);
  EXPECT_EQ(given_up_[0].code(), "no-progress");
  EXPECT_EQ(given_up_[0].where(), "x.example/one");
  EXPECT_EQ(given_up_[0].found(), "write_batch has not returned");
}

}}  // namespace pipeline
