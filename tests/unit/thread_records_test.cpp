// SPDX-License-Identifier: BSL-1.0
//
// The call guard: which threads are inside which generation.
#include "call/thread_records.hpp"

#include <tenon/detail/blocking.hpp>

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tenon::tests { namespace {

using detail::CallGuard;
using detail::CallSwitch;
using detail::CallTarget;
using detail::CallTargets;
using detail::GenerationGuard;
using detail::Instance;
using detail::ThreadRecord;

class TestInstance : public Instance {
 public:
  explicit TestInstance(CallSwitch& module) : Instance(module, 0) {}
};

/// A module with one generation that serves one instance.
struct TestModule {
  TestModule() {
    generation.add_targets(&target, 1);
    serving.publish(&target);
  }
  bool is_left(std::chrono::milliseconds patience = {}) {
    return detail::wait_until_empty(serving, generation,
                                    std::chrono::steady_clock::now() + patience) ==
           detail::Drain::empty;
  }

  int object = 0;
  CallTargets generation;
  CallTarget target{&object, &object, &generation};
  CallSwitch serving;
  TestInstance instance{serving};
};

/// A thread that stays inside a module until the end of the test.
class Guest {
 public:
  explicit Guest(TestModule& module)
      : thread_([this, &module] {
          CallGuard entry(module.instance, true, nullptr);
          std::unique_lock lock(mutex_);
          inside_ = true;
          changed_.notify_all();
          changed_.wait(lock, [&] { return leave_; });
        }) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return inside_; });
  }
  ~Guest() {
    {
      std::lock_guard lock(mutex_);
      leave_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool inside_ = false;
  bool leave_ = false;
  std::thread thread_;
};

/// Calls `then` inside `depth` nested entries.
void nested(TestModule& module, int depth, const std::function<void()>& then) {
  if (depth == 0) return then();
  CallGuard entry(module.instance, true, nullptr);
  ASSERT_TRUE(entry);
  ASSERT_EQ(entry.self(), &module.object);
  nested(module, depth - 1, then);
}

TEST(CallGuard, KeepsAGenerationDuringACall) {
  TestModule module;
  EXPECT_TRUE(module.is_left());
  {
    CallGuard entry(module.instance, true, nullptr);
    EXPECT_FALSE(module.is_left());
    EXPECT_TRUE(detail::this_thread_is_in(module.generation));
  }
  EXPECT_TRUE(module.is_left());
  EXPECT_FALSE(detail::this_thread_is_in(module.generation));
}

TEST(CallGuard, IdentifiesTheModuleOfAThread) {
  TestModule module;
  const detail::CallerScope other(nullptr);
  {
    const detail::CallerScope caller(&module.generation);
    EXPECT_TRUE(detail::this_thread_is_in(module.generation));
    EXPECT_FALSE(detail::this_thread_has_entered(module.generation));
    EXPECT_TRUE(module.is_left()) << "it delays no call";
    std::thread([&] { EXPECT_FALSE(detail::this_thread_is_in(module.generation)); }).join();
  }
  EXPECT_FALSE(detail::this_thread_is_in(module.generation));
}

TEST(CallGuard, InterruptsCallsOfOneGeneration) {
  TestModule module;
  TestModule other;
  Call call;
  Call of_other;
  CallGuard entry(module.instance, true, nullptr);
  CallGuard inner(other.instance, true, nullptr);
  const detail::Blocking blocking(entry, call);
  const detail::Blocking inner_blocking(inner, of_other);
  std::thread([&] { detail::interrupt_calls(module.serving, module.generation); }).join();
  EXPECT_EQ(call.cancel_reason(), CancelReason::restart);
  EXPECT_EQ(of_other.cancel_reason(), CancelReason::none);
}

TEST(CallGuard, InterruptsCallsThatBlockLater) {
  TestModule module;
  module.serving.interrupting.store(true);
  Call call;
  CallGuard entry(module.instance, true, nullptr);
  const detail::Blocking blocking(entry, call);
  EXPECT_EQ(call.cancel_reason(), CancelReason::restart);
}

TEST(CallGuard, InterruptsCallsWithoutASlot) {
  TestModule module;
  nested(module, ThreadRecord::levels, [&] {
    CallGuard entry(module.instance, true, nullptr);
    Call call;
    {
      const detail::Blocking blocking(entry, call);
      detail::interrupt_calls(module.serving, module.generation);
      EXPECT_EQ(call.cancel_reason(), CancelReason::restart);
    }
    call.reset();
    detail::interrupt_calls(module.serving, module.generation);
    EXPECT_EQ(call.cancel_reason(), CancelReason::none) << "it has ended";
  });
}

// Each call is allocated separately, so that a sanitizer detects a cancellation after its end.
TEST(CallGuard, KeepsACallAliveWhileItIsInterrupted) {
  TestModule module;
  std::atomic<bool> over{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      while (!over) {
        const auto call = std::make_unique<Call>();
        call->raw()->functions->wait_handle(call->raw());
        CallGuard entry(module.instance, true, nullptr);
        const detail::Blocking blocking(entry, *call);
      }
    });
  }
  for (int i = 0; i < 2000; ++i) detail::interrupt_calls(module.serving, module.generation);
  over = true;
  for (std::thread& caller : callers) caller.join();
}

