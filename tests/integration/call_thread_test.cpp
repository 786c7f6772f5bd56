// SPDX-License-Identifier: BSL-1.0
//
// Tasks that return, are late, or ignore a cancellation.
#include <tenon/call_thread.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <thread>

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

/// Keeps a call from returning. Abandoned calls return when a test ends.
class Obstacle {
 public:
  ~Obstacle() {
    release_.release(100);
    while (waiting_ != 0) std::this_thread::yield();
  }
  CallThread::Task task(std::optional<std::chrono::nanoseconds> timeout = {}) {
    return [this, timeout](CallThread::Context& context) {
      if (context.begin(timeout) == nullptr) return;
      begun_.release();
      release_.acquire();
      may_begin_another_ = context.begin(timeout) != nullptr;
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

TEST(CallThread, RunsTasksInSequence) {
  CallThread thread;
  int calls = 0;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(thread.start([&](CallThread::Context& context) {
      while (context.begin(1min) != nullptr && ++calls % 10 != 0) {
      }
    }));
    EXPECT_TRUE(thread.finish());
  }
  EXPECT_EQ(calls, 30);
}

TEST(CallThread, RethrowsExceptions) {
  CallThread thread;
  ASSERT_TRUE(thread.start([](CallThread::Context&) { throw std::runtime_error("thrown"); }));
  EXPECT_THROW(thread.finish(), std::runtime_error);
  ASSERT_TRUE(thread.start([](CallThread::Context&) {}));
  EXPECT_TRUE(thread.finish());
}

TEST(CallThread, WaitsAtMostUntilADeadline) {
  Obstacle obstacle;
  CallThread thread;
  ASSERT_TRUE(thread.start(obstacle.task()));
  EXPECT_FALSE(thread.wait_until(std::chrono::steady_clock::now() + 1ms));
  obstacle.remove();
  EXPECT_TRUE(thread.finish());
}

TEST(CallThread, AbandonsALateCall) {
  Obstacle obstacle;
  CallThread thread;
  ASSERT_TRUE(thread.start(obstacle.task(1ms)));
  EXPECT_FALSE(thread.finish());
  obstacle.remove();
  EXPECT_FALSE(obstacle.may_begin_another());
}

TEST(CallThread, CancelsTheCallAndFollowingCalls) {
  CallThread thread;
  std::binary_semaphore begun(0);
  int calls = 0;
  ASSERT_TRUE(thread.start([&](CallThread::Context& context) {
    while (Call* call = context.begin(1min)) {
      ++calls;
      begun.release();
      while (!call->cancelled()) std::this_thread::yield();
    }
  }));
  begun.acquire();
  thread.canceller()();
  EXPECT_TRUE(thread.finish());
  EXPECT_EQ(calls, 1);
}

TEST(CallThread, ResetsACancellationForTheNextTask) {
  CallThread thread;
  thread.canceller()();
  bool called = false;
  ASSERT_TRUE(
      thread.start([&](CallThread::Context& context) { called = context.begin() != nullptr; }));
  EXPECT_TRUE(thread.finish());
  EXPECT_TRUE(called);
}

TEST(CallThread, AbandonsACallThatIgnoresCancellation) {
  Obstacle obstacle;
  CallThread thread;
  ASSERT_TRUE(thread.start(obstacle.task()));
  obstacle.await_begin();
  thread.canceller()();
  EXPECT_FALSE(thread.finish());
}

TEST(CallThread, MayBeDestroyedDuringACall) {
  Obstacle obstacle;
  {
    CallThread thread;
    ASSERT_TRUE(thread.start(obstacle.task(1h)));
    obstacle.await_begin();
  }
  obstacle.remove();
  EXPECT_FALSE(obstacle.may_begin_another());
}

TEST(CallThread, MayBeDestroyedBeforeCancellation) {
  const auto cancel = std::make_unique<CallThread>()->canceller();
  cancel();
}

}}  // namespace tenon::tests
