// SPDX-License-Identifier: BSL-1.0
//
// Background work of a host: timers, workers, and operations whose steps have deadlines.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/lock_order.hpp"
#include "base/parallel.hpp"
#include "base/timer_queue.hpp"
#include "base/workers.hpp"
#include "call/supervised_work.hpp"
#include "framework/as_nobody.hpp"
#include "framework/world.hpp"
#include "host/file_watcher.hpp"

namespace tenon::tests { namespace {

using detail::FileWatcher;
using detail::LockRank;
using detail::Mutex;
using detail::SupervisedWork;
using detail::TimerQueue;
using detail::Workers;
using namespace std::chrono_literals;

auto in(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

TEST(TimerQueues, RunTasksInOrderOfTheirTimes) {
  std::mutex mutex;
  std::vector<int> order;
  TimerQueue timers;
  const auto now = std::chrono::steady_clock::now();
  for (const int n : {3, 1, 2}) {
    timers.at(now + n * 1ms, [&, n] {
      const std::lock_guard lock(mutex);
      order.push_back(n);
      return true;
    });
  }
  ASSERT_TRUE(timers.start());
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    return order.size() == 3;
  }));
  EXPECT_TRUE(timers.stop(in(60s)));
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST(TimerQueues, MayBeDestroyedInsideATask) {
  auto timers = std::make_unique<TimerQueue>();
  std::atomic<bool> started{false};
  std::atomic<bool> ended{false};
  std::atomic<bool> later{false};
  timers->at(in(0ms), [&] {
    eventually([&] { return started.load(); });
    timers = nullptr;
    ended = true;
    return true;
  });
  timers->at(in(1ms), [&] { return later = true; });
  ASSERT_TRUE(timers->start());
  started = true;
  EXPECT_TRUE(eventually([&] { return ended.load(); }));
  EXPECT_FALSE(later);
}

TEST(TimerQueues, DropATaskWhenItsTimerIsDestroyed) {
  TimerQueue timers;
  const auto owned = std::make_shared<int>();
  std::atomic<bool> dropped{false};
  std::atomic<bool> released{false};
  {
    const auto timer = timers.plan(in(0ms), [&, owned] { return dropped = true; });
    timers.plan(in(0ms), [&] { return released = true; }).release();
    EXPECT_EQ(owned.use_count(), 2);
  }
  EXPECT_EQ(owned.use_count(), 1) << "at once, not when it is due";
  ASSERT_TRUE(timers.start());
  EXPECT_TRUE(eventually([&] { return released.load(); }));
  EXPECT_FALSE(dropped);
}

TEST(TimerQueues, DropTasksOfAnOperationWhenItEnds) {
  TimerQueue timers;
  const auto owned = std::make_shared<int>();
  std::atomic<int> runs{0};
  {
    SupervisedWork operation(1h);
    operation.keep(timers.plan(in(1h), [owned] { return true; }));
    operation.keep(timers.plan(in(0ms), [&] { return ++runs != 0; }));
    std::this_thread::sleep_until(in(1ms));
    operation.keep(timers.plan(in(1h), [owned] { return true; }));  // keeps the timer that is due
    EXPECT_EQ(owned.use_count(), 3);
  }
  EXPECT_EQ(owned.use_count(), 1);
  ASSERT_TRUE(timers.start());
  EXPECT_TRUE(eventually([&] { return runs == 1; }));
}

TEST(TimerQueues, RunTasksAroundADroppedTask) {
  TimerQueue timers;
  ASSERT_TRUE(timers.start());
  std::atomic<bool> early{false};
  std::atomic<bool> late{false};
  for (const auto time : {100ms, 300ms}) {
    static_cast<void>(timers.plan(in(200ms), [] { return true; }));  // dropped immediately
    std::this_thread::sleep_for(1ms);                                // lets the timer thread wait
    timers.at(in(time), [&, time] { return (time == 100ms ? early : late) = true; });
  }
  EXPECT_TRUE(eventually([&] { return early && late; }));
}

TEST(TimerQueues, RepeatATaskThatIsNotDone) {
  TimerQueue timers;
  ASSERT_TRUE(timers.start());
  std::atomic<int> runs{0};
  timers.at(in(0ms), [&] {
    if (++runs == 1) throw std::bad_alloc();
    return runs == 3;
  });
  EXPECT_TRUE(eventually([&] { return runs == 3; }));
}

TEST(TimerQueues, RepeatNoTaskOfAnOperationThatHasEnded) {
  TimerQueue timers;
  ASSERT_TRUE(timers.start());
  const auto owned = std::make_shared<int>();
  std::atomic<int> runs{0};
  {
    SupervisedWork operation(1h);
    operation.keep(timers.plan(in(0ms), [&runs, owned] { return ++runs == 0; }));
    EXPECT_TRUE(eventually([&] { return runs == 2; }));
  }
  EXPECT_TRUE(eventually([&] { return owned.use_count() == 1; }));
}

TEST(TimerQueues, AreLeftRunningAfterADeadline) {
  const auto let_go = std::make_shared<std::atomic<bool>>(false);
  const auto inside = std::make_shared<std::atomic<bool>>(false);
  const auto over = std::make_shared<std::atomic<bool>>(false);
  {
    TimerQueue timers;
    ASSERT_TRUE(timers.start());
    timers.at(in(0ms), [=] {
      *inside = true;
      eventually([&] { return let_go->load(); });
      return over->exchange(true);  // not done, but not repeated either
    });
    EXPECT_TRUE(eventually([&] { return inside->load(); }));
    EXPECT_FALSE(timers.stop(in(1ms)));
  }
  EXPECT_FALSE(*over);
  *let_go = true;
  EXPECT_TRUE(eventually([&] { return over->load() && over.use_count() == 1; }));
}

TEST(Workers, RunJobsConcurrently) {
  Workers workers;
  std::atomic<int> met{0};
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(workers.run([&] {
      ++met;
      eventually([&] { return met == 4; });
    }));
  }
  EXPECT_EQ(workers.stop(in(60s)), 0u);
  EXPECT_EQ(met, 4);
}