TEST(CallGuard, DetectsCallsOfOtherThreads) {
  TestModule module;
  {
    Guest guest(module);
    EXPECT_FALSE(module.is_left());
    EXPECT_FALSE(detail::this_thread_is_in(module.generation));
  }
  EXPECT_TRUE(module.is_left());
}

TEST(CallGuard, EntersThePublishedGeneration) {
  TestModule module;
  TestModule next;
  CallGuard before(module.instance, true, nullptr);
  module.serving.publish(&next.target);
  CallGuard after(module.instance, true, nullptr);
  EXPECT_EQ(before.self(), &module.object);
  EXPECT_EQ(after.self(), &next.object);
}

TEST(CallGuard, ProtectsDeeplyNestedCalls) {
  constexpr int levels = ThreadRecord::levels;
  for (const int depth : {levels - 1, levels, levels + 1, levels + 20}) {
    SCOPED_TRACE(depth);
    TestModule module;
    nested(module, depth, [&] { EXPECT_FALSE(module.is_left()); });
    EXPECT_TRUE(module.is_left());
    EXPECT_EQ(module.serving.overflow.load(), 0);
  }
}

TEST(CallGuard, ProtectsAModuleEnteredWithoutASlot) {
  TestModule outer;
  TestModule inner;
  nested(outer, ThreadRecord::levels, [&] {
    EXPECT_TRUE(inner.is_left());
    nested(inner, 1, [&] { EXPECT_FALSE(inner.is_left()); });
    EXPECT_TRUE(inner.is_left());
  });
}

TEST(CallGuard, ReturnsTheInnermostGeneration) {
  TestModule outer;
  TestModule inner;
  EXPECT_EQ(detail::innermost_serving(), nullptr);
  CallGuard entry(outer.instance, true, nullptr);
  {
    GenerationGuard inside(inner.generation);
    EXPECT_EQ(detail::innermost_serving(), &inner.generation);
    EXPECT_FALSE(inner.is_left());
  }
  EXPECT_EQ(detail::innermost_serving(), &outer.generation);
}

TEST(CallGuard, ReusesTheRecordOfAnEndedThread) {
  TestModule module;
  ThreadRecord* records[2] = {};
  for (ThreadRecord*& record : records) {
    std::thread([&] {
      CallGuard entry(module.instance, true, nullptr);
      record = detail::this_thread_record();
    }).join();
  }
  EXPECT_NE(records[0], nullptr);
  EXPECT_EQ(records[0], records[1]);
  EXPECT_TRUE(module.is_left());
}

/// Calls a plugin once on a new thread.
void call_on_a_thread(TestModule& module) {
  std::thread([&] { CallGuard entry(module.instance, true, nullptr); }).join();
}

TEST(CallGuard, DoesNotAccumulateRecords) {
  TestModule module;
  call_on_a_thread(module);
  const std::size_t before = detail::count_thread_records();
  for (int i = 0; i < 10'000; ++i) call_on_a_thread(module);
  EXPECT_EQ(detail::count_thread_records(), before);
}

/// Calls a plugin when its thread ends.
struct CallsAtTheEnd {
  TestModule* module = nullptr;
  ~CallsAtTheEnd() { CallGuard entry(module->instance, true, nullptr); }
};

TEST(CallGuard, ReclaimsRecordsOfThreadLocalDestructors) {
  TestModule module;
  call_on_a_thread(module);
  const std::size_t before = detail::count_thread_records();
  for (int i = 0; i < 1000; ++i) {
    std::thread([&] {
      thread_local CallsAtTheEnd at_the_end;  // is destroyed after objects constructed later
      at_the_end.module = &module;
      CallGuard entry(module.instance, true, nullptr);
    }).join();
  }
  EXPECT_EQ(detail::count_thread_records(), before);
  EXPECT_TRUE(module.is_left());
}

/// The destructor of a pthread key; these run after those of thread_local objects.
void call_at_the_end(void* module) {
  CallGuard entry(static_cast<TestModule*>(module)->instance, true, nullptr);
}

TEST(CallGuard, ReclaimsRecordsOfPthreadKeyDestructors) {
  TestModule module;
  call_on_a_thread(module);  // creates the key of the records before the key below
  const std::size_t before = detail::count_thread_records();
  pthread_key_t key;
  ASSERT_EQ(pthread_key_create(&key, call_at_the_end), 0);
  for (int i = 0; i < 1000; ++i) {
    std::thread([&] {
      CallGuard entry(module.instance, true, nullptr);
      pthread_setspecific(key, &module);
    }).join();
  }
  pthread_key_delete(key);
  EXPECT_EQ(detail::count_thread_records(), before);
  EXPECT_TRUE(module.is_left());
}

TEST(CallGuard, WaitsForTheLastCall) {
  TestModule module;
  std::thread leaving;
  {
    CallGuard entry(module.instance, true, nullptr);
    leaving = std::thread([&] { EXPECT_TRUE(module.is_left(std::chrono::minutes(1))); });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  leaving.join();
}

TEST(CallGuard, DropsOtherThreadsInAForkedChild) {
  TestModule module;
  TestModule own;
  Guest guest(module);
  CallGuard entry(own.instance, true, nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const bool good = module.is_left() && !own.is_left();
    bool enters = false;
    nested(module, 1, [&] { enters = !module.is_left(); });
    _exit(good && enters ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(module.is_left()) << "the parent's guest is still there";
}

}}  // namespace tenon::tests
