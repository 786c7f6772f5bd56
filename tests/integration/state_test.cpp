// SPDX-License-Identifier: BSL-1.0
//
// Restarts that transfer the state of instances to the next generation.
#include <gtest/gtest.h>
#include <pthread.h>
#include <test/counter.hpp>
#include <test/session_counter.hpp>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

class State : public Hosting {
 protected:
  static constexpr const char* counters = "test.example/counters";

  State() { place("counter-1.so", "counter.so"); }

  static std::int64_t total(Handle<test::Counter>& counter) {
    return counter->total().value().total;
  }
};

TEST_F(State, IsTransferredToTheNewCode) {
  Host host(options());
  auto counter = host.create<test::Counter>("counter").value();
  auto other = host.create<test::Counter>("counter", {{"first", "100"}}).value();
  ASSERT_TRUE(counter->add(5));
  ASSERT_TRUE(other->add(1));
  place("counter-2.so", "counter.so");

  ASSERT_TRUE(host.restart(counters));

  EXPECT_EQ(counter->edition().value(), 2);
  EXPECT_EQ(total(counter), 5);
  EXPECT_EQ(total(other), 101);
  EXPECT_EQ(counter->life().value(), "create restore:1");
  EXPECT_EQ(other->life().value(), "create configure restore:1");
  EXPECT_FALSE(is_mapped("counter.g1"));
}

TEST_F(State, IsRefusedWithoutData) {
  place("counter-null-state.so", "counter.so");
  Host host(options());
  auto counter = host.create<test::Counter>("counter").value();
  ASSERT_TRUE(counter->add(5));

  const auto restarted = host.restart(counters);

  ASSERT_FALSE(restarted);
  EXPECT_NE(
      restarted.error().to_string().find("the plugin returned a size without data in 'state'"),
      std::string::npos)
      << restarted.error().to_string();
  EXPECT_EQ(restarted.error().method(), "save_state");
  EXPECT_EQ(total(counter), 5);
}

TEST_F(State, ChangesItsVersionUpAndDown) {
  Host host(options());
  auto counter = host.create<test::Counter>("counter").value();
  ASSERT_TRUE(counter->add(7));
  place("counter-state-2.so", "counter.so");
  ASSERT_TRUE(host.restart(counters));
  EXPECT_EQ(counter->life().value(), "create restore:1") << "the old code writes only version 1";
  ASSERT_TRUE(counter->add(1));

  ASSERT_TRUE(host.restart(counters));
  EXPECT_EQ(counter->life().value(), "create restore:2") << "old and new code support version 2";
  EXPECT_EQ(counter->total().value().adds, 1);

  place("counter-1.so", "counter.so");
  ASSERT_TRUE(host.restart(counters)) << "back to version 1";
  EXPECT_EQ(counter->edition().value(), 1);
  EXPECT_EQ(counter->life().value(), "create restore:1");
  EXPECT_EQ(total(counter), 8);
}

/// A fault of the old or new file, and the error code of the restart.
struct Flaw {
  const char* name;
  const char* old_build;
  const char* new_build;
  const char* code;
  bool slow = false;  // the restart waits until the gate timeout
};

void PrintTo(const Flaw& flaw, std::ostream* out) {
  *out << flaw.name;
}

class FailingTransfer : public State, public testing::WithParamInterface<Flaw> {};

TEST_P(FailingTransfer, KeepsTheOldStateServing) {
  place(GetParam().old_build, "counter.so");
  Host host(GetParam().slow ? short_timeouts() : options());
  auto counter = host.create<test::Counter>("counter", {{"first", "40"}}).value();
  ASSERT_TRUE(counter->add(2));
  place(GetParam().new_build, "counter.so");

  const auto failed = host.restart(counters);

  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), GetParam().code) << failed.error().to_string();
  EXPECT_EQ(total(counter), 42);
  EXPECT_EQ(counter->add(1).value(), 43);
  EXPECT_EQ(module(host, counters).generation, 1u);
  EXPECT_TRUE(eventually([&] { return copies() == Texts{module_file("counter.g1.so")}; }))
      << "the worker unloads the new code";
  EXPECT_EQ(count_events(Event::Type::restart_failed), 1u);
}