class WorkersInTurn : public testing::Test {
 protected:
  /// Runs a job, and returns its thread.
  std::thread::id run(bool leaves_nothing) {
    std::atomic<bool> over{false};
    std::thread::id thread;
    EXPECT_TRUE(workers_.run_reusing_thread([&, leaves_nothing] {
      thread = std::this_thread::get_id();
      over = true;
      return leaves_nothing;
    }));
    EXPECT_TRUE(eventually([&] { return over.load(); }));
    std::this_thread::sleep_for(1ms);  // lets the thread wait for the next job
    return thread;
  }

  Workers workers_;
};

TEST_F(WorkersInTurn, ShareAThread) {
  // An idle thread ends after a second.
  EXPECT_TRUE(eventually([&] { return run(true) == run(true); }));
  EXPECT_EQ(workers_.stop(in(60s)), 0u);
}

TEST_F(WorkersInTurn, EndTheThreadIfAJobAsksForIt) {
  // Thread-local objects are destroyed when their thread ends.
  struct Left {
    ~Left() { ++ended; }
    std::atomic<int>& ended;
  };
  std::atomic<int> ended{0};
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(workers_.run_reusing_thread([&] {
      static thread_local Left left{ended};
      return left.ended < 0;
    }));
    EXPECT_TRUE(eventually([&] { return ended == i; }));
  }
}

TEST_F(WorkersInTurn, DropJobsAfterTheStop) {
  run(true);
  EXPECT_EQ(workers_.stop(in(60s)), 0u);
  EXPECT_TRUE(workers_.run_reusing_thread([] {
    ADD_FAILURE() << "after the end of the host";
    return true;
  }));
}

TEST_F(WorkersInTurn, RunJobsWhileAnotherHangs) {
  std::atomic<bool> let_go{false};
  ASSERT_TRUE(
      workers_.run_reusing_thread([&] { return eventually([&] { return let_go.load(); }); }));
  run(true);
  let_go = true;
  EXPECT_EQ(workers_.stop(in(60s)), 0u);
}

TEST(Workers, AreAbandonedIfTheyHang) {
  const auto let_go = std::make_shared<std::atomic<bool>>(false);
  const auto over = std::make_shared<std::atomic<bool>>(false);
  {
    Workers workers;
    ASSERT_TRUE(workers.run([=] {
      eventually([&] { return let_go->load(); });
      *over = true;
    }));
    EXPECT_EQ(workers.stop(in(1ms)), 1u);
  }
  *let_go = true;
  EXPECT_TRUE(eventually([&] { return over->load(); }));
}

