// SPDX-License-Identifier: BSL-1.0
//
// The one place of the call guard where a stress test proves nothing. A call writes its slot and
// then reads which generation serves; a restart publishes a generation and then reads the slots. A
// processor may let the first read overtake the write before it, and then each side misses what the
// other wrote: the restart unloads code that the call is about to enter. What forbids it is the
// barrier on the restart's side. The tests run the guard as it is, again and again, with the
// barrier in its place, with it taken out by the linker (see meson.build), and with the order that
// is kept by the call itself where no barrier is to be had.
#include <gtest/gtest.h>

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "call/thread_records.hpp"
#include "platform/barrier.hpp"

namespace {
std::atomic<bool> barrier_taken_out{false};
}

// What the linker calls the barrier, and what it calls in its place.
extern "C" bool __real__ZN5tenon8platform15process_barrierEv();
extern "C" bool __wrap__ZN5tenon8platform15process_barrierEv() {
  return barrier_taken_out.load(std::memory_order_relaxed) ||
         __real__ZN5tenon8platform15process_barrierEv();
}

namespace tenon::tests {
namespace {

using detail::CallGuard;
using detail::CallTarget;
using detail::Instance;
using detail::Serving;
using detail::ServingModule;

class TestInstance : public Instance {
 public:
  explicit TestInstance(ServingModule& module) : Instance(module, 0) {}
};

/// On a line of its own in the caches of the processor.
template <class T>
struct alignas(128) OnItsOwn {
  T value{};
};

/// One call and one restart at the same time, as often as is wanted.
class Litmus {
 public:
  /// `ordered`: the calls keep the order themselves.
  explicit Litmus(bool ordered) {
    old_.value.add_targets(&in_old_, 1);
    fresh_.value.add_targets(&in_fresh_, 1);
    if (ordered) module_.value.let_readers_order();
  }

  /// Plays until both sides have missed each other, and answers in which round that was; 0 when it
  /// was in none of them.
  std::int64_t play(std::int64_t rounds) {
    std::int64_t missed = 0;
    std::thread calling([&] { call(); });
    std::thread restarting([&] {
      pin(cpus().back());
      for (std::int64_t round = 1; round <= rounds && missed == 0; round++) {
        if (both_miss(round)) missed = round;
      }
      turn_.value.store(over, std::memory_order_release);
    });
    calling.join();
    restarting.join();
    return missed;
  }

  static std::vector<int> cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
    return cpus;
  }

 private:
  static constexpr std::int64_t over = -1;

  static void pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  }

  /// Long waits give the processor away: others may want it.
  static std::int64_t wait_for_change(const std::atomic<std::int64_t>& turn, std::int64_t from) {
    for (int i = 0;; i++) {
      const std::int64_t now = turn.load(std::memory_order_acquire);
      if (now != from) return now;
      if (i > 10'000) std::this_thread::yield();
    }
  }

  /// For the two to meet in many ways. The side that is told of the round comes a little later, so
  /// the other one has more to waste.
  static void dawdle(std::minstd_rand& random, unsigned most) {
    for (auto i = random() % most; i > 0; i--) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
  }

  /// The restart's side of a round.
  bool both_miss(std::int64_t round) {
    module_.value.publish(&in_old_);
    turn_.value.store(round, std::memory_order_release);
    dawdle(random_, 1024);
    module_.value.publish(&in_fresh_);
    const bool left = wait_until_left(module_.value, old_.value, {}) == detail::Occupancy::left;
    looked_.value.store(round, std::memory_order_release);
    wait_for_change(left_.value, round - 1);
    return left && entered_old_.value;
  }

  /// The side of the calls.
  void call() {
    pin(cpus().front());
    std::minstd_rand random;
    for (std::int64_t round = 0;;) {
      round = wait_for_change(turn_.value, round);
      if (round == over) return;
      dawdle(random, 64);
      {
        CallGuard entry(instance_, true);
        wait_for_change(looked_.value, round - 1);
        entered_old_.value = entry.self() == in_old_.self;
      }
      left_.value.store(round, std::memory_order_release);
    }
  }

  std::minstd_rand random_{1};
  OnItsOwn<Serving> old_, fresh_;
  OnItsOwn<ServingModule> module_;
  OnItsOwn<std::atomic<std::int64_t>> turn_, looked_, left_;
  OnItsOwn<bool> entered_old_;
  const CallTarget in_old_{this, &old_, &old_.value};
  const CallTarget in_fresh_{this, &fresh_, &fresh_.value};
  TestInstance instance_{module_.value};
};

/// Takes the barrier out as long as it lives.
class WithoutBarrier {
 public:
  WithoutBarrier() { barrier_taken_out.store(true); }
  ~WithoutBarrier() { barrier_taken_out.store(false); }
  WithoutBarrier(const WithoutBarrier&) = delete;
  WithoutBarrier& operator=(const WithoutBarrier&) = delete;
};

// Without the barrier it is seen after some thousand rounds, on a busy machine after some more.
constexpr std::int64_t rounds = 50'000;

#if !TENON_ORDERED_SLOTS
TEST(StoreBuffering, IsPreventedByTheBarrier) {
  if (!platform::has_process_barrier()) GTEST_SKIP() << "the system has none";
  EXPECT_EQ(Litmus(false).play(rounds), 0);
}

TEST(StoreBuffering, OccursWithoutTheBarrier) {
  if (Litmus::cpus().size() < 2) GTEST_SKIP() << "on one processor nothing is overtaken";
  if (SANITIZED) GTEST_SKIP() << "what a sanitizer puts between the accesses hides it";
  const WithoutBarrier without;
  const std::int64_t round = Litmus(false).play(1000 * rounds);
  EXPECT_NE(round, 0);
  RecordProperty("round", std::to_string(round));
}
#endif

TEST(StoreBuffering, IsPreventedByOrderedCalls) {
  const WithoutBarrier without;
  EXPECT_EQ(Litmus(true).play(10 * rounds), 0);
}

}  // namespace
}  // namespace tenon::tests