INSTANTIATE_TEST_SUITE_P(
    Flaws, FailingTransfer,
    testing::Values(
        Flaw{"SaveFails", "counter-save-fails.so", "counter-1.so", "internal"},
        Flaw{"SaveIsTooSlow", "counter-save-waits.so", "counter-1.so", "deadline-exceeded", true},
        Flaw{"SaveIgnoresItsDeadline", "counter-save-sleeps.so", "counter-1.so", "restart-failed",
             true},
        Flaw{"RestoreFails", "counter-1.so", "counter-restore-fails.so", "data-loss"},
        Flaw{"CreateFails", "counter-1.so", "counter-create-fails.so", "resource-exhausted"},
        Flaw{"StartFails", "counter-1.so", "counter-start-fails.so", "start-failed"},
        Flaw{"NoVersionInCommon", "counter-1.so", "counter-only-state-2.so", "state-refused"},
        Flaw{"NothingTakesItOver", "counter-1.so", "counter-stateless.so", "state-refused"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(State, IsDiscardedOnRequest) {
  Host host(options());
  auto counter = host.create<test::Counter>("counter", {{"first", "40"}}).value();
  ASSERT_TRUE(counter->add(2));
  place("counter-only-state-2.so", "counter.so");
  ASSERT_TRUE(host.restart(counters, {.discard_state = true}));
  EXPECT_EQ(total(counter), 40) << "the configured value";
  place("counter-stateless.so", "counter.so");
  ASSERT_TRUE(host.restart(counters, {.discard_state = true}));
  EXPECT_EQ(counter->edition().value(), 2);
}

TEST_F(State, DelaysCallsNoLongerThanTheGateTimeout) {
  place("counter-save-sleeps.so", "counter.so");
  Host host(short_timeouts());
  auto counter = host.create<test::Counter>("counter").value();
  std::atomic<bool> restarting{true};
  std::thread restart([&] {
    EXPECT_EQ(host.restart(counters).error().code(), "restart-failed");
    restarting = false;
  });
  // Calls continue while the plugin sleeps in save_state.
  std::int64_t sum = 0;
  while (restarting) {
    if (counter->add(1).value() == ++sum) continue;
    ADD_FAILURE() << "an add was lost";
  }
  restart.join();
  EXPECT_EQ(total(counter), sum);
  EXPECT_GT(sum, 0);
}

TEST_F(State, AdmitsNestedCallsThroughTheClosedGate) {
  Host host(options());
  auto counter = host.create<test::Counter>("counter").value();
  std::thread restarting;
  host_echo_says = [&](std::string_view) {
    restarting = std::thread([&] { EXPECT_TRUE(host.restart(counters)); });
    const auto end = std::chrono::steady_clock::now() + 100ms;
    int adds = 0;
    while (std::chrono::steady_clock::now() < end) {
      counter->add(1).value();
      ++adds;
    }
    return std::to_string(adds);
  };
  const std::string adds = counter->call_back("restart").value();
  restarting.join();
  EXPECT_EQ(std::to_string(total(counter)), adds);
  EXPECT_EQ(module(host, counters).generation, 2u);
}

/// Closes the gate of the counters until the end of the test: a call stays in the old code, and a
/// restart waits for it.
class ClosedGate : public State {
 protected:
  ClosedGate() : host_(with_long_gate(options())) {
    host_echo_says = [this](std::string_view) {
      inside_.set_value();
      opened_.get_future().wait();
      return std::string();
    };
    staying_ = std::thread([this] { EXPECT_TRUE(counter->call_back("stay")); });
    inside_.get_future().wait();
    restarting_ = std::thread([this] { EXPECT_TRUE(host_.restart(counters)); });
  }
  ~ClosedGate() override {
    opened_.set_value();
    staying_.join();
    restarting_.join();
  }

  /// Makes calls until one waits at the gate too long.
  bool is_closed() {
    return eventually([&] {
      Call call;
      call.set_timeout(10ms);
      const auto total = counter->total(call);
      return !total && total.error().status() == TENON_DEADLINE_EXCEEDED;
    });
  }
#ifndef _WIN32
  /// Returns whether a thread of this process sleeps.
  static bool sleeps(pid_t thread) {
    const std::string state = read_file("/proc/self/task/" + std::to_string(thread) + "/stat");
    return state.find(") S ") != std::string::npos;
  }
#endif

 private:
  static HostOptions with_long_gate(HostOptions options) {
    options.restart.gate_timeout = 60s;
    return options;
  }

  Host host_;
  std::promise<void> inside_;
  std::promise<void> opened_;
  std::thread staying_;
  std::thread restarting_;

 protected:
  Handle<test::Counter> counter = host_.create<test::Counter>("counter").value();
};

TEST_F(ClosedGate, DelaysACallUntilItsDeadline) {
  ASSERT_TRUE(is_closed());
  Call call;
  call.set_timeout(0ms);
  const auto total = counter->total(call);
  ASSERT_FALSE(total);
  EXPECT_EQ(total.error().status(), TENON_DEADLINE_EXCEEDED);
  EXPECT_EQ(total.error().method(), "total");
}

#ifndef _WIN32  // no signals, and no states of threads
TEST_F(ClosedGate, DelaysACallUntilItIsCancelled) {
  ASSERT_TRUE(is_closed());
  Call call;
  std::atomic<pid_t> thread{0};
  std::optional<Error> error;
  std::thread waiting([&] {
    thread = gettid();
    const auto total = counter->total(call);
    if (!total) error = total.error();
  });
  EXPECT_TRUE(eventually([&] { return thread != 0 && sleeps(thread); }));
  call.cancel();
  waiting.join();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->status(), TENON_CANCELLED) << error->to_string();
}

std::function<void()> on_signal;  // NOLINT(cert-err58-cpp)

TEST_F(ClosedGate, RefusesASignalHandlerThatInterruptsAWaitingCall) {
  ASSERT_TRUE(is_closed());
  std::atomic<tenon_status> status{TENON_OK};
  on_signal = [&] {
    Call call;
    const auto total = counter->total(call);
    status = total ? TENON_OK : total.error().status();
  };
  struct sigaction before {};
  struct sigaction action {};
  action.sa_handler = [](int) {
    const int before_handler = errno;
    on_signal();
    errno = before_handler;
  };
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  Call call;
  std::atomic<pid_t> thread{0};
  std::thread waiting([&] {
    thread = gettid();
    EXPECT_EQ(counter->total(call).error().status(), TENON_CANCELLED);
  });
  EXPECT_TRUE(eventually([&] { return thread != 0 && sleeps(thread); }));
  pthread_kill(waiting.native_handle(), SIGUSR1);
  EXPECT_TRUE(eventually([&] { return status == (TENON_UNAVAILABLE | TENON_RETRYABLE); }));
  call.cancel();
  waiting.join();
  sigaction(SIGUSR1, &before, nullptr);
  on_signal = nullptr;
}
#endif

TEST_F(State, LosesNoConcurrentUpdate) {
  constexpr int restarts = 1000;
  constexpr int threads = 4;
  Host host(options());
  auto counter = host.create<test::Counter>("counter").value();
  std::atomic<bool> over{false};
  std::atomic<std::int64_t> added{0};
  std::atomic<int> failed{0};
  std::vector<std::thread> adding;
  for (int i = 0; i < threads; ++i) {
    adding.emplace_back([&] {
      while (!over) {
        if (counter->add(3)) {
          added += 3;
        } else {
          ++failed;
        }
      }
    });
  }
  for (int i = 0; i < restarts; ++i) {
    if (i % 100 == 0) place(i % 200 == 0 ? "counter-2.so" : "counter-1.so", "counter.so");
    ASSERT_TRUE(host.restart(counters));
  }
  over = true;
  for (std::thread& thread : adding) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(total(counter), added);
  EXPECT_EQ(module(host, counters).generation, restarts + 1u);
  EXPECT_EQ(copies().size(), 1u) << "all images except for the last were removed";
}

TEST_F(State, IsTransferredWhileInstancesComeAndGo) {
  Host host(options());
  auto kept = host.create<test::Counter>("counter", {{"first", "1"}}).value();
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> coming;
  for (int i = 0; i < 2; ++i) {
    coming.emplace_back([&] {
      for (int n = 0; !over; ++n) {
        auto counter = host.create<test::Counter>("counter", {{"first", std::to_string(n)}});
        if (!counter || (*counter)->add(5).value() != n + 5) ++wrong;
        if (counter && total(*counter) != n + 5) ++wrong;
      }
    });
  }
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(host.restart(counters));
  over = true;
  for (std::thread& thread : coming) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(total(kept), 1);
  EXPECT_EQ(module(host, counters).instances, 1u);
}

class SessionState : public Hosting {
 protected:
  static constexpr const char* counters = "test.example/session-counters";

  SessionState() { place("session-counter-1.so", "counter.so"); }

  static Handle<test::SessionCounter> opened(Host& host) {
    auto counter = host.create<test::SessionCounter>("session-counter", {{"first", "10"}}).value();
    counter->open().value();
    return counter;
  }
};

TEST_F(SessionState, IsSavedBeforeSuspend) {
  Host host(options());
  auto counter = opened(host);
  ASSERT_TRUE(counter->add(1));
  place("session-counter-2.so", "counter.so");
  ASSERT_TRUE(host.restart(counters));
  EXPECT_EQ(counter->edition().value(), 2);
  EXPECT_EQ(counter->life().value(), "create configure restore:1");
  EXPECT_EQ(counter->total().value().total, 11);
  EXPECT_TRUE(counter->add(1).error().restarted()) << "the session has to be opened again";
  ASSERT_TRUE(counter->open());
  EXPECT_EQ(counter->add(1).value(), 12);
}

TEST_F(SessionState, IsResumedIfTheRestartFails) {
  Host host(options());
  auto counter = opened(host);
  ASSERT_TRUE(counter->add(1));
  for (const char* build :
       {"session-counter-create-fails.so", "session-counter-restore-fails.so"}) {
    place(build, "counter.so");
    EXPECT_FALSE(host.restart(counters));
  }
  EXPECT_EQ(counter->life().value(), "create configure save suspend resume save suspend resume");
  EXPECT_EQ(counter->add(1).value(), 12) << "the session continues";
}

TEST_F(SessionState, IsResumedIfSuspendFails) {
  place("session-counter-suspend-fails.so", "counter.so");
  Host host(options());
  auto counter = opened(host);
  ASSERT_TRUE(counter->add(1));
  place("session-counter-2.so", "counter.so");
  EXPECT_EQ(host.restart(counters).error().method(), "suspend");
  EXPECT_EQ(counter->life().value(), "create configure save suspend resume");
  EXPECT_EQ(counter->add(1).value(), 12);
}

TEST_F(SessionState, InterruptsABlockingCall) {
  Host host(options());
  auto counter = opened(host);
  std::atomic<bool> begun{false};
  std::thread blocked([&] {
    begun = true;
    // If the thread calls after the restart, it gets the status of the restart.
    const auto reason = counter->block();
    EXPECT_TRUE(reason ? *reason == TENON_CANCELLED_BY_RESTART : reason.error().restarted());
  });
  ASSERT_TRUE(eventually([&] { return begun.load(); }));
  EXPECT_TRUE(host.restart(counters));
  blocked.join();
}

}}  // namespace tenon::tests