TEST(Workers, AreAbandonedIfTheirThreadsDoNotEnd) {
  // A thread-local object of a plugin, whose destructor hangs.
  struct Left {
    ~Left() {
      *ending = true;
      eventually([&] { return let_go->load(); });
      *over = true;
    }
    std::shared_ptr<std::atomic<bool>> let_go, ending, over;
  };
  const auto flag = [] { return std::make_shared<std::atomic<bool>>(false); };
  const auto let_go = flag(), ending = flag(), over = flag();
  std::atomic<bool> ran{false};
  {
    Workers workers;
    ASSERT_TRUE(workers.run([=] { static thread_local Left left{let_go, ending, over}; }));
    EXPECT_TRUE(eventually([&] { return ending->load(); }));
    ASSERT_TRUE(workers.run([&] { ran = true; }));
    EXPECT_TRUE(eventually([&] { return ran.load(); }));
    EXPECT_EQ(workers.stop(in(1ms)), 1u);
  }
  EXPECT_FALSE(*over);
  *let_go = true;
  EXPECT_TRUE(eventually([&] { return over->load(); }));
}

TEST(Workers, MayBeStoppedByAJob) {
  auto workers = std::make_unique<Workers>();
  std::atomic<int> left{-1};
  ASSERT_TRUE(workers->run([&] {
    const std::size_t others = workers->stop(in(60s));
    left = static_cast<int>(others);
  }));
  EXPECT_TRUE(eventually([&] { return left == 0; }));
}

TEST(Operations, ReportTheOverdueStep) {
  SupervisedWork operation(1min);
  const auto now = std::chrono::steady_clock::now();
  EXPECT_FALSE(operation.overdue(now + 1h)) << "no step is under way";
  const SupervisedWork::Scope performance(operation);
  const SupervisedWork::Step outer("me.example/blur", "stop");
  EXPECT_FALSE(operation.overdue(now + 1s));
  {
    const SupervisedWork::Step inner("me.example/other", "destroy");
    const auto hang = operation.overdue(now + 1h);
    ASSERT_TRUE(hang);
    EXPECT_EQ(hang->plugin, "me.example/other");
    EXPECT_EQ(hang->function, "destroy");
  }
  EXPECT_EQ(operation.overdue(now + 1h)->function, "stop");
  operation.set_limit(now + 1s);
  EXPECT_TRUE(operation.overdue(now + 1s)) << "however late the step began";
}

#ifndef NDEBUG
TEST(LockOrder, AbortsOnALockOutOfOrder) {
  Mutex module(LockRank::module);
  Mutex catalog(LockRank::catalog);
  const std::lock_guard held(catalog);
  EXPECT_DEATH({ const sync::Lock lock(module); }, "out of order");
}

TEST(LockOrder, AbortsOnForeignCodeUnderALock) {
  Mutex module(LockRank::module);
  detail::lock_order::expect_none();
  const std::lock_guard held(module);
  EXPECT_DEATH(detail::lock_order::expect_none(), "foreign code");
}
#endif

TEST(ParallelWork, CallsEachIndexOnce) {
  for (const std::size_t count : {0u, 1u, 2u, 10'000u}) {
    std::vector<std::atomic<int>> calls(count);
    detail::run_in_parallel(count, [&](std::size_t i) { ++calls[i]; });
    EXPECT_TRUE(std::ranges::all_of(calls, [](const auto& n) { return n == 1; })) << count;
  }
}

TEST(ParallelWork, RunsOnSeveralThreads) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two processors";
  std::atomic<int> inside = 0;
  detail::run_in_parallel(2, [&](std::size_t) {
    ++inside;
    EXPECT_TRUE(eventually([&] { return inside == 2; }));
  });
}

/// Returns which of these signals the calling thread blocks.
std::vector<int> blocked(const std::vector<int>& signals) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  std::vector<int> found;
  std::ranges::copy_if(signals, std::back_inserter(found),
                       [&](int signal) { return sigismember(&mask, signal) == 1; });
  return found;
}

