// SPDX-License-Identifier: BSL-1.0
//
// Store buffering in the call guard, which ordinary stress tests do not find. A call writes its
// slot, then reads the current generation; a restart publishes a generation, then reads the slots.
// A processor may execute the read of the call before its write. Then neither side sees the other,
// and the restart unloads code that the call is about to enter. The barrier of the restart prevents
// this. The tests run the real guard repeatedly: with the barrier, without it (the linker removes
// it, see meson.build), and with calls that order their own accesses, for systems without the
// barrier. On Windows there are only such calls.
#include <gtest/gtest.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <pthread.h>
#include <sched.h>
#endif

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "call/thread_records.hpp"
#include "platform/barrier.hpp"

#if !TENON_CALLS_ORDER_SLOTS
namespace {
std::atomic<bool> barrier_removed{false};
}

// The names that the linker gives to the barrier and its replacement.
extern "C" bool __real__ZN5tenon4v0_18platform15process_barrierEv();
extern "C" bool __wrap__ZN5tenon4v0_18platform15process_barrierEv() {
  return barrier_removed.load(std::memory_order_relaxed) ||
         __real__ZN5tenon4v0_18platform15process_barrierEv();
}
#endif

namespace tenon::tests { namespace {

using detail::CallGuard;
using detail::CallSwitch;
using detail::CallTarget;
using detail::CallTargets;
using detail::Instance;

class TestInstance : public Instance {
 public:
  explicit TestInstance(CallSwitch& module) : Instance(module, 0) {}
};

#ifdef _WIN32
std::vector<int> cpus() {
  DWORD_PTR own = 0;
  DWORD_PTR all = 0;
  GetProcessAffinityMask(GetCurrentProcess(), &own, &all);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < 64; ++cpu) {
    if ((own >> cpu & 1) != 0) cpus.push_back(cpu);
  }
  return cpus;
}

void pin(int cpu) {
  SetThreadAffinityMask(GetCurrentThread(), DWORD_PTR{1} << cpu);
}
#else
std::vector<int> cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}
#endif

/// A value in a separate cache line.
template <class T>
struct alignas(128) CacheAligned {
  T value{};
};

/// Runs one call and one restart concurrently, in many rounds.
class Litmus {
 public:
  /// `ordered`: calls order their own accesses in the library.
  explicit Litmus(bool ordered) {
    old_.value.add_targets(&in_old_, 1);
    fresh_.value.add_targets(&in_fresh_, 1);
    if (ordered) module_.value.let_readers_order();
  }

  /// Runs rounds until both sides miss each other. Returns the number of that round, or 0 if there
  /// is none.
  std::int64_t play(std::int64_t rounds) {
    std::int64_t missed = 0;
    std::thread calling([&] { call(); });
    std::thread restarting([&] {
      pin(cpus().back());
      for (std::int64_t round = 1; round <= rounds && missed == 0; ++round) {
        if (both_miss(round)) missed = round;
      }
      turn_.value.store(over, std::memory_order_release);
    });
    calling.join();
    restarting.join();
    return missed;
  }

 private:
  static constexpr std::int64_t over = -1;

  /// Yields the processor during long waits.
  static std::int64_t wait_for_change(const std::atomic<std::int64_t>& turn, std::int64_t from) {
    for (int i = 0;; ++i) {
      const std::int64_t now = turn.load(std::memory_order_acquire);
      if (now != from) return now;
      if (i > 10'000) std::this_thread::yield();
    }
  }

  /// Delays a side by a random time, to vary the interleaving. The side of the calls starts a round
  /// later, so the other side needs a longer delay.
  static void delay(std::minstd_rand& random, unsigned most) {
    for (auto i = random() % most; i > 0; --i) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
  }

  /// Writes to cache lines that the other side wrote last. A processor reads on before it has these
  /// lines, and writes its slot after them, so that it misses a restart far more often.
  void write_contended_lines(std::int64_t round) {
    for (auto& line : contended_) line.value.store(round, std::memory_order_relaxed);
  }

  /// Runs the restart of a round.
  bool both_miss(std::int64_t round) {
    write_contended_lines(round);
    module_.value.publish(&in_old_);
    turn_.value.store(round, std::memory_order_release);
    delay(random_, 1024);
    module_.value.publish(&in_fresh_);
    const bool left = wait_until_empty(module_.value, old_.value, {}) == detail::Drain::empty;
    looked_.value.store(round, std::memory_order_release);
    wait_for_change(left_.value, round - 1);
    return left && entered_old_.value;
  }

  /// Runs the calls of all rounds.
  void call() {
    pin(cpus().front());
    std::minstd_rand random;
    for (std::int64_t round = 0;;) {
      round = wait_for_change(turn_.value, round);
      if (round == over) return;
      delay(random, 64);
      write_contended_lines(round);
      {
        CallGuard entry(instance_, true, nullptr);
        wait_for_change(looked_.value, round - 1);
        entered_old_.value = entry.self() == in_old_.self;
      }
      left_.value.store(round, std::memory_order_release);
    }
  }

  std::minstd_rand random_{1};
  CacheAligned<CallTargets> old_, fresh_;
  CacheAligned<CallSwitch> module_;
  CacheAligned<std::atomic<std::int64_t>> turn_, looked_, left_;
  CacheAligned<std::atomic<std::int64_t>> contended_[32];
  CacheAligned<bool> entered_old_;
  const CallTarget in_old_{this, &old_, &old_.value};
  const CallTarget in_fresh_{this, &fresh_, &fresh_.value};
  TestInstance instance_{module_.value};
};

// Without an order, store buffering occurs within a hundred rounds, or some more on a busy machine.
constexpr std::int64_t rounds = 50'000;

#if TENON_CALLS_ORDER_SLOTS
TEST(StoreBuffering, IsPreventedByEachCall) {
  EXPECT_EQ(Litmus(false).play(10 * rounds), 0);
}
#else
/// Removes the barrier. The destructor restores it.
class WithoutBarrier {
 public:
  WithoutBarrier() { barrier_removed.store(true); }
  ~WithoutBarrier() { barrier_removed.store(false); }
  WithoutBarrier(const WithoutBarrier&) = delete;
  WithoutBarrier& operator=(const WithoutBarrier&) = delete;
};

#if !TENON_ORDERED_SLOTS
TEST(StoreBuffering, IsPreventedByTheBarrier) {
  if (!platform::has_process_barrier()) GTEST_SKIP() << "the system has no such barrier";
  EXPECT_EQ(Litmus(false).play(rounds), 0);
}

TEST(StoreBuffering, OccursWithoutTheBarrier) {
  if (cpus().size() < 2) GTEST_SKIP() << "needs two processors";
  if (SANITIZED) GTEST_SKIP() << "code of the sanitizer between the accesses hides it";
#if !defined(__OPTIMIZE__)
  GTEST_SKIP() << "without optimization, each access of an atomic object is ordered";
#endif
  const WithoutBarrier without;
  const std::int64_t round = Litmus(false).play(100 * rounds);
  EXPECT_NE(round, 0);
  RecordProperty("round", std::to_string(round));
}
#endif

TEST(StoreBuffering, IsPreventedByOrderedCalls) {
  const WithoutBarrier without;
  EXPECT_EQ(Litmus(true).play(10 * rounds), 0);
}
#endif

}}  // namespace tenon::tests
