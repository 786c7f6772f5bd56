// SPDX-License-Identifier: BSL-1.0
//
// Bodies that return, are late, heed a cancellation or do not.
#include "backup/lane.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <thread>

namespace backup {
namespace {

using namespace std::chrono_literals;

/// Keeps a call from returning. Calls that were left behind return when a test ends.
class Obstacle {
 public:
  ~Obstacle() {
    release_.release(100);
    while (waiting_ != 0) std::this_thread::yield();
  }
  Lane::Body body(std::optional<std::chrono::nanoseconds> timeout = {}) {
    return [this, timeout](Lane::Turn& turn) {
      if (turn.begin(timeout) == nullptr) return;
      begun_.release();
      release_.acquire();
      may_begin_another_ = turn.begin(timeout) != nullptr;
      --waiting_;
    };
  }
  void await_begin() { begun_.acquire(); }
  void remove() {
    release_.release();
    while (waiting_ != 0) std::this_thread::yield();
  }
  bool may_begin_another() const { return may_begin_another_; }

 private:
  std::atomic<int> waiting_{1};
  std::atomic<bool> may_begin_another_{true};
  std::counting_semaphore<> begun_{0};
  std::counting_semaphore<> release_{0};
};

TEST(Lane, RunsOneBodyAfterTheOther) {
  Lane lane;
  int calls = 0;
  for (int i = 0; i < 3; ++i) {
    lane.start([&](Lane::Turn& turn) {
      while (turn.begin(1min) != nullptr && ++calls % 10 != 0) {
      }
    });
    EXPECT_TRUE(lane.finish());
  }
  EXPECT_EQ(calls, 30);
}

TEST(Lane, ThrowsWhatABodyThrew) {
  Lane lane;
  lane.start([](Lane::Turn&) { throw std::runtime_error("thrown"); });
  EXPECT_THROW(lane.finish(), std::runtime_error);
  lane.start([](Lane::Turn&) {});
  EXPECT_TRUE(lane.finish());
}

TEST(Lane, WaitsNoLongerThanItIsTold) {
  Obstacle obstacle;
  Lane lane;
  lane.start(obstacle.body());
  EXPECT_FALSE(lane.wait_until(std::chrono::steady_clock::now() + 1ms));
  obstacle.remove();
  EXPECT_TRUE(lane.finish());
}

TEST(Lane, LeavesALateCallBehind) {
  Obstacle obstacle;
  Lane lane;
  lane.start(obstacle.body(1ms));
  EXPECT_FALSE(lane.finish());
  obstacle.remove();
  EXPECT_FALSE(obstacle.may_begin_another());
}

TEST(Lane, CancelsTheCallAndThoseThatWouldFollow) {
  Lane lane;
  std::binary_semaphore begun(0);
  int calls = 0;
  lane.start([&](Lane::Turn& turn) {
    while (tenon::Call* call = turn.begin(1min)) {
      ++calls;
      begun.release();
      while (call->cancelled() == tenon::CancelReason::none) std::this_thread::yield();
    }
  });
  begun.acquire();
  lane.canceller()();
  EXPECT_TRUE(lane.finish());
  EXPECT_EQ(calls, 1);
}

TEST(Lane, ForgetsACancellationWithTheNextBody) {
  Lane lane;
  lane.canceller()();
  bool called = false;
  lane.start([&](Lane::Turn& turn) { called = turn.begin() != nullptr; });
  EXPECT_TRUE(lane.finish());
  EXPECT_TRUE(called);
}

TEST(Lane, LeavesACallBehindThatHeedsNoCancellation) {
  Obstacle obstacle;
  Lane lane;
  lane.start(obstacle.body());
  obstacle.await_begin();
  lane.canceller()();
  EXPECT_FALSE(lane.finish());
}

TEST(Lane, EndsWithABodyThatHasNotReturned) {
  Obstacle obstacle;
  {
    Lane lane;
    lane.start(obstacle.body(1h));
    obstacle.await_begin();
  }
  obstacle.remove();
  EXPECT_FALSE(obstacle.may_begin_another());
}

TEST(Lane, MayBeGoneWhenItIsCancelled) {
  const auto cancel = std::make_unique<Lane>()->canceller();
  cancel();
}

}  // namespace
}  // namespace backup