// A signal for the process would otherwise not reach a thread that waits for it.
TEST(InternalThreads, LeaveSignalsToTheProgram) {
  const std::vector<int> signals{SIGTERM, SIGCHLD, SIGUSR1, SIGSEGV, SIGABRT};
  sigset_t usr1, before;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usr1, &before);
  std::vector<int> in_task, in_worker;
  std::atomic<bool> done{false};
  Workers workers;
  TimerQueue timers;
  timers.at(in(0ms), [&] {
    in_task = blocked(signals);
    EXPECT_TRUE(workers.run([&] {
      in_worker = blocked(signals);
      done = true;
    }));
    return true;
  });
  ASSERT_TRUE(timers.start());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_TRUE(eventually([&] { return done.load(); }));
  EXPECT_EQ(in_task, (std::vector{SIGTERM, SIGCHLD, SIGUSR1}));
  EXPECT_EQ(in_worker, std::vector{SIGUSR1}) << "the mask with which the timers were started";
  EXPECT_EQ(blocked(signals), std::vector<int>());
}

// A file system that hangs is simulated by a callback that does not return.
TEST(FileWatchers, AreLeftRunningAfterADeadline) {
  World world;
  world.write("a", "1");
  struct Shared {
    std::atomic<bool> inside{false};
    std::atomic<bool> release{false};
    std::atomic<bool> left{false};
  };
  const auto shared = std::make_shared<Shared>();
  auto watcher = FileWatcher::start([shared](const auto&) {
                   shared->inside = true;
                   eventually([&] { return shared->release.load(); });
                   shared->left = true;
                 }).value();
  ASSERT_TRUE(watcher->add(world.path("a")));
  world.write("a", "2");
  ASSERT_TRUE(eventually([&] { return shared->inside.load(); }));
  EXPECT_FALSE(watcher->stop(in(1ms)));
  watcher = nullptr;
  EXPECT_FALSE(shared->left);
  shared->release = true;
  EXPECT_TRUE(eventually([&] { return shared->left.load(); }));
}

TEST(FileWatchers, ReportAFileAgainAfterMemoryWasExhausted) {
  World world;
  world.write("a", "1");
  std::atomic<int> reports{0};
  auto watcher = FileWatcher::start([&](const auto&) {
                   if (++reports == 1) throw std::bad_alloc();
                 }).value();
  ASSERT_TRUE(watcher->add(world.path("a")));
  world.write("a", "2");
  EXPECT_TRUE(eventually([&] { return reports == 2; }));
  EXPECT_TRUE(watcher->stop(in(10min)));
}

TEST(FileWatchers, StopAtOnce) {
  auto watcher = FileWatcher::start([](const auto&) {}).value();
  EXPECT_TRUE(watcher->stop(in(10min)));
  EXPECT_TRUE(watcher->stop(in(10min)));
}

TEST(FileWatchers, AreNotAbandonedIfThereIsNoTimeToStop) {
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(FileWatcher::start([](const auto&) {}).value()->stop(in(0ms)));
  }
}

// The first file cannot be watched while another one changes.
TEST(FileWatchers, TryDirectoriesAgainThatCannotBeWatched) {
  World world;
  std::filesystem::permissions(world.root(), std::filesystem::perms(0755));
  const auto first = world.write("directory/first", "1");
  const auto other = world.write("other", "1");
  std::atomic<bool> found_first{false};
  std::atomic<bool> found_other{false};
  std::unique_ptr<FileWatcher> watcher;
  {
    const AsNobody nobody;
    watcher = FileWatcher::start([&](const auto& file) {
                (file == first ? found_first : found_other) = true;
              }).value();
  }
  ASSERT_TRUE(watcher->add(first));
  ASSERT_TRUE(watcher->add(other));
  std::filesystem::rename(world.path("directory"), world.path("old"));
  std::filesystem::create_directory(world.path("directory"));
  std::filesystem::permissions(world.path("directory"), std::filesystem::perms::none);
  world.write("other", "2");
  ASSERT_TRUE(eventually([&] { return found_other.load(); }));
  EXPECT_FALSE(found_first);
  world.write("directory/first", "2");
  std::filesystem::permissions(world.path("directory"), std::filesystem::perms(0755));
  EXPECT_TRUE(eventually([&] { return found_first.load(); }));
  EXPECT_TRUE(watcher->stop(in(10min)));
}

TEST(ParallelWork, PassesOnAnException) {
  std::atomic<int> calls = 0;
  const auto fail = [&](std::size_t) {
    ++calls;
    throw std::runtime_error("refused");
  };
  EXPECT_THROW(detail::run_in_parallel(10'000, fail), std::runtime_error);
  EXPECT_LT(calls, 10'000);
}

}}  // namespace tenon::tests
